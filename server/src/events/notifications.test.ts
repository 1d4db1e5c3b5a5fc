import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { pino } from 'pino';
import { ManualClock } from '../base/manual-clock.ts';
import { until, untilAsync } from '../base/until-fixture.ts';
import type { DeliveryTarget } from '../store/notification-targets.ts';
import type { RuleDefinition } from '../store/rules.ts';
import { temporaryStore } from '../store/store-fixture.ts';
import type { Store } from '../store/store.ts';
import { newStream } from '../store/stream-fixture.ts';
import { newUser } from '../store/user-fixture.ts';
import type { Channel, DeliveryResult, Message } from './channel.ts';
import { DeliveryWorker } from './delivery-worker.ts';
import { RuleEngine } from './rule-engine.ts';
import { plainRule } from './rule-fixture.ts';

const log = pino({ level: 'silent' });

const definition: RuleDefinition = {
  ...plainRule,
  kinds: ['motion', 'stream-down', 'disk'],
};

/** A channel whose answers a test decides. */
class FakeChannel implements Channel {
  readonly batchMax: number = 1;
  readonly pauseMs: number = 0;
  readonly sent: string[] = [];
  answer: (target: DeliveryTarget, messages: readonly Message[]) => DeliveryResult | Promise<DeliveryResult> =
    () => ({
      isAccepted: true,
    });

  async send(target: DeliveryTarget, _: unknown, messages: readonly Message[]): Promise<DeliveryResult> {
    const result = await this.answer(target, messages);
    if (result.isAccepted) this.sent.push(...messages.map(({ delivery }) => delivery.key));
    return result;
  }

  test(): Promise<DeliveryResult> {
    return Promise.resolve({ isAccepted: true });
  }
}

const refused = (isRefusal = false): DeliveryResult => ({
  isAccepted: false,
  failure: { code: 'status', status: isRefusal ? 400 : 500 },
  isRefusal,
});

async function made(t: TestContext) {
  const store = await temporaryStore(t);
  const clock = new ManualClock();
  const webhook = new FakeChannel();
  const email = new FakeChannel();
  const push = new FakeChannel();
  const engine = new RuleEngine({ store, clock, log });
  store.journal.onWritten((db, entries) => engine.onWritten(db, entries));
  const open = (node = 'main') => {
    const channels = { webhook, email, push, mqtt: new FakeChannel() };
    const worker = new DeliveryWorker({ store, channels, clock, log, node });
    t.after(() => worker.close());
    return worker;
  };
  const { id: anna } = await store.users.add(newUser('anna'));
  const { id: admin } = await store.users.add(newUser('root', { isAdmin: true }));
  const { id: gate } = await store.streams.add(newStream('gate'));
  return { store, clock, webhook, email, push, engine, open, anna, admin, gate };
}

const target = async (store: Store, userId: number, name = 'hook') => {
  const { id } = await store.notificationTargets.add({
    userId,
    name,
    settings: { type: 'webhook', url: `https://${name}.example.org/` },
    createdMs: 1,
    secret: 'whsec_x',
  });
  return id;
};

const rule = (store: Store, userId: number, members: Partial<RuleDefinition>) =>
  store.rules.add({
    userId,
    name: 'Rule',
    isEnabled: true,
    definition: { ...definition, ...members },
    createdMs: 0,
  });

let keys = 0;
const motion = (store: Store, startMs: number, uid = 'gate') =>
  store.journal.append([
    { type: 'put', kind: 'motion', uid, key: `m${keys++}`, startMs, endMs: startMs + 1 },
  ]);

const queued = async (store: Store, id: number) => (await store.outbox.next(id, 1_000)).length;

test('[R11.8] a rule queues its notification in the transaction of the journal entry: both exist or neither', async (t) => {
  const { store, admin, engine } = await made(t);
  const hook = await target(store, admin);
  await rule(store, admin, { targets: [hook] });
  store.journal.onWritten(async (db, entries) => {
    await engine.onWritten(db, entries);
    throw new Error('killed');
  });
  await assert.rejects(motion(store, 1_000));
  assert.equal(await queued(store, hook), 0);
  store.journal.onWritten((db, entries) => engine.onWritten(db, entries));
  await motion(store, 1_000);
  assert.equal(await queued(store, hook), 1);
});

test('[R11.7] a rule acts only on what its owner may see when it acts, and sends only what they may see when it sends', async (t) => {
  const { store, anna, gate, open, webhook } = await made(t);
  const hook = await target(store, anna);
  await rule(store, anna, { targets: [hook], bookmarks: true });
  await motion(store, 1_000);
  await store.journal.append([{ type: 'begin', kind: 'disk', uid: null, startMs: 1_000 }]);
  assert.equal(await queued(store, hook), 0, 'no right on the stream, and none on the server');
  const seen = { view: true, archive: true, share: false, edit: false };
  const grant = (rights: typeof seen) => store.permissions.replaceOfStream(gate, [{ userId: anna, rights }]);
  await grant(seen);
  await motion(store, 2_000);
  await motion(store, 3_000);
  assert.equal(await queued(store, hook), 2);
  const bookmarks = await store.bookmarks.list(
    { userId: anna, isAdmin: false },
    { page: 1, pageSize: 9, words: [] },
  );
  assert.deepEqual(
    bookmarks.items.map(({ note, startMs }) => [note, startMs]),
    [
      ['Rule', 3_000],
      ['Rule', 2_000],
    ],
  );
  await grant({ ...seen, archive: false });
  open().wake();
  await untilAsync(async () => (await queued(store, hook)) === 0);
  assert.deepEqual(webhook.sent, [], 'the right was withdrawn before it was sent');
});

test('[R11.7] a right that is withdrawn while a slow target keeps its queue waiting ends what is left of it', async (t) => {
  const { store, anna, gate, open, webhook, clock } = await made(t);
  const hook = await target(store, anna);
  await rule(store, anna, { targets: [hook] });
  const seen = { view: true, archive: true, share: false, edit: false };
  await store.permissions.replaceOfStream(gate, [{ userId: anna, rights: seen }]);
  for (let at = 1; at <= 3; at++) await motion(store, at);
  webhook.answer = async () => {
    clock.advance(250);
    await store.permissions.replaceOfStream(gate, []);
    return { isAccepted: true };
  };
  open().wake();
  await untilAsync(async () => (await queued(store, hook)) === 0);
  assert.equal(webhook.sent.length, 1);
});

test('[R11.5] an open event that lasts long enough is found later, once', async (t) => {
  const { store, admin, engine, clock } = await made(t);
  const hook = await target(store, admin);
  await rule(store, admin, { targets: [hook], minSeconds: 30 });
  const startMs = clock.wallMs();
  await store.journal.append([{ type: 'begin', kind: 'stream-down', uid: 'gate', startMs }]);
  await engine.actOnDue();
  assert.equal(await queued(store, hook), 0);
  clock.advance(30_000);
  await engine.actOnDue();
  await engine.actOnDue();
  assert.equal(await queued(store, hook), 1);
  await store.journal.append([{ type: 'end', kind: 'stream-down', uid: 'gate', endMs: startMs + 90_000 }]);
  assert.equal(await queued(store, hook), 1);
});

test('[R11.5] while nothing is written, rules are read again only when an open event has lasted long enough', async (t) => {
  const { store, admin, clock } = await made(t);
  const hook = await target(store, admin);
  await rule(store, admin, { targets: [hook], minSeconds: 30 });
  const writes = { isQuiet: () => false, noteUnread: () => {} };
  const engine = new RuleEngine({ store, clock, log, writes });
  store.journal.onWritten((db, entries) => engine.onWritten(db, entries));
  const reads = t.mock.method(store.rules, 'due').mock;
  await store.journal.append([{ type: 'begin', kind: 'stream-down', uid: 'gate', startMs: clock.wallMs() }]);
  await engine.actOnDue();
  writes.isQuiet = () => true;
  clock.advance(29_000);
  await engine.actOnDue();
  assert.equal(reads.callCount(), 1);
  clock.advance(1_000);
  await engine.actOnDue();
  assert.equal(await queued(store, hook), 1);
  writes.isQuiet = () => false;
  await engine.actOnDue();
  writes.isQuiet = () => true;
  clock.advance(3_600_000);
  await engine.actOnDue();
  assert.deepEqual([reads.callCount(), await queued(store, hook)], [3, 1]);
});

test('[R11.8] an empty queue is not read again before something is written', async (t) => {
  const { store, admin, clock, webhook } = await made(t);
  const writes = { isQuiet: () => true, noteUnread: () => {} };
  const channels = { webhook, email: webhook, push: webhook, mqtt: webhook };
  const worker = new DeliveryWorker({ store, channels, clock, log, node: 'main', writes });
  t.after(() => worker.close());
  const reads = t.mock.method(store.outbox, 'isEmpty').mock;
  worker.start();
  const hook = await target(store, admin);
  await rule(store, admin, { targets: [hook] });
  await until(() => reads.callCount() === 1);
  await reads.calls[0]?.result;
  clock.advance(10_000);
  assert.equal(reads.callCount(), 1);
  await motion(store, 1_000);
  writes.isQuiet = () => false;
  clock.advance(1_000);
  await untilAsync(async () => (await queued(store, hook)) === 0);
  assert.equal(webhook.sent.length, 1);
});

test('[R11.8] notifications of a target are sent in their order; a failing target delays no other', async (t) => {
  const { store, admin, open, webhook, clock } = await made(t);
  const [bad, good] = [await target(store, admin, 'bad'), await target(store, admin, 'good')];
  await rule(store, admin, { targets: [bad, good] });
  for (let at = 1; at <= 5; at++) await motion(store, at);
  const held = Promise.withResolvers<DeliveryResult>();
  webhook.answer = ({ id }) => (id === bad ? held.promise : { isAccepted: true });
  const worker = open();
  worker.wake();
  await until(() => webhook.sent.length === 5);
  const ids = webhook.sent.map((key) => Number(/e(\d+)-/.exec(key)?.[1]));
  assert.deepEqual(
    ids,
    ids.toSorted((a, b) => a - b),
  );
  held.resolve(refused());
  await worker.close();
  const state = await store.notificationTargets.byId(bad);
  assert.deepEqual([state?.waiting, state?.failures, state?.failure?.status], [5, 1, 500]);
  assert.ok((state?.retryMs ?? 0) > clock.wallMs());
});

test('[R11.8] what a target accepted before it refused one is not sent again, and nothing behind that one is sent', async (t) => {
  const { store, admin, open, webhook } = await made(t);
  const hook = await target(store, admin);
  await rule(store, admin, { targets: [hook] });
  for (let at = 1; at <= 20; at++) await motion(store, at);
  webhook.answer = () => (webhook.sent.length === 2 ? refused() : { isAccepted: true });
  const worker = open();
  worker.wake();
  await untilAsync(async () => (await store.notificationTargets.byId(hook))?.failures === 1);
  await worker.close();
  assert.deepEqual([webhook.sent.length, await queued(store, hook)], [2, 18]);
});

test('[R11.8] pauses grow, one attempt probes a failing target, and a success ends the failure', async (t) => {
  const { store, admin, open, webhook, clock } = await made(t);
  const hook = await target(store, admin);
  await rule(store, admin, { targets: [hook] });
  await motion(store, 1);
  await motion(store, 2);
  let attempts = 0;
  webhook.answer = () => (++attempts < 4 ? refused() : { isAccepted: true });
  const worker = open();
  // The delivery before may not have ended yet: then one wake is too early.
  const wakeUntil = (isMet: () => boolean) =>
    until(() => {
      worker.wake();
      return isMet();
    });
  const pausesMs: number[] = [];
  for (let round = 1; round <= 3; round++) {
    await wakeUntil(() => attempts === round);
    await untilAsync(async () => (await store.notificationTargets.byId(hook))?.failures === round);
    const state = await store.notificationTargets.byId(hook);
    pausesMs.push((state?.retryMs ?? 0) - clock.wallMs());
    clock.advance(pausesMs.at(-1) ?? 0);
  }
  assert.deepEqual(pausesMs, [2_000, 4_000, 8_000]);
  await wakeUntil(() => webhook.sent.length === 2);
  await worker.close();
  const state = await store.notificationTargets.byId(hook);
  assert.deepEqual([state?.failures, state?.failingMs, state?.waiting], [0, null, 0]);
});

test('[R11.8] a notification that a target refuses for good is given up, so that those behind it arrive', async (t) => {
  const { store, admin, open, webhook, clock } = await made(t);
  const hook = await target(store, admin);
  await rule(store, admin, { targets: [hook] });
  await motion(store, 1);
  await motion(store, 2);
  const [first] = await store.outbox.next(hook, 1);
  webhook.answer = (_, [message]) =>
    message?.delivery.id === first?.id ? refused(true) : { isAccepted: true };
  const worker = open();
  await until(() => {
    clock.advance(60_000);
    worker.wake();
    return webhook.sent.length > 0;
  });
  await worker.close();
  const state = await store.notificationTargets.byId(hook);
  assert.deepEqual([state?.waiting, state?.dropped], [0, 1]);
});

test('[R11.8] only one node sends to a target; after its end another one goes on', async (t) => {
  const { store, admin, clock, webhook, open } = await made(t);
  const hook = await target(store, admin);
  await rule(store, admin, { targets: [hook] });
  await motion(store, 1);
  const now = clock.wallMs();
  assert.ok(await store.notificationTargets.claim(hook, 'first', now, now + 120_000));
  assert.ok(await store.notificationTargets.claim(hook, 'first', now, now + 120_000), 'extended');
  assert.ok(!(await store.notificationTargets.claim(hook, 'second', now, now + 120_000)));
  const second = open('second');
  second.wake();
  assert.deepEqual(await store.notificationTargets.due(now, 3_600_000, 'second'), []);
  clock.advance(120_000);
  second.wake();
  await until(() => webhook.sent.length === 1);
});

test('[R11.8] the queue of a target is bounded in number and age', async (t) => {
  const { store, admin } = await made(t);
  const hook = await target(store, admin);
  await rule(store, admin, { targets: [hook] });
  for (let at = 1; at <= 6; at++) await motion(store, at);
  const all = await store.outbox.next(hook, 9);
  assert.equal(await store.outbox.trim(0, 4), 2);
  assert.deepEqual(
    (await store.outbox.next(hook, 9)).map(({ id }) => id),
    all.slice(2).map(({ id }) => id),
  );
  assert.equal(await store.outbox.trim(Number.MAX_SAFE_INTEGER, 4), 4);
  assert.equal((await store.notificationTargets.byId(hook))?.dropped, 6);
});
