import type { Cancel, Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { StateChanges } from '../engine/state-changes.ts';
import type { WriteWatch } from '../store/write-watch.ts';
import type { EventHub } from './event-hub.ts';
import type { JournalFeed } from './journal-feed.ts';

/** What a user sees of something: it has changed when this differs. `busy`: it changes all the time. */
export type UserMark = string;

export interface EventSourcesOptions {
  readonly hub: EventHub;
  readonly journalFeed: Pick<JournalFeed, 'subscribe'>;
  readonly changes: Pick<StateChanges, 'since' | 'revision'>;
  /** Incremented when a list of streams may have changed (`StreamService.listRevision`). */
  readonly listRevision: () => number;
  /** Users that follow events. */
  readonly userIds: () => ReadonlySet<number>;
  readonly marks: {
    readonly exports: (userId: number) => Promise<UserMark>;
    readonly mosaics: (userId: number) => Promise<UserMark>;
  };
  /** The state of the cluster's nodes. */
  readonly nodes: () => Promise<UserMark>;
  /** Undefined: not known. */
  readonly writes: Pick<WriteWatch, 'isQuiet' | 'noteUnread'> | undefined;
  readonly clock: Clock;
  readonly log: Log;
}

/** States that change within this time are one event, while a client follows them. */
const gatherMs = 50;
const lookMs = 1_000;
/** Users whose state is remembered, twice. */
const marksMax = 2_000;
/** Streams in one event. */
const streamsMax = 500;

/** Finds out what has changed, as long as a client wants to know. */
export class EventSources {
  readonly #options: EventSourcesOptions;
  readonly #cancels: readonly Cancel[];
  readonly #marks = new Map<string, UserMark>();
  #revision: number;
  #listRevision: number;
  #cancelGathering: Cancel | undefined;
  #isLooking = false;
  #looks = 0;

  constructor(options: EventSourcesOptions) {
    this.#options = options;
    const { clock, journalFeed, hub, changes, listRevision } = options;
    this.#revision = changes.revision;
    this.#listRevision = listRevision();
    this.#cancels = [
      () => this.#gather(false),
      clock.every(lookMs, () => void this.#look()),
      journalFeed.subscribe((ids) => hub.publish({ type: 'journal', ids })),
    ];
  }

  /** Before a user is told anything: what changes from now on is noticed, and what changed since they were last connected. */
  async prepare(userId: number): Promise<void> {
    this.#gather(true);
    await this.#compareUsers(new Set([userId]));
    if (!this.#marks.has('nodes')) await this.#compare('nodes', this.#options.nodes, { type: 'nodes' });
  }

  close(): void {
    for (const cancel of this.#cancels) cancel();
  }

  /** While no client follows them, changes are only noted with each look, for those who come back. */
  #gather(isFollowed: boolean): void {
    if (isFollowed === (this.#cancelGathering !== undefined)) return;
    this.#cancelGathering?.();
    this.#cancelGathering = isFollowed
      ? this.#options.clock.every(gatherMs, () => this.#noteStates())
      : undefined;
    if (isFollowed) this.#noteStates();
  }

  #noteStates(): void {
    const { hub, changes, listRevision } = this.#options;
    if (listRevision() !== this.#listRevision) {
      this.#listRevision = listRevision();
      hub.publish({ type: 'streams' });
    }
    const { revision } = changes;
    if (revision === this.#revision) return;
    const uids = changes.since(this.#revision);
    this.#revision = revision;
    if (!uids) {
      hub.publish({ type: 'streams' });
      return;
    }
    const all = [...uids];
    for (let start = 0; start < all.length; start += streamsMax)
      hub.publish({ type: 'statuses', uids: all.slice(start, start + streamsMax) });
  }

  /** Never rejects. */
  async #look(): Promise<void> {
    const { userIds, writes, log } = this.#options;
    const users = userIds();
    this.#gather(users.size > 0);
    if (users.size === 0) this.#noteStates();
    if (this.#isLooking || users.size === 0) return;
    // Of users who have left long ago: they are prepared again.
    if (this.#marks.size > marksMax) this.#marks.clear();
    this.#isLooking = true;
    this.#looks++;
    try {
      const isBusy = [...this.#marks.values()].includes('busy');
      // Asked in any case: it compares with the time before.
      const isUnchanged = writes?.isQuiet() === true;
      if (!isUnchanged || isBusy) await this.#compareUsers(users);
      if (this.#looks % 2 === 0) await this.#compare('nodes', this.#options.nodes, { type: 'nodes' });
    } catch (error) {
      writes?.noteUnread();
      log.debug({ err: error }, 'What changed could not be read; retrying');
    } finally {
      this.#isLooking = false;
    }
  }

  async #compareUsers(users: ReadonlySet<number>): Promise<void> {
    const { marks } = this.#options;
    for (const userId of users) {
      for (const type of ['exports', 'mosaics'] as const)
        await this.#compare(`${type} ${userId}`, () => marks[type](userId), { type, userId });
    }
  }

  async #compare(
    key: string,
    read: () => Promise<UserMark>,
    event: Parameters<EventHub['publish']>[0],
  ): Promise<void> {
    const mark = await read();
    const before = this.#marks.get(key);
    this.#marks.set(key, mark);
    if (before !== undefined && (before !== mark || mark === 'busy')) this.#options.hub.publish(event);
  }
}
