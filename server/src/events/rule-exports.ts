import { ruleExportLimits } from '@vidette/contract/constants';
import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import type { SeenJournalEntry } from '../store/journal-pages.ts';
import type { RuleExport } from '../store/rule-exports.ts';
import type { Store } from '../store/store.ts';

/** Footage of one stream, for the owner of a rule. */
export interface WantedExport {
  readonly userId: number;
  readonly uid: string;
  readonly streamName: string;
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
}

export interface RuleExporterOptions {
  readonly store: Pick<Store, 'ruleExports' | 'journal' | 'users'>;
  /**
   * Starts an export, with the rights, the license and the limits of this moment.
   * @throws Fault why it can't
   */
  readonly start: (wanted: WantedExport) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

const searchEveryMs = 5_000;
/** Looked at in one search. */
const batchMax = 50;
/** Footage can be read this long after it was received, at the latest. */
const recordedAfterMs = 15_000;
/** Also while an event goes on, and after a failure that may pass. */
const againMs = 60_000;
/** A failure that has not passed by then is final. */
const triesMs = 3_600_000;
const hourMs = 3_600_000;

/**
 * Starts the exports that rules want, as soon as the footage behind the event exists. What a rule wants is stored with
 * the event, so that a restart loses none; one that ends between start and note is started again.
 */
export class RuleExporter {
  readonly #options: RuleExporterOptions;
  #cancel: Cancel | undefined;
  #searching: Promise<void> | undefined;

  constructor(options: RuleExporterOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, log } = this.#options;
    this.#cancel = clock.every(searchEveryMs, () => {
      this.#searching ??= this.startDue()
        .catch((error: unknown) => log.warn({ err: error }, 'Exports of rules could not be read'))
        .finally(() => (this.#searching = undefined));
    });
  }

  async close(): Promise<void> {
    this.#cancel?.();
    await this.#searching;
  }

  /** Starts those whose footage exists by now. */
  async startDue(): Promise<void> {
    const { store, clock } = this.#options;
    for (const wanted of await store.ruleExports.due(clock.wallMs(), batchMax)) {
      const dueMs = clock.wallMs() + againMs;
      // Taken: another node does not start it meanwhile.
      if (await store.ruleExports.postpone(wanted, dueMs)) await this.#take({ ...wanted, dueMs });
    }
    await store.ruleExports.trim(clock.wallMs() - hourMs);
  }

  async #take(wanted: RuleExport): Promise<void> {
    const { store, clock, start, log } = this.#options;
    const { id, userId, ruleName, leadSeconds, trailSeconds } = wanted;
    const entry = await this.#entryOf(wanted);
    const nowMs = clock.wallMs();
    const eventEndMs = entry && endOf(entry, nowMs);
    // The owner may no longer see the event, or it is gone.
    if (!entry || entry.uid === null || entry.streamName === null) {
      await store.ruleExports.finish(id);
      return;
    }
    if (eventEndMs === undefined) return;
    const endMs = eventEndMs + trailSeconds * 1_000;
    if (nowMs < endMs + recordedAfterMs) {
      await store.ruleExports.postpone(wanted, endMs + recordedAfterMs);
      return;
    }
    const startMs = entry.startMs - leadSeconds * 1_000;
    const { uid, streamName } = entry;
    try {
      await start({ userId, uid, streamName, name: ruleName, startMs, endMs });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (error.code === 'Unavailable' && nowMs < wanted.createdMs + triesMs) return;
      log.warn({ err: error, stream: uid, rule: ruleName }, 'A rule could not start its export');
    }
    await store.ruleExports.finish(id);
  }

  async #entryOf({ userId, entryId }: RuleExport): Promise<SeenJournalEntry | undefined> {
    const { users, journal } = this.#options.store;
    const user = await users.byId(userId);
    if (!user || user.isBlocked) return undefined;
    const [entry] = await journal.seen({ userId, isAdmin: user.isAdmin }, [entryId]);
    return entry;
  }
}

/** Where the exported part of an event ends; undefined while it goes on and is not too long. */
function endOf({ startMs, endMs, openKey }: SeenJournalEntry, nowMs: number): number | undefined {
  const longestMs = startMs + ruleExportLimits.eventSecondsMax * 1_000;
  if (openKey !== null) return nowMs < longestMs ? undefined : longestMs;
  return Math.min(endMs ?? startMs, longestMs);
}
