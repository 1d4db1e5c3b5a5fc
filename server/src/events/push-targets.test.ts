import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test, type TestContext } from 'node:test';
import { limits } from '@vidette/contract/constants';
import { pino } from 'pino';
import { principalOf, type Principal } from '../access/principal.ts';
import { Fault } from '../base/fault.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { untilAsync } from '../base/until-fixture.ts';
import { temporaryStore } from '../store/store-fixture.ts';
import { newStream } from '../store/stream-fixture.ts';
import { newUser } from '../store/user-fixture.ts';
import type { Channel, DeliveryResult, Message } from './channel.ts';
import { DeliveryWorker } from './delivery-worker.ts';
import { PushBrowser } from './push-fixture.ts';
import { pushKeysOf } from './push-keys.ts';
import { RuleEngine } from './rule-engine.ts';
import { newAuditNote } from '../system/audit-note-fixture.ts';
import { TargetService } from './target-service.ts';

// Browsers as targets: whose they are, how many, and when they end.

const log = pino({ level: 'silent' });
const browserAt = (path: string) => new PushBrowser(`https://push.example.org/${path}`).settings;

async function made(t: TestContext) {
  const store = await temporaryStore(t);
  const clock = new ManualClock();
  const sent: (readonly Message[])[] = [];
  const state = { isHeld: false, answer: { isAccepted: true } as DeliveryResult };
  const push: Channel = {
    batchMax: 500,
    pauseMs: 0,
    holds: () => state.isHeld,
    send: (_, __, messages) => {
      sent.push(messages);
      return Promise.resolve(state.answer);
    },
    test: () => Promise.resolve(state.answer),
  };
  const channels = { push, webhook: push, email: push, mqtt: push };
  const worker = new DeliveryWorker({ store, channels, clock, log, node: 'main' });
  t.after(() => worker.close());
  const service = new TargetService({
    store,
    deliveries: worker,
    clock,
    pushKeys: pushKeysOf(randomBytes(32)),
  });
  /** A user in a session. */
  const signedIn = async (login: string): Promise<Principal> => {
    const user = await store.users.add(newUser(login, { isAdmin: login === 'root' }));
    return inSession(user, `s-${login}`);
  };
  const inSession = async (user: Principal['user'], id: string): Promise<Principal> => {
    const seen = { createdMs: 1, lastSeenMs: 1, ip: '127.0.0.1', userAgent: '' };
    await store.sessions.add({ id, secretHash: id, userId: user.id, ...seen });
    return principalOf(user, { kind: 'session', id, provedMs: 0 });
  };
  const add = (principal: Principal, path: string) =>
    service.add(principal, { name: path, settings: browserAt(path) }, newAuditNote());
  const names = async (principal: Principal) => (await service.list(principal)).map(({ name }) => name);
  return { store, clock, sent, state, worker, service, signedIn, inSession, add, names };
}

const isFault = (code: string, path?: string) => (error: unknown) =>
  error instanceof Fault &&
  error.code === code &&
  (path === undefined || JSON.stringify(error).includes(path));

test('[R11.10] a browser belongs to who added it last, and counts once', async (t) => {
  const { signedIn, add, names, service } = await made(t);
  const [anna, ben] = [await signedIn('anna'), await signedIn('ben')];
  for (let at = 1; at <= limits.pushDevicesMax; at++) await add(anna, `p${at}`);
  await assert.rejects(add(anna, 'further'), isFault('QuotaReached'));
  await add(anna, 'p1');
  assert.equal((await names(anna)).length, limits.pushDevicesMax, 'the same browser again');
  await add(ben, 'p1');
  assert.deepEqual(await names(ben), ['p1']);
  assert.ok(!(await names(anna)).includes('p1'));
  const [own] = await service.list(anna);
  assert.ok(own?.settings.type === 'push');
  await service.save(anna, own.id, { settings: browserAt('p1') }, newAuditNote());
  assert.deepEqual(await names(ben), [], 'a changed subscription too');
});

test('[R11.10] a browser ends with its session, and the others when the password is changed', async (t) => {
  const { store, signedIn, inSession, add, names } = await made(t);
  const anna = await signedIn('anna');
  const second = await inSession(anna.user, 'second');
  const third = await inSession(anna.user, 'third');
  await add(anna, 'a');
  await add(second, 'b');
  await add(third, 'c');
  await store.notificationTargets.add({
    ...{ userId: anna.user.id, name: 'hook', createdMs: 1, secret: null },
    settings: { type: 'webhook', url: 'https://hooks.example.org/' },
  });
  assert.equal(await store.sessions.remove(anna.user.id, 'second'), 'second');
  assert.deepEqual(await names(anna), ['a', 'c', 'hook']);
  assert.deepEqual(await store.sessions.removeOfUser(anna.user.id, 's-anna'), ['third']);
  assert.deepEqual(await names(anna), ['a', 'hook']);
  await store.sessions.removeUnseenSince(2);
  assert.deepEqual(await names(anna), ['a', 'hook'], 'a session that only expired does not silence a phone');
  await store.sessions.removeOfUser(anna.user.id, undefined);
  assert.deepEqual(await names(anna), ['hook']);
});

test('[R11.10] one browser that is added several times simultaneously is one target', async (t) => {
  const { store, clock, signedIn, add, names } = await made(t);
  const [anna, ben] = [await signedIn('anna'), await signedIn('ben')];
  await Promise.all([anna, ben, anna, ben, anna, ben].map((who) => add(who, 'phone')));
  assert.equal([...(await names(anna)), ...(await names(ben))].length, 1);
  // Through several nodes, which take no turns.
  const target = { name: 'Phone', settings: browserAt('phone'), createdMs: clock.wallMs(), secret: null };
  await Promise.all(
    [anna, ben, anna, ben].map(({ user }) => store.notificationTargets.add({ ...target, userId: user.id })),
  );
  assert.equal([...(await names(anna)), ...(await names(ben))].length, 1);
});

test('[R11.10] a renewed subscription keeps its target, and only the secret of the old one renews it', async (t) => {
  const { store, signedIn, inSession, add, service } = await made(t);
  const anna = await signedIn('anna');
  const { id } = await add(anna, 'old');
  const [old, renewed] = [browserAt('old'), browserAt('new')];
  const { endpoint, keys } = renewed;
  const body = { oldEndpoint: old.endpoint, endpoint, keys };
  const { settings } = (await service.list(anna))[0] ?? assert.fail();
  assert.ok(settings.type === 'push');
  const oldAuth = settings.keys.auth;
  const note = newAuditNote();
  for (const wrong of [oldAuth.slice(1), renewed.keys.auth])
    await assert.rejects(service.renewDevice({ ...body, oldAuth: wrong }, note), isFault('NotFound'));
  const inside = { ...body, oldAuth, endpoint: 'https://192.168.7.1/x' };
  await assert.rejects(service.renewDevice(inside, note), isFault('STREAM_SOURCE_ERR', 'endpoint'));
  await service.renewDevice({ ...body, oldAuth }, note);
  assert.deepEqual([note.login, note.target], ['anna', String(id)]);
  const [target, ...others] = await service.list(anna);
  assert.deepEqual(others, []);
  assert.deepEqual([target?.id, target?.name], [id, 'old']);
  assert.deepEqual(target?.settings, { ...settings, endpoint, keys });
  await assert.rejects(service.renewDevice({ ...body, oldAuth }, note), isFault('NotFound'), 'used up');
  const again = { oldEndpoint: endpoint, oldAuth: keys.auth, endpoint: old.endpoint, keys };
  await store.users.save(anna.user.id, { isBlocked: true });
  await assert.rejects(service.renewDevice(again, note), isFault('NotFound'));
  await store.users.save(anna.user.id, { isBlocked: false });
  await service.renewDevice(again, note);
  await inSession(anna.user, 'other');
  await store.sessions.removeOfUser(anna.user.id, 'other');
  assert.deepEqual(await service.list(anna), [], 'it still ends with its session');
});

test('[R11.7] a user has twenty targets, also when the last ones are added simultaneously', async (t) => {
  const { signedIn, service } = await made(t);
  const root = await signedIn('root');
  const settings = { type: 'mqtt', topic: 'yard' } as const;
  const add = () => service.add(root, { name: 'x', settings }, newAuditNote());
  for (let count = 0; count < limits.targetsMax - 1; count++) await add();
  const results = await Promise.allSettled([add(), add(), add()]);
  assert.equal(results.filter(({ status }) => status === 'fulfilled').length, 1);
  await assert.rejects(add(), isFault('QuotaReached'));
  assert.equal((await service.list(root)).length, limits.targetsMax);
});

test('[R11.10] what a browser may not be is refused at its field', async (t) => {
  const { signedIn, service } = await made(t);
  const [anna, root] = [await signedIn('anna'), await signedIn('root')];
  const add = (principal: Principal, changes: object) =>
    service.add(principal, { name: 'x', settings: { ...browserAt('x'), ...changes } }, newAuditNote());
  const own = { endpoint: 'https://127.0.0.1:9/x' };
  await assert.rejects(add(anna, own), isFault('STREAM_SOURCE_ERR', 'settings.endpoint'));
  await add(root, own);
  const inside = { endpoint: 'https://192.168.7.1/x' };
  await assert.rejects(add(root, inside), isFault('STREAM_SOURCE_ERR', 'settings.endpoint'));
  const quietHours = { timeZone: 'Mars/Olympus', from: '23:00', to: '07:00' };
  await assert.rejects(add(anna, { quietHours }), isFault('ValidationError', 'settings.quietHours.timeZone'));
  const keys = { ...browserAt('x').keys, p256dh: `B${'A'.repeat(86)}` };
  await assert.rejects(add(anna, { keys }), isFault('ValidationError', 'settings.keys.p256dh'));
});

test('[R11.10] what gathers in quiet hours follows as one delivery, and an ended subscription is removed with its queue', async (t) => {
  const { store, clock, sent, state, worker, signedIn, add, names, service } = await made(t);
  const root = await signedIn('root');
  const { id } = await add(root, 'phone');
  await store.streams.add(newStream('gate'));
  const engine = new RuleEngine({ store, clock, log });
  store.journal.onWritten((db, entries) => engine.onWritten(db, entries));
  const definition = {
    ...{
      kinds: ['motion' as const],
      streams: [],
      tags: [],
      schedule: null,
      minSeconds: 0,
      count: null,
      unattended: false,
      otherRule: null,
      exports: null,
      hold: null,
    },
    ...{ cooldownSeconds: 0, perHourMax: 60, targets: [id], bookmarks: false },
  };
  await store.rules.add({ userId: root.user.id, name: 'R', isEnabled: true, definition, createdMs: 0 });
  const motion = (startMs: number) =>
    store.journal.append([
      { type: 'put', kind: 'motion', uid: 'gate', key: `m${startMs}`, startMs, endMs: startMs + 1 },
    ]);
  // A delivery before may not have ended yet: then one wake is too early.
  const wakeUntil = (isMet: () => Promise<boolean>) =>
    untilAsync(() => {
      worker.wake();
      return isMet();
    });
  state.isHeld = true;
  for (let at = 1; at <= 3; at++) await motion(at);
  await wakeUntil(async () => ((await store.notificationTargets.byId(id))?.retryMs ?? 0) > clock.wallMs());
  assert.equal(sent.length, 0);
  state.isHeld = false;
  clock.advance(60_000);
  await wakeUntil(() => Promise.resolve(sent.length === 1));
  assert.equal(sent[0]?.length, 3);

  state.answer = { isAccepted: false, failure: { code: 'gone', status: 410 }, isRefusal: true, isGone: true };
  await motion(4);
  await wakeUntil(async () => (await names(root)).length === 0);
  assert.equal((await store.outbox.next(id, 9)).length, 0);

  const again = await add(root, 'phone');
  assert.deepEqual(await service.test(root, again.id, newAuditNote()), {
    isAccepted: false,
    failure: { code: 'gone', status: 410 },
  });
  assert.deepEqual(await names(root), [], 'a test notices it too');
});
