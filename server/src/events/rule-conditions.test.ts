import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { limits } from '@vidette/contract/constants';
import { pino } from 'pino';
import { principalOf } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { untilAsync } from '../base/until-fixture.ts';
import { temporaryStore } from '../store/store-fixture.ts';
import { newStream } from '../store/stream-fixture.ts';
import { newUser } from '../store/user-fixture.ts';
import { newAuditNote } from '../system/audit-note-fixture.ts';
import { EventHub } from './event-hub.ts';
import { EventStreams } from './event-streams.ts';
import { RuleEngine } from './rule-engine.ts';
import { plainRule } from './rule-fixture.ts';
import { RuleService } from './rule-service.ts';

// Conditions on what surrounds an event: users who are present, and other rules.

const log = pino({ level: 'silent' });

async function made(t: TestContext) {
  const store = await temporaryStore(t);
  const clock = new ManualClock();
  const engine = new RuleEngine({ store, clock, log });
  store.journal.onWritten((db, entries) => engine.onWritten(db, entries));
  const root = await store.users.add(newUser('root', { isAdmin: true }));
  await store.streams.add(newStream('gate'));
  const service = new RuleService({ store, clock, timeZone: 'UTC' });
  const principal = principalOf(root, { kind: 'session', id: 's', provedMs: 0 });
  const body = { ...plainRule, isEnabled: true, bookmarks: true, name: 'Rule', kinds: ['motion' as const] };
  let keys = 0;
  const happens = (kind: 'motion' | 'annotation') =>
    store.journal.append([
      {
        ...{ type: 'put', kind, uid: 'gate', key: `k${keys++}` },
        ...{ startMs: clock.wallMs(), endMs: clock.wallMs() + 1 },
      },
    ]);
  const acted = async (id: number) =>
    (await service.list(principal)).find((rule) => rule.id === id)?.firedAt ?? null;
  return { store, clock, root, service, principal, body, happens, acted };
}

test('[R11.5] a rule for times without users waits until an open page was closed for five minutes', async (t) => {
  const { store, clock, root, service, principal, body, happens, acted } = await made(t);
  const { id } = await service.add(principal, { ...body, unattended: true }, newAuditNote());
  const streams = new EventStreams({
    ...{ hub: new EventHub('x'), store, clock, log },
    authenticator: { validUntilMs: () => Promise.resolve(Infinity), onAccessChange: () => () => undefined },
    prepare: () => Promise.resolve(),
    render: () => Promise.resolve(undefined),
  });
  t.after(() => streams.close());
  const program = principalOf(root, { kind: 'token', id: 1 });
  streams.follow(program, 'en', undefined).on('error', () => undefined);
  clock.advance(60_000);
  await happens('motion');
  assert.equal(await acted(id), clock.wallMs(), 'a program is not present');

  const before = clock.wallMs();
  const page = streams.follow(principal, 'en', undefined).on('error', () => undefined);
  clock.advance(60_000);
  const seenMs = async () => (await store.users.byId(root.id))?.lastSeenMs ?? 0;
  await untilAsync(async () => (await seenMs()) === clock.wallMs());
  page.destroy();
  clock.advance(299_999);
  await happens('motion');
  assert.equal(await acted(id), before, 'present a moment less than five minutes ago');
  clock.advance(1);
  await happens('motion');
  assert.equal(await acted(id), clock.wallMs());
});

test('[R11.5] [R11.6] a rule acts after another one, and its preview follows that one through the journal', async (t) => {
  const { clock, service, principal, body, happens, acted } = await made(t);
  const other = await service.add(principal, { ...body, kinds: ['annotation'] }, newAuditNote());
  const otherRule = { id: other.id, hasActed: true, withinSeconds: 60 };
  const { id } = await service.add(principal, { ...body, otherRule }, newAuditNote());
  await happens('motion');
  assert.equal(await acted(id), null);
  clock.advance(1);
  await happens('annotation');
  clock.advance(59_999);
  await happens('motion');
  const firstMs = clock.wallMs();
  assert.equal(await acted(id), firstMs);
  clock.advance(1);
  await happens('motion');
  assert.equal(await acted(id), firstMs, 'a minute is over');

  clock.advance(1);
  const preview = (changes: object) => service.preview(principal, { ...body, ...changes });
  const { total, events, unknown } = await preview({ otherRule });
  assert.deepEqual([total, events, unknown], [1, 3, []]);
  assert.equal((await preview({ otherRule: { ...otherRule, hasActed: false } })).total, 2);
  assert.deepEqual((await preview({ unattended: true })).unknown, ['presence']);
  const chained = await preview({ otherRule: { ...otherRule, id } });
  assert.deepEqual([chained.total, chained.unknown], [3, ['other-rule']]);
});

test('[R11.5] a rule depends on another rule of its owner, and on none that was deleted', async (t) => {
  const { store, service, principal, body, happens, acted } = await made(t);
  const own = await service.add(principal, body, newAuditNote());
  const ben = await store.users.add(newUser('ben'));
  const foreign = await store.rules.add({
    ...{ userId: ben.id, name: 'x', isEnabled: true, createdMs: 0 },
    definition: body,
  });
  const isRefused = (error: unknown) =>
    error instanceof Fault && JSON.stringify(error.details).includes('"path":"otherRule.id"');
  for (const id of [foreign, own.id, 999]) {
    const otherRule = { id, hasActed: true, withinSeconds: 60 };
    await assert.rejects(service.save(principal, own.id, { otherRule }, newAuditNote()), isRefused);
  }
  const other = await service.add(principal, body, newAuditNote());
  const otherRule = { id: other.id, hasActed: false, withinSeconds: 60 };
  await service.save(principal, own.id, { otherRule }, newAuditNote());
  await service.remove(principal, other.id, newAuditNote());
  await happens('motion');
  assert.notEqual(await acted(own.id), null);
});

test('[R11.7] a user has fifty rules, also when the last ones are added simultaneously', async (t) => {
  const { service, principal, body } = await made(t);
  const add = () => service.add(principal, body, newAuditNote());
  for (let count = 0; count < limits.rulesMax - 1; count++) await add();
  const results = await Promise.allSettled([add(), add(), add()]);
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const result of results) {
    if (result.status === 'rejected') assert.equal((result.reason as Fault).code, 'QuotaReached');
  }
  const [first] = await service.list(principal);
  await service.remove(principal, first?.id ?? 0, newAuditNote());
  await add();
  assert.equal((await service.list(principal)).length, limits.rulesMax);
});
