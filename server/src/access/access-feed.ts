import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import type { WriteWatch } from '../store/write-watch.ts';
import type { AccessChange, AccessChanges, AccessMark } from '../store/access-changes.ts';

/** Users to authorise again; undefined: all users. */
export type AccessNote =
  { readonly userIds: ReadonlySet<number>; readonly uids: ReadonlySet<string> } | undefined;

export interface AccessFeedOptions {
  readonly changes: Pick<AccessChanges, 'since' | 'prune'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly onChange: (note: AccessNote) => void;
  /** Rights may have changed without this node knowing: no viewers may be served until `onChange`. */
  readonly onLost: () => void;
  /**
   * Whether no other node can change anything while the database does not answer this one. Undefined: there are
   * no other nodes. Never rejects.
   */
  readonly isFrozen?: (() => Promise<boolean>) | undefined;
  /** Whether a query is needed. Undefined: always. */
  readonly writes?: Pick<WriteWatch, 'isQuiet' | 'noteUnread'> | undefined;
}

/** With the poll itself and the review after it, a change takes effect on every node within a second. */
const lookMs = 250;
const pruneMs = 600_000;
/** After this long without an answer from the database, the other nodes are queried. */
const doubtMs = 2_000;
const askMs = 1_000;
/** A node is not trusted for longer than its lease (`cluster.ts`). */
const lostMs = 4_500;
/**
 * How long their answer remains valid. It covers one late answer from a busy machine and the pause after it.
 */
const frozenMs = lostMs;
const watchMs = 250;

/**
 * Follows the permission changes that any process records in the database, and reports them to everything
 * that serves long-lived responses. It also reports when the database stops answering only this node: rights
 * revoked in the meantime are unknown here.
 */
export class AccessFeed {
  readonly #options: AccessFeedOptions;
  #mark: AccessMark | undefined;
  /** When the most recently answered query was sent, monotonic. */
  #heardMs: number;
  /** Until when no other node can change anything, according to their own answers; monotonic. */
  #frozenUntilMs = -Infinity;
  #isAsking = false;
  #watchedMs: number;
  #isLost = false;
  #isLooking = false;
  readonly #cancels: readonly Cancel[];
  #isClosed = false;

  private constructor(options: AccessFeedOptions, mark: AccessMark) {
    const { clock, changes, log } = options;
    this.#options = options;
    this.#mark = mark;
    this.#heardMs = clock.monotonicMs();
    this.#watchedMs = this.#heardMs;
    this.#cancels = [
      clock.every(watchMs, () => this.#watchSilence()),
      clock.every(lookMs, () => void this.#look()),
      clock.every(pruneMs, () => {
        changes
          .prune()
          .catch((error: unknown) =>
            log.debug({ err: error }, 'Old permission changes could not be removed; retrying'),
          );
      }),
    ];
  }

  /** From here on, readers of the tables see everything up to now. */
  static async open(options: AccessFeedOptions): Promise<AccessFeed> {
    return new AccessFeed(options, (await options.changes.since(undefined)).mark);
  }

  close(): void {
    this.#isClosed = true;
    for (const cancel of this.#cancels) cancel();
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    const { changes, clock, writes, log, onChange } = this.#options;
    if (this.#isLooking) return;
    this.#isLooking = true;
    const sentMs = clock.monotonicMs();
    try {
      if (writes?.isQuiet() && !this.#isLost) {
        this.#heardMs = sentMs;
        return;
      }
      const news = await changes.since(this.#mark);
      if (this.#isClosed) return;
      this.#mark = news.mark;
      this.#heardMs = sentMs;
      const wasLost = this.#isLost;
      this.#isLost = false;
      if (wasLost) log.info({}, 'Permission changes can be read again');
      if (wasLost || news.changes === undefined) onChange(undefined);
      else if (news.changes.length > 0) onChange(noteOf(news.changes));
    } catch (error) {
      writes?.noteUnread();
      const isAway = error instanceof Fault && error.code === 'Unavailable';
      if (!isAway) log.error({ err: error }, 'Permission changes could not be read');
    } finally {
      this.#isLooking = false;
    }
  }

  /** Runs in parallel with the polls, which may hang as long as the network path to the database does. */
  #watchSilence(): void {
    const { clock, isFrozen, log, onLost } = this.#options;
    const nowMs = clock.monotonicMs();
    const silentMs = nowMs - this.#heardMs;
    const lateMs = nowMs - this.#watchedMs;
    this.#watchedMs = nowMs;
    // This process was suspended: poll first.
    if (lateMs > doubtMs) return;
    if (!isFrozen || this.#isLost || silentMs < doubtMs) return;
    if (!this.#isAsking) {
      this.#isAsking = true;
      const askAgain = () => {
        this.#isAsking = false;
      };
      void isFrozen().then((frozen) => {
        if (frozen) this.#frozenUntilMs = Math.max(this.#frozenUntilMs, nowMs + frozenMs);
        clock.after(askMs, askAgain);
      });
    }
    if (silentMs < lostMs || nowMs < this.#frozenUntilMs) return;
    this.#isLost = true;
    log.warn(
      {},
      'The database answers other nodes, or no other node can be reached: permissions may have changed, so viewers are disconnected',
    );
    onLost();
  }
}

function noteOf(changes: readonly AccessChange[]): AccessNote {
  return {
    userIds: new Set(changes.flatMap(({ userId }) => userId ?? [])),
    uids: new Set(changes.flatMap(({ streamUid }) => streamUid ?? [])),
  };
}
