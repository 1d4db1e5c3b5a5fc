import type { z } from 'zod';
import type { Calls } from '@vidette/contract/calls';
import { limits } from '@vidette/contract/constants';
import type { Rule, RulePreview } from '@vidette/contract/notifications';
import type { Principal } from '../access/principal.ts';
import { requireStream, viewerOf } from '../access/stream-policy.ts';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { fieldFault } from '../base/field-fault.ts';
import { requireKnownZone } from '../base/known-zone.ts';
import { Semaphore } from '../base/semaphore.ts';
import { requireUnchanged } from '../base/unchanged.ts';
import type { JournalQuery, SeenJournalEntry } from '../store/journal-pages.ts';
import { newRuleState, type RuleDefinition, type RuleRecord } from '../store/rules.ts';
import type { Store } from '../store/store.ts';
import { changesBetween } from '../system/audit-changes.ts';
import type { AuditNote } from '../system/audit-event.ts';
import { requireOwn } from './own-record.ts';
import { eventView } from './notification-view.ts';
import { selects } from './rule-evaluator.ts';
import { eventOf } from './rule-engine.ts';
import { previewOf, simulate } from './rule-preview.ts';

type RuleToAdd = z.output<Calls['addRule']['body']>;
type RuleToSave = z.output<Calls['saveRule']['body']>;

export interface RuleServiceOptions {
  readonly store: Pick<Store, 'rules' | 'journal' | 'streamList'>;
  readonly clock: Clock;
  /** Of the days in a preview of a rule without a schedule. */
  readonly timeZone: string;
}

/** What a preview needs of the rule on which another one depends. */
interface OtherRule {
  readonly firedMs: readonly number[];
  readonly isCut: boolean;
  readonly isUnattended: boolean;
  /** It depends on a rule itself. */
  readonly isChained: boolean;
}

const previewMs = 7 * 86_400_000;
/** Journal entries that a preview reads at most. */
const previewEntriesMax = 20_000;
const previewPage = 1_000;

/** Rules of users, which act on what is written to the journal. Each user sees and changes only their own. */
export class RuleService {
  readonly #options: RuleServiceOptions;
  /** One after the other: simultaneous ones would all find room. */
  readonly #adding = new Semaphore(1);

  constructor(options: RuleServiceOptions) {
    this.#options = options;
  }

  async list({ user }: Principal): Promise<Rule[]> {
    const { rules } = this.#options.store;
    const own = await rules.ofUser(user.id);
    const targets = await rules.ownTargets(
      user.id,
      own.flatMap(({ definition }) => definition.targets),
    );
    return own.map((rule) => ruleView(rule, targets));
  }

  /** @throws Fault QuotaReached; NotFound, Forbidden, ValidationError at the field */
  async add(
    principal: Principal,
    { name, isEnabled, ...definition }: RuleToAdd,
    note: AuditNote,
  ): Promise<Rule> {
    const { store, clock } = this.#options;
    await this.#requireValid(principal, definition);
    requireAction(definition);
    const userId = principal.user.id;
    const createdMs = clock.wallMs();
    const id = await this.#adding.run(async () => {
      if ((await store.rules.ofUser(userId)).length >= limits.rulesMax) {
        throw new Fault('QuotaReached', `A user has at most ${limits.rulesMax} rules.`);
      }
      return store.rules.add({ userId, name, isEnabled, definition, createdMs });
    });
    note.target = String(id);
    note.targetName = name;
    return this.#view(await this.#require(principal, id));
  }

  /** What it remembers of earlier events is forgotten. @throws Fault NotFound, Forbidden, ValidationError at the field */
  async save(principal: Principal, id: number, body: RuleToSave, note: AuditNote): Promise<Rule> {
    const { rules } = this.#options.store;
    const old = await this.#require(principal, id);
    const before = await this.#view(old);
    const {
      id: _,
      createdAt: __,
      firedAt: ___,
      name = old.name,
      isEnabled = old.isEnabled,
      ...changes
    } = body;
    requireUnchanged(body, before, ['id', 'createdAt']);
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    const definition: RuleDefinition = { ...old.definition, ...Object.fromEntries(given) };
    await this.#requireValid(principal, definition, id);
    requireAction(definition);
    await rules.save(id, { name, isEnabled, definition, state: newRuleState, dueMs: null });
    const saved = await this.#view(await this.#require(principal, id));
    note.targetName = old.name;
    note.details = { changes: changesBetween(before, saved) };
    return saved;
  }

  /** @throws Fault NotFound */
  async remove(principal: Principal, id: number, note: AuditNote): Promise<void> {
    const rule = await this.#require(principal, id);
    note.targetName = rule.name;
    await this.#options.store.rules.remove(rule.id);
  }

  /** What it would have done in the last seven days. @throws Fault NotFound, Forbidden, ValidationError at the field */
  async preview(principal: Principal, body: RuleToAdd): Promise<RulePreview> {
    const { name: _, isEnabled: __, ...definition } = body;
    await this.#requireValid(principal, definition);
    const toMs = this.#options.clock.wallMs();
    const fromMs = toMs - previewMs;
    const { entries, isCut } = await this.#entries(principal, definition, { fromMs, toMs });
    const names = new Map(entries.map(({ id, streamName }) => [id, streamName]));
    const events = entries.map((entry) => eventOf(entry));
    const other = await this.#otherRule(principal, definition, { fromMs, toMs });
    const zone = this.#options.timeZone;
    const { actions, ...counts } = previewOf(definition, events, { fromMs, toMs }, zone, other.firedMs);
    return {
      from: isCut ? (entries.at(-1)?.startMs ?? fromMs) : fromMs,
      to: toMs,
      isCut: isCut || other.isCut,
      unknown: [
        ...(definition.unattended || other.isUnattended ? (['presence'] as const) : []),
        ...(other.isChained ? (['other-rule'] as const) : []),
      ],
      ...counts,
      items: actions.map(({ event, atMs }) => ({
        at: atMs,
        event: eventView(event, names.get(event.id) ?? null),
      })),
    };
  }

  /** When the rule would have acted on which another one depends; what that one depends on counts as met. */
  async #otherRule(
    principal: Principal,
    { otherRule }: RuleDefinition,
    span: { readonly fromMs: number; readonly toMs: number },
  ): Promise<OtherRule> {
    const none = { firedMs: [], isCut: false, isUnattended: false, isChained: false };
    if (otherRule === null) return none;
    const { isEnabled, definition } = await this.#require(principal, otherRule.id);
    if (!isEnabled) return none;
    const { entries, isCut } = await this.#entries(principal, definition, span);
    const events = entries.map((entry) => eventOf(entry));
    const actions = simulate({ ...definition, otherRule: null }, events, span.toMs, []);
    return {
      firedMs: actions.map(({ atMs }) => atMs),
      isCut,
      isUnattended: definition.unattended,
      isChained: definition.otherRule !== null,
    };
  }

  /** The entries that the rule is about and the caller may see, newest first. */
  async #entries(
    principal: Principal,
    definition: RuleDefinition,
    span: { readonly fromMs: number; readonly toMs: number },
  ): Promise<{ readonly entries: readonly SeenJournalEntry[]; readonly isCut: boolean }> {
    const { journal, rules } = this.#options.store;
    const { kinds, streams, tags } = definition;
    const entries: SeenJournalEntry[] = [];
    let read = 0;
    let after: JournalQuery['after'];
    do {
      const page = await journal.page(viewerOf(principal), {
        ...span,
        kinds,
        streams: tags.length === 0 ? streams : [],
        words: [],
        after,
        limit: previewPage,
      });
      read += page.items.length;
      const uids = new Set(page.items.flatMap(({ uid }) => uid ?? []));
      const tagged = tags.length === 0 ? new Map() : await rules.streams([...uids]);
      for (const entry of page.items) {
        const own = entry.uid === null ? [] : (tagged.get(entry.uid)?.tags ?? []);
        if (selects(definition, { kind: entry.kind, stream: entry.uid }, own)) entries.push(entry);
      }
      after = page.next ?? undefined;
    } while (after !== undefined && read < previewEntriesMax);
    return { entries, isCut: after !== undefined };
  }

  /** @throws Fault NotFound, Forbidden, ValidationError at the field */
  async #requireValid(principal: Principal, definition: RuleDefinition, ownId?: number): Promise<void> {
    const { store } = this.#options;
    const { schedule, streams, targets, otherRule } = definition;
    if (otherRule !== null) {
      const other = await store.rules.byId(otherRule.id);
      if (other?.userId !== principal.user.id || other.id === ownId) {
        throw fieldFault('ValidationError', 'otherRule.id', 'There is no such other rule.');
      }
    }
    if (schedule !== null) requireKnownZone(schedule.timeZone, 'schedule.timeZone');
    for (const uid of streams) await requireStream(store.streamList, principal, uid, 'view');
    const own = new Set(await store.rules.ownTargets(principal.user.id, targets));
    const foreign = targets.findIndex((id) => !own.has(id));
    if (foreign >= 0) throw fieldFault('ValidationError', `targets.${foreign}`, 'There is no such target.');
  }

  async #require(principal: Principal, id: number): Promise<RuleRecord> {
    return requireOwn(principal, await this.#options.store.rules.byId(id));
  }

  async #view(rule: RuleRecord): Promise<Rule> {
    return ruleView(rule, await this.#options.store.rules.ownTargets(rule.userId, rule.definition.targets));
  }
}

/** @throws Fault ValidationError */
function requireAction({ targets, bookmarks, exports, hold }: RuleDefinition): void {
  if (targets.length === 0 && !bookmarks && exports === null && hold === null) {
    throw fieldFault(
      'ValidationError',
      'targets',
      'The rule does nothing: select a target, bookmarks, exports or a hold.',
    );
  }
}

/** Targets that were deleted are left out. */
function ruleView(rule: RuleRecord, targets: readonly number[]): Rule {
  const { id, name, isEnabled, definition, createdMs, firedMs } = rule;
  return {
    id,
    name,
    isEnabled,
    ...definition,
    targets: definition.targets.filter((target) => targets.includes(target)),
    createdAt: createdMs,
    firedAt: firedMs,
  };
}
