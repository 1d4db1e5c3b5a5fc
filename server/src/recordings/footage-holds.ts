import type { FootageHold } from '@vidette/contract/entities';
import type { Principal } from '../access/principal.ts';
import { requireStream } from '../access/stream-policy.ts';

import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import type { JournalWriter } from '../events/journal-writer.ts';
import type { HoldRecord } from '../store/holds.ts';
import { mergeMs } from '../store/journal.ts';
import type { JournalRecord } from '../store/journal-row.ts';
import type { Store } from '../store/store.ts';
import type { AuditNote } from '../system/audit-event.ts';

export interface FootageHoldsOptions {
  readonly store: Pick<Store, 'holds' | 'journal' | 'streamList'>;
  readonly journalWriter: Pick<JournalWriter, 'write'>;
  readonly clock: Clock;
  readonly log: Log;
  /** The time by which footage ages, ms since the epoch. */
  readonly nowMs: () => number;
}

const searchEveryMs = 5_000;

/**
 * Footage that rules keep from retention. Every node reads all holds: which of them concern its files, its archive knows.
 * Those who may edit a stream and watch its archive release them.
 */
export class FootageHolds {
  readonly #options: FootageHoldsOptions;
  #cancel: Cancel | undefined;
  #searching: Promise<void> | undefined;

  constructor(options: FootageHoldsOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, log } = this.#options;
    this.#cancel = clock.every(searchEveryMs, () => {
      this.#searching ??= this.update()
        .catch((error: unknown) => log.warn({ err: error }, 'Holds of footage could not be updated'))
        .finally(() => (this.#searching = undefined));
    });
  }

  async close(): Promise<void> {
    this.#cancel?.();
    await this.#searching;
  }

  /** For retention, on every node. */
  active(): Promise<HoldRecord[]> {
    return this.#options.store.holds.active();
  }

  /** Held footage takes more than its share. */
  end(ids: readonly number[]): Promise<void> {
    return this.#options.store.holds.end(ids, 'share');
  }

  /** Sets the ends of holds whose events have ended, removes those that are over, and tells which have ended early. */
  async update(): Promise<void> {
    const { store, nowMs } = this.#options;
    await this.#finishEnded();
    await store.holds.expire(nowMs());
    if (await store.holds.haveEnded()) await this.#tellEnded();
  }

  /** @throws Fault NotFound, Forbidden */
  async list(principal: Principal, uid: string): Promise<FootageHold[]> {
    const { store } = this.#options;
    const { stream } = await requireStream(store.streamList, principal, uid, 'archive');
    return (await store.holds.ofStream(stream.id)).map(holdView);
  }

  /** @throws Fault NotFound, Forbidden */
  async release(principal: Principal, uid: string, id: number, note: AuditNote): Promise<void> {
    const released = await this.#release(principal, uid, id);
    if (released === 0) throw new Fault('NotFound', 'There is no such hold of this stream.');
    note.details = { hold: id };
  }

  /** Returns how many there were. @throws Fault NotFound, Forbidden */
  async releaseAll(principal: Principal, uid: string, note: AuditNote): Promise<number> {
    const released = await this.#release(principal, uid);
    note.details = { released };
    return released;
  }

  async #release(principal: Principal, uid: string, id?: number): Promise<number> {
    const { store } = this.#options;
    await requireStream(store.streamList, principal, uid, 'edit');
    const { stream } = await requireStream(store.streamList, principal, uid, 'archive');
    return store.holds.release(stream.id, id);
  }

  async #finishEnded(): Promise<void> {
    const { store, clock } = this.#options;
    const { holds, journal } = store;
    const unfinished = await holds.unfinished();
    if (unfinished.length === 0) return;
    const ids = [...new Set(unfinished.map(({ entryId }) => entryId))];
    const entries = new Map((await journal.records(ids)).map((entry) => [entry.id, entry]));
    for (const { id, entryId, trailSeconds, endMs } of unfinished) {
      const trailMs = (trailSeconds ?? 0) * 1_000;
      const endedMs = endOf(entries.get(entryId), endMs - trailMs);
      // Until then it may go on as the same event.
      if (endedMs !== undefined && clock.wallMs() > endedMs + mergeMs)
        await holds.finish(id, Math.min(endMs, endedMs + trailMs));
    }
  }

  /** One entry per hold, in the transaction that removes it. */
  async #tellEnded(): Promise<void> {
    const { store, journalWriter, clock } = this.#options;
    await journalWriter.write(async (db) => {
      const ended = await store.holds.takeEnded(db);
      return ended.map(({ id, uid, startMs, endMs, untilMs, endCause }) => ({
        ...{ type: 'put', kind: 'retention', uid, key: `hold ${id}`, startMs: clock.wallMs(), endMs: null },
        detail: {
          code: `hold-ended-${endCause}`,
          figures: { startTime: startMs, endTime: endMs, heldUntil: untilMs },
        },
      }));
    });
  }
}

/** Where an event ended; undefined while it goes on. Without its entry it is taken to be as long as possible. */
function endOf(entry: JournalRecord | undefined, longestMs: number): number | undefined {
  if (!entry) return longestMs;
  return entry.openKey === null ? (entry.endMs ?? entry.startMs) : undefined;
}

function holdView(hold: HoldRecord): FootageHold {
  return {
    id: hold.id,
    stream: hold.uid,
    startTime: hold.startMs,
    endTime: hold.endMs,
    heldUntil: hold.untilMs,
    rule: hold.ruleName,
    createdBy: hold.ownerLogin,
    createdAt: hold.createdMs,
  };
}
