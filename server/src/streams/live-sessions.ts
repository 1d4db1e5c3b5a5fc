import type { StreamRight } from '@vidette/contract/call';
import type { ErrorCode } from '@vidette/contract/errors';
import type { Authenticator } from '../access/authenticator.ts';
import type { Principal } from '../access/principal.ts';
import { requireStreamRight } from '../access/stream-policy.ts';
import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import type { Transcoding } from '../transcoding/transcoding.ts';
import type { Store } from '../store/store.ts';
import { transcodingPerson } from './transcoding-viewer.ts';

/** Who watches which stream, for as long as a connection lasts. */
export interface WatchedStream {
  readonly principal: Principal;
  readonly uid: string;
  readonly right: StreamRight;
  /** The stream is transcoded for them. */
  readonly isConverted?: boolean;
  /** Called once, with the reason, when they must be disconnected. */
  readonly end: (code: ErrorCode) => void;
  /** Called when it becomes known that their session or token expires soon, ms since the epoch, and with null when it doesn't. */
  readonly noteUntil?: (untilMs: number | null) => void;
}

export interface LiveSessionsOptions {
  readonly store: Pick<Store, 'users' | 'streamList'>;
  readonly authenticator: Authenticator;
  readonly transcoding: Pick<Transcoding, 'allows'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** An unreported change is noticed within this time. */
const reviewMs = 60_000;
/** What expires later is reviewed again before, even by the process that takes the place of this one if it hangs. */
const soonMs = 2 * reviewMs;

/** Retry interval while the database does not answer; admitted viewers continue. */
const retryMs = 1_000;

/** A response shorter than this was authorised when it was requested, and needs no second check. */
const shortMs = 300;

interface Admitted {
  readonly watched: WatchedStream;
  /** Until when they may watch according to the last check, ms since the epoch. */
  untilMs: number;
  /** How many reviews have begun. */
  reviews: number;
  cancelReview: Cancel;
}

/**
 * Viewers on long-lived connections. When rights change, viewers who lost theirs are disconnected immediately
 * [R4.4]; when the token or session that admitted them expires, at that moment; when changes can no longer be
 * followed, all of them.
 */
export class LiveSessions {
  readonly #options: LiveSessionsOptions;
  readonly #admitted = new Set<Admitted>();
  readonly #stopListening: () => void;
  #isBlind = false;

  constructor(options: LiveSessionsOptions) {
    this.#options = options;
    this.#stopListening = options.authenticator.onAccessChange(({ userId }) => {
      if (userId === undefined) this.#isBlind = false;
      this.#reviewAll(({ principal }) => userId === undefined || principal.user.id === userId);
    });
  }

  /**
   * Authorises the viewer again, because rights may have been revoked while they were admitted. Returns a
   * function to call when they leave.
   */
  add(watched: WatchedStream): () => void {
    return this.#add(watched, (admitted) => void this.#review(admitted));
  }

  /** The same for a response that is usually short: it is authorised again only if it lasts. */
  addShort(watched: WatchedStream): () => void {
    return this.#add(watched, (admitted) => this.#reviewIn(shortMs, admitted));
  }

  /** To be called when rights on a stream have changed, or it was removed. */
  reviewStream(uid: string): void {
    this.#reviewAll((watched) => watched.uid === uid);
  }

  /**
   * To be called when changes can't be followed: no viewer is served until the authenticator drops all cached
   * access.
   */
  endAll(): void {
    this.#isBlind = true;
    for (const admitted of this.#admitted) this.#end(admitted, 'Unavailable');
  }

  close(): void {
    this.#stopListening();
    for (const admitted of this.#admitted) this.#forget(admitted);
  }

  /** The error code that keeps a viewer from watching; undefined when they may watch. */
  async judge(watched: Omit<WatchedStream, 'end'>): Promise<ErrorCode | undefined> {
    const standing = await this.#standingOf(watched);
    return typeof standing === 'string' ? standing : undefined;
  }

  #add(watched: WatchedStream, begin: (admitted: Admitted) => void): () => void {
    const admitted: Admitted = { watched, untilMs: Infinity, reviews: 0, cancelReview: () => {} };
    this.#admitted.add(admitted);
    begin(admitted);
    return () => this.#forget(admitted);
  }

  #end(admitted: Admitted, code: ErrorCode): void {
    this.#forget(admitted);
    admitted.watched.end(code);
  }

  #forget(admitted: Admitted): void {
    admitted.cancelReview();
    this.#admitted.delete(admitted);
  }

  #reviewAll(isMeant: (watched: WatchedStream) => boolean): void {
    for (const admitted of this.#admitted) {
      if (isMeant(admitted.watched)) void this.#review(admitted);
    }
  }

  /** Never rejects. */
  async #review(admitted: Admitted): Promise<void> {
    const { clock, log } = this.#options;
    const review = ++admitted.reviews;
    let verdict: number | ErrorCode;
    try {
      verdict = await this.#standingOf(admitted.watched);
      if (this.#isBlind) verdict = 'Unavailable';
    } catch (error) {
      const isAway = error instanceof Fault && error.code === 'Unavailable';
      if (isAway && !this.#isBlind && clock.wallMs() < admitted.untilMs) {
        this.#reviewIn(retryMs, admitted);
        return;
      }
      // A viewer who can't be authorised is no longer served.
      log.error({ error }, 'The permissions of a viewer could not be read');
      verdict = 'InternalServerError';
    }
    if (!this.#admitted.has(admitted)) return;
    if (typeof verdict === 'string') {
      this.#end(admitted, verdict);
      return;
    }
    // A later one began after a change that this one may not have seen, and may be waiting for the database.
    if (review !== admitted.reviews) return;
    admitted.cancelReview();
    admitted.untilMs = verdict;
    admitted.watched.noteUntil?.(verdict - clock.wallMs() < soonMs ? verdict : null);
    this.#reviewIn(Math.min(reviewMs, verdict - clock.wallMs()), admitted);
  }

  #reviewIn(delayMs: number, admitted: Admitted): void {
    if (!this.#admitted.has(admitted)) return;
    admitted.cancelReview();
    admitted.cancelReview = this.#options.clock.after(
      Math.max(1, delayMs),
      () => void this.#review(admitted),
    );
  }

  /** Until when a viewer may watch, ms since the epoch; or the error code. */
  async #standingOf(watched: Omit<WatchedStream, 'end'>): Promise<number | ErrorCode> {
    const { principal, uid, right, isConverted = false } = watched;
    const { store, authenticator, transcoding } = this.#options;
    const untilMs = await authenticator.validUntilMs(principal);
    if (untilMs === undefined) return 'AuthorizationRequired';
    const user = await store.users.byId(principal.user.id);
    // A user who must change the password may do nothing else first, as in `audience-policy.ts`.
    if (user?.mustChangePassword === true) return 'Forbidden';
    const isAdmin = user?.isAdmin === true;
    const seen = await store.streamList.find({ userId: principal.user.id, isAdmin }, uid);
    try {
      requireStreamRight({ ...principal, isAdmin }, seen, right);
      const isRefused = isConverted && !(user && transcoding.allows(transcodingPerson(user)));
      return isRefused ? 'ActionNotAcceptable' : untilMs;
    } catch (error) {
      if (error instanceof Fault) return error.code;
      throw error;
    }
  }
}
