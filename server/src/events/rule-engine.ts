import { holdLimits, ruleExportLimits } from '@vidette/contract/constants';
import { keyOf } from '../base/search-key.ts';
import type { Cancel, Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { WrittenEntry } from '../store/journal.ts';
import type { RuleEvent } from '../store/outbox.ts';
import type { RuleDefinition, RuleRecord, RuleStream, StoreTransaction } from '../store/rules.ts';
import type { Store } from '../store/store.ts';
import type { WriteWatch } from '../store/write-watch.ts';
import {
  nextDueMs,
  selects,
  takeDue,
  takeEvent,
  type Circumstances,
  type Evaluation,
  type RuleAction,
} from './rule-evaluator.ts';

export interface RuleEngineOptions {
  readonly store: Pick<Store, 'rules' | 'outbox' | 'ruleExports' | 'holds'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Whether what is due can have changed. Undefined: it always can. */
  readonly writes?: Pick<WriteWatch, 'isQuiet' | 'noteUnread'> | undefined;
}

/** Interval of the search for events that have lasted long enough. */
const searchEveryMs = 500;
/** The transaction that queues notifications has usually ended by then. */
const wakeAfterMs = 30;
const hourMs = 3_600_000;
const dayMs = 86_400_000;

/** An event as rules see it. A moment ends when it begins. */
export function eventOf({
  id,
  kind,
  uid,
  startMs,
  endMs,
  openKey,
  note,
  detail,
}: Omit<WrittenEntry, 'change'>): RuleEvent {
  const end = openKey === null ? (endMs ?? startMs) : null;
  return { id, kind, stream: uid, startMs, endMs: end, note, code: detail.code };
}

/**
 * Applies the rules to what is written to the journal. What they do is part of the same transaction: either both exist,
 * or neither.
 */
export class RuleEngine {
  readonly #options: RuleEngineOptions;
  #cancel: Cancel | undefined;
  #onQueued: () => void = () => {};
  #searching: Promise<void> | undefined;
  /** When something will be due, unless the database is written to before. */
  #nextDueMs = -Infinity;

  constructor(options: RuleEngineOptions) {
    this.#options = options;
  }

  start(): void {
    const { clock, log, writes } = this.#options;
    this.#cancel = clock.every(searchEveryMs, () => {
      this.#searching ??= this.actOnDue()
        .catch((error: unknown) => {
          writes?.noteUnread();
          log.warn({ err: error }, 'Rules that wait could not be read; they are read again');
        })
        .finally(() => (this.#searching = undefined));
    });
  }

  /** `run` is called soon after notifications were queued. */
  whenQueued(run: () => void): void {
    this.#onQueued = run;
  }

  async close(): Promise<void> {
    this.#cancel?.();
    await this.#searching;
  }

  /** The journal's hook: inside its transaction. */
  async onWritten(transaction: StoreTransaction, entries: readonly WrittenEntry[]): Promise<void> {
    const { rules } = this.#options.store;
    const enabled = await rules.enabled(transaction);
    if (enabled.length === 0) return;
    const streams = await rules.streams([...new Set(entries.flatMap(({ uid }) => uid ?? []))], transaction);
    const concerned = new Map<number, WrittenEntry[]>();
    for (const rule of enabled) {
      const own = entries.filter(
        (entry) =>
          (entry.userId === null || entry.userId === rule.userId) &&
          // A rule doesn't act on what began before it existed.
          (entry.change === 'added' || entry.startMs >= rule.createdMs) &&
          selects(rule.definition, { kind: entry.kind, stream: entry.uid }, tagsOf(streams, entry.uid)),
      );
      if (own.length > 0) concerned.set(rule.id, own);
    }
    for (const rule of await rules.lock(transaction, [...concerned.keys()])) {
      await this.#take(transaction, rule, concerned.get(rule.id) ?? [], streams);
    }
  }

  /** Acts on open events that have lasted long enough by now. */
  async actOnDue(): Promise<void> {
    const { store, clock, writes } = this.#options;
    const { rules } = store;
    const nowMs = clock.wallMs();
    if (writes?.isQuiet() && nowMs < this.#nextDueMs) return;
    for (const id of await rules.due(nowMs)) {
      await rules.transaction(async (transaction) => {
        const [rule] = await rules.lock(transaction, [id]);
        if (!rule?.isEnabled) return;
        const circumstances = await this.#circumstances(transaction, rule);
        const { state, actions } = takeDue(rule.definition, rule.state, clock.wallMs(), circumstances);
        const streams = await rules.streams(
          actions.flatMap(({ event }) => event.stream ?? []),
          transaction,
        );
        const ids = actions.map(({ event }) => event.id);
        const visible = await rules.visible(rule.userId, ids, transaction);
        await this.#finish(transaction, rule, { state, actions, visible }, streams);
      });
    }
    if (writes) this.#nextDueMs = (await rules.firstDueMs()) ?? Infinity;
  }

  async #take(
    transaction: StoreTransaction,
    rule: RuleRecord,
    entries: readonly WrittenEntry[],
    streams: ReadonlyMap<string, RuleStream>,
  ): Promise<void> {
    const { store, clock } = this.#options;
    const nowMs = clock.wallMs();
    let { state } = rule;
    const actions: RuleAction[] = [];
    const ids = entries.map(({ id }) => id);
    const visible = await store.rules.visible(rule.userId, ids, transaction);
    const circumstances = await this.#circumstances(transaction, rule);
    for (const entry of entries) {
      if (!visible.has(entry.id)) continue;
      const isNew = entry.change === 'added';
      const result = takeEvent(rule.definition, state, eventOf(entry), { isNew, nowMs, circumstances });
      state = result.state;
      actions.push(...result.actions);
    }
    if (state !== rule.state) await this.#finish(transaction, rule, { state, actions, visible }, streams);
  }

  /** What its conditions depend on, as it is now. */
  async #circumstances(
    transaction: StoreTransaction,
    { userId, definition: { unattended, otherRule } }: RuleRecord,
  ): Promise<Circumstances> {
    const { rules } = this.#options.store;
    return {
      presentMs: unattended ? await rules.lastPresenceMs(transaction) : null,
      otherFiredMs: otherRule === null ? [] : await rules.firedMs(userId, otherRule.id, transaction),
    };
  }

  /** Stores what the rule remembers, and does what it decided about the entries that its owner may see. */
  async #finish(
    transaction: StoreTransaction,
    rule: RuleRecord,
    { state, actions, visible }: Evaluation & { readonly visible: ReadonlySet<number> },
    streams: ReadonlyMap<string, RuleStream>,
  ): Promise<void> {
    const { rules, outbox } = this.#options.store;
    const firedMs = actions.at(-1)?.atMs ?? rule.firedMs;
    await rules.saveState(transaction, rule.id, { state, dueMs: nextDueMs(state), firedMs });
    if (actions.length === 0) return;
    const targets = await rules.ownTargets(rule.userId, rule.definition.targets, transaction);
    const createdMs = this.#options.clock.wallMs();
    const { id, name } = rule;
    for (const { event, suppressed } of actions) {
      if (!visible.has(event.id)) continue;
      const payload = { rule: { id, name }, event, suppressed };
      await outbox.add(
        transaction,
        targets.map((targetId) => ({
          targetId,
          key: `r${id}-e${event.id}-t${targetId}`,
          payload,
          createdMs,
        })),
      );
      const streamId = event.stream === null ? undefined : streams.get(event.stream)?.id;
      if (streamId !== undefined) await this.#keep(transaction, rule, streamId, event);
    }
    if (targets.length > 0) this.#options.clock.after(wakeAfterMs, () => this.#onQueued());
  }

  /** A bookmark and an export, where the owner may watch the archive; a hold, where they may also edit the stream. */
  async #keep(
    transaction: StoreTransaction,
    rule: RuleRecord,
    streamId: number,
    event: RuleEvent,
  ): Promise<void> {
    const { userId, name, definition } = rule;
    const { bookmarks, exports, hold } = definition;
    if (!bookmarks && exports === null && hold === null) return;
    const { rules } = this.#options.store;
    const rights = await rules.footageRights(userId, streamId, transaction);
    if (!rights.archive) return;
    if (bookmarks) {
      const { startMs } = event;
      const createdMs = this.#options.clock.wallMs();
      const bookmark = { streamId, userId, startMs, note: name, noteKey: keyOf(name), createdMs };
      await rules.addBookmark(transaction, bookmark);
    }
    if (exports !== null) await this.#export(transaction, rule, exports, event);
    if (hold !== null && rights.edit) await this.#hold(transaction, rule, hold, streamId, event);
  }

  async #export(
    transaction: StoreTransaction,
    { userId, name }: RuleRecord,
    exports: NonNullable<RuleDefinition['exports']>,
    { id: entryId }: RuleEvent,
  ): Promise<void> {
    const { store, clock, log } = this.#options;
    const createdMs = clock.wallMs();
    const recent = await store.ruleExports.countSince(userId, createdMs - hourMs, transaction);
    if (recent >= ruleExportLimits.perHourMax) {
      log.warn({ user: userId, rule: name }, 'A rule exports nothing: too many in the last hour');
      return;
    }
    const wanted = { userId, ruleName: name, entryId, ...exports, createdMs, dueMs: createdMs };
    await store.ruleExports.add(transaction, wanted);
  }

  /** Also footage that does not exist yet: the event may go on, and what follows it is still to come. */
  async #hold(
    transaction: StoreTransaction,
    { userId, name: ruleName }: RuleRecord,
    { leadSeconds, trailSeconds, days }: NonNullable<RuleDefinition['hold']>,
    streamId: number,
    { id: entryId, kind, startMs, endMs }: RuleEvent,
  ): Promise<void> {
    // That a hold has ended would cause the next one.
    if (kind === 'retention') return;
    const longestMs = startMs + holdLimits.eventSecondsMax * 1_000;
    await this.#options.store.holds.add(transaction, {
      ...{ streamId, userId, ruleName, entryId },
      startMs: startMs - leadSeconds * 1_000,
      endMs: Math.min(endMs ?? longestMs, longestMs) + trailSeconds * 1_000,
      trailSeconds: endMs === null ? trailSeconds : null,
      untilMs: startMs + days * dayMs,
      createdMs: this.#options.clock.wallMs(),
    });
  }
}

function tagsOf(streams: ReadonlyMap<string, RuleStream>, uid: string | null): readonly string[] {
  return (uid === null ? undefined : streams.get(uid)?.tags) ?? [];
}
