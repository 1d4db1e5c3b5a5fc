import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { ErrorCode } from '@vidette/contract/errors';
import type { Principal } from '../access/principal.ts';
import { hashSecret, newSecret } from '../access/secrets.ts';
import { newAuthenticator, sessionMs } from '../access/user-fixture.ts';
import { Fault } from '../base/fault.ts';
import { silentLog } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { newStream } from '../store/stream-fixture.ts';
import { Store } from '../store/store.ts';
import { LiveSessions } from './live-sessions.ts';
import { newUser } from '../store/user-fixture.ts';

/** One administrator who watches a stream, with a manual clock. */
async function visit(t: TestContext) {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-watchers-'));
  const store = await Store.open({ file: join(folder, 'vidette.db'), redact: (source) => source });
  t.after(async () => {
    await store.close();
    await rm(folder, { recursive: true });
  });
  const clock = new ManualClock();
  const { users, tokens } = store;
  const authenticator = newAuthenticator(store, clock);
  const user = await users.add(newUser('guard', { isAdmin: true, maxStreamCreation: -1 }));
  await store.streams.add(
    newStream('cam1', { createdBy: user.id, archive: { isEnable: false, depthHours: -1 } }),
  );
  const liveSessions = new LiveSessions({
    store,
    authenticator,
    clock,
    log: silentLog,
    transcoding: { allows: ({ canConvert }) => canConvert },
  });
  t.after(() => liveSessions.close());
  const ends: ErrorCode[] = [];
  const watch = async (principal: Principal) => {
    const forget = liveSessions.add({
      principal,
      uid: 'cam1',
      right: 'view',
      end: (code) => ends.push(code),
    });
    await until(() => clock.pendingTimers > 0);
    return forget;
  };
  const tokenOf = async (expiresMs: number | null): Promise<{ principal: Principal; id: number }> => {
    const secret = newSecret();
    const { id } = await tokens.add({
      userId: user.id,
      name: 't',
      secretHash: hashSecret(secret),
      createdMs: 1,
      expiresMs: expiresMs,
      lastUsedMs: null,
    });
    const principal = await authenticator.byToken(secret);
    assert.ok(principal);
    return { principal, id };
  };
  return { store, clock, authenticator, user, liveSessions, ends, watch, tokenOf };
}

test('[R7.23] a viewer with a token is disconnected when it expires', async (t) => {
  const { clock, ends, watch, tokenOf } = await visit(t);
  const { principal } = await tokenOf(clock.wallMs() + 20_000);
  await watch(principal);
  clock.advance(19_999);
  await settle();
  assert.deepEqual(ends, []);
  clock.advance(1);
  await until(() => ends.length > 0);
  assert.deepEqual(ends, ['AuthorizationRequired']);
  assert.equal(clock.pendingTimers, 0);
});

test('[R15.3] [R7.23] who serves a viewer knows of a soon expiry in advance, and only of a soon one', async (t) => {
  const { clock, liveSessions, tokenOf } = await visit(t);
  for (const [leftMs, known] of [
    [100_000, true],
    [200_000, false],
    [null, false],
  ] as const) {
    const untilMs = leftMs === null ? null : clock.wallMs() + leftMs;
    const { principal } = await tokenOf(untilMs);
    const noted: (number | null)[] = [];
    const noteUntil = (ms: number | null) => void noted.push(ms);
    liveSessions.add({ principal, uid: 'cam1', right: 'view', end: () => assert.fail(), noteUntil });
    await until(() => noted.length > 0);
    assert.deepEqual(noted, [known ? untilMs : null]);
  }
});

test('[R4.4] a review that began before a change does not replace a later one that the database did not answer', async (t) => {
  const { store, clock, authenticator, user, ends, watch, tokenOf } = await visit(t);
  const { principal } = await tokenOf(null);
  await watch(principal);
  const unchanged = await store.users.byId(user.id);
  const early = Promise.withResolvers<typeof unchanged>();
  const away = new Fault('Unavailable', 'The database does not answer.');
  const answers = [() => early.promise, () => Promise.reject(away)];
  const byId = store.users.byId.bind(store.users);
  t.mock.method(store.users, 'byId', (id: number) => answers.shift()?.() ?? byId(id));
  const find = t.mock.method(store.streamList, 'find');
  authenticator.forget(user.id);
  await store.users.save(user.id, { isBlocked: true });
  authenticator.forget(user.id);
  await settle();
  early.resolve(unchanged);
  await until(() => find.mock.callCount() === 1);
  await find.mock.calls[0]?.result;
  await settle();
  clock.advance(1_000);
  await until(() => ends.length > 0);
  assert.deepEqual(ends, ['AuthorizationRequired']);
});

test('[R7.24] a viewer with a session is disconnected when the session expires unused, and not while it is used', async (t) => {
  const { clock, authenticator, user, store, ends, watch } = await visit(t);
  const { secret } = await authenticator.open(user, { ip: '10.0.0.1', userAgent: 'test' });
  const principal = await authenticator.bySession(secret, '10.0.0.1');
  assert.ok(principal);
  await watch(principal);
  clock.advance(sessionMs - 61_000);
  await until(() => clock.pendingTimers > 0);
  assert.ok(await authenticator.bySession(secret, '10.0.0.1'));
  while ((await store.sessions.ofUser(user.id))[0]?.lastSeenMs !== clock.wallMs()) await settle();
  for (let passedMs = 0; passedMs < sessionMs - 60_000; passedMs += 60_000) {
    clock.advance(60_000);
    await until(() => clock.pendingTimers > 0);
  }
  assert.deepEqual(ends, []);
  clock.advance(60_000);
  await until(() => ends.length > 0);
  assert.deepEqual(ends, ['AuthorizationRequired']);
});

test('[R3.2] [R4.4] a user who must change the password loses open video until it is changed', async (t) => {
  const { store, authenticator, user, liveSessions, ends, watch, tokenOf } = await visit(t);
  const { principal } = await tokenOf(null);
  await watch(principal);
  await store.users.save(user.id, { mustChangePassword: true });
  authenticator.forget(user.id);
  await until(() => ends.length > 0);
  assert.deepEqual(ends, ['Forbidden']);
  await store.users.save(user.id, { mustChangePassword: false });
  assert.equal(await liveSessions.judge({ principal, uid: 'cam1', right: 'view' }), undefined);
});

test('[R4.4] a viewer of transcoded video is disconnected when that right is revoked, and one of the original is not', async (t) => {
  const { store, authenticator, user, liveSessions, ends, tokenOf } = await visit(t);
  const { principal } = await tokenOf(null);
  const heard: ErrorCode[] = [];
  const watched = { principal, uid: 'cam1', right: 'view' } as const;
  t.after(liveSessions.add({ ...watched, end: (code) => ends.push(code) }));
  t.after(liveSessions.add({ ...watched, isConverted: true, end: (code) => heard.push(code) }));
  assert.equal(await liveSessions.judge({ ...watched, isConverted: true }), undefined);
  await store.users.save(user.id, { canConvert: false });
  authenticator.forget(user.id);
  await until(() => heard.length > 0);
  assert.deepEqual(heard, ['ActionNotAcceptable']);
  assert.deepEqual(ends, []);
});

test('a right that another process revoked is noticed within a minute; viewers who have left are not checked', async (t) => {
  const { store, clock, user, ends, watch, tokenOf } = await visit(t);
  const first = await tokenOf(null);
  const forget = await watch(first.principal);
  forget();
  assert.equal(clock.pendingTimers, 0);
  await watch(first.principal);
  await store.tokens.remove(user.id, first.id);
  clock.advance(60_000);
  await until(() => ends.length > 0);
  assert.deepEqual(ends, ['AuthorizationRequired']);
});

test('[R4.4] a right revoked while a viewer was being admitted is noticed immediately', async (t) => {
  const { store, user, liveSessions, tokenOf } = await visit(t);
  const { principal } = await tokenOf(null);
  await store.users.save(user.id, { isBlocked: true });
  const code = await new Promise((resolve) =>
    liveSessions.add({ principal, uid: 'cam1', right: 'view', end: resolve }),
  );
  assert.equal(code, 'AuthorizationRequired');
});

test('[R4.4] a usually short response is authorised again if it lasts, and ended like the others', async (t) => {
  const { store, clock, authenticator, user, liveSessions, tokenOf } = await visit(t);
  const { principal } = await tokenOf(null);
  const { ends, watched } = viewerOf(principal);
  // A right that was revoked while the viewer was being admitted is noticed soon.
  await store.users.save(user.id, { isBlocked: true });
  t.after(liveSessions.addShort(watched));
  assert.deepEqual(ends, []);
  clock.advance(300);
  await until(() => ends.length > 0);
  await store.users.save(user.id, { isBlocked: false });
  t.after(liveSessions.addShort(watched));
  await store.users.save(user.id, { mustChangePassword: true });
  authenticator.forget(user.id);
  await until(() => ends.length > 1);
  assert.deepEqual(ends, ['AuthorizationRequired', 'Forbidden']);
});

test('[R4.4, R10.8] while changes of rights can’t be followed, no viewer is served until all are authorised again', async (t) => {
  const { authenticator, liveSessions, tokenOf } = await visit(t);
  const { principal } = await tokenOf(null);
  const { ends, watched } = viewerOf(principal);
  t.after(liveSessions.add(watched));
  liveSessions.endAll();
  assert.deepEqual(ends, ['Unavailable']);
  t.after(liveSessions.add(watched));
  await until(() => ends.length > 1);
  authenticator.forgetAll();
  t.after(liveSessions.add(watched));
  assert.equal(await liveSessions.judge(watched), undefined);
  assert.deepEqual(ends, ['Unavailable', 'Unavailable']);
});

/** A viewer, and how viewing ended. */
function viewerOf(principal: Principal) {
  const ends: ErrorCode[] = [];
  const end = (code: ErrorCode) => void ends.push(code);
  return { ends, watched: { principal, uid: 'cam1', right: 'view', end } as const };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await settle();
}

function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
