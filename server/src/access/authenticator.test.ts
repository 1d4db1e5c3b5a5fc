import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { ManualClock } from '../base/manual-clock.ts';
import { Store } from '../store/store.ts';
import { newAuthenticator } from './user-fixture.ts';
import { hashSecret, newSecret } from './secrets.ts';
import { newUser } from '../store/user-fixture.ts';

let folder: string;
let store: Store;
let people = 0;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidette-door-'));
  store = await Store.open({ file: join(folder, 'vidette.db'), redact: (source) => source });
});

after(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

async function visit() {
  const clock = new ManualClock();
  const authenticator = newAuthenticator(store, clock);
  const user = await store.users.add(newUser(`person${++people}`));
  const session = await authenticator.open(user, { ip: '10.0.0.1', userAgent: 'test' });
  return { clock, authenticator, user, session };
}

test('[R7.19] a session is identified only by its secret, which is not stored', async () => {
  const { authenticator, user, session } = await visit();
  const principal = await authenticator.bySession(session.secret, '10.0.0.1');
  assert.equal(principal?.user.id, user.id);
  assert.equal(principal.isReadOnly, true);
  assert.equal(await authenticator.bySession(newSecret(), ''), undefined);
  assert.equal(await authenticator.bySession(session.id, ''), undefined);
  const [row] = await store.sessions.ofUser(user.id);
  assert.equal(row?.secretHash, hashSecret(session.secret));
});

test('use extends a session; without use it expires', async () => {
  const { clock, authenticator, user, session } = await visit();
  for (let hour = 0; hour < 4; hour++) {
    clock.advance(3_000_000);
    assert.ok(await authenticator.bySession(session.secret, '10.0.0.2'));
    // The time of last use is written in the background.
    while ((await store.sessions.ofUser(user.id))[0]?.lastSeenMs !== clock.wallMs()) await nextTurn();
  }
  assert.equal((await store.sessions.ofUser(user.id))[0]?.ip, '10.0.0.2');
  clock.advance(3_600_001);
  assert.equal(await authenticator.bySession(session.secret, ''), undefined);
  await authenticator.open(user, { ip: '', userAgent: '' });
  assert.equal((await store.sessions.ofUser(user.id)).length, 1);
});

test('[R4.4] a blocked user’s sessions and tokens stop working immediately', async () => {
  const { authenticator, user, session } = await visit();
  const secret = newSecret();
  await store.tokens.add({
    userId: user.id,
    name: 't',
    secretHash: hashSecret(secret),
    createdMs: 1,
    expiresMs: null,
    lastUsedMs: null,
  });
  const heard: (number | undefined)[] = [];
  authenticator.onAccessChange(({ userId }) => heard.push(userId));
  const principal = await authenticator.bySession(session.secret, '');
  assert.ok(principal && (await authenticator.byToken(secret)));
  await store.users.save(user.id, { isBlocked: true });
  authenticator.forget(user.id);
  assert.deepEqual(heard, [user.id]);
  assert.equal(await authenticator.bySession(session.secret, ''), undefined);
  assert.equal(await authenticator.byToken(secret), undefined);
  assert.equal(await authenticator.validUntilMs(principal), undefined);
});

test('a session or token ended by another process stops working within five seconds', async () => {
  const { clock, authenticator, user, session } = await visit();
  assert.ok(await authenticator.bySession(session.secret, ''));
  await store.sessions.removeOfUser(user.id, undefined);
  clock.advance(5_000);
  assert.equal(await authenticator.bySession(session.secret, ''), undefined);
});

test('[R7.23] a token expires at its time', async () => {
  const { clock, authenticator, user } = await visit();
  const secret = newSecret();
  await store.tokens.add({
    userId: user.id,
    name: 't',
    secretHash: hashSecret(secret),
    createdMs: 1,
    expiresMs: clock.wallMs() + 2_000,
    lastUsedMs: null,
  });
  assert.equal((await authenticator.byToken(secret))?.by.kind, 'token');
  clock.advance(2_000);
  assert.equal(await authenticator.byToken(secret), undefined);
});

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
