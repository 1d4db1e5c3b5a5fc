import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import type { Client } from '@vidette/contract/client';
import { administratorOf, until } from '../api.ts';
import { administrator, signIn, startServer, type TestServer } from '../server.ts';
import { inStore } from '../stored.ts';

/** A session of 86.4 s. */
const sessionDays = 0.001;
const password = 'seven green bottles';

let server: TestServer;
let admin: Client;
let adminCookie: string;

before(async () => {
  server = await startServer({ env: { VIDETTE_SESSION_DAYS: String(sessionDays) } });
  ({ client: admin, cookie: adminCookie } = await administratorOf(server));
  await admin.addUser({ body: { name: 'anna', password } });
});

after(() => server?.stop());

async function profileStatus(headers: Record<string, string>): Promise<number> {
  return (await fetch(`${server.url}/v1/profile`, { headers })).status;
}

/** The cookie of a session of anna's that was last used this long ago. */
async function oldSession(id: string, unusedMs: number): Promise<{ cookie: string }> {
  const secret = id.padEnd(43, 'x');
  const lastSeenMs = Date.now() - unusedMs;
  const hash = createHash('sha256').update(secret).digest('hex');
  const [anna] = await inStore(server, `SELECT id FROM users WHERE login = 'anna'`);
  await inStore(
    server,
    `INSERT INTO sessions VALUES (?, ?, ?, ?, ?, '127.0.0.1', 'test')`,
    id,
    hash,
    Number(anna?.['id']),
    lastSeenMs,
    lastSeenMs,
  );
  return { cookie: `vidette_session=${secret}` };
}

test('cookies and tokens that are truncated, foreign, empty or malformed are refused', async () => {
  const cookie = await signIn(server, 'anna', password);
  const [name = '', secret = ''] = cookie.split('=');
  const { secret: token } = await admin.addToken({ body: { name: 't' } });
  assert.equal(await profileStatus({ cookie }), 200);
  assert.equal(await profileStatus({ authorization: `Bearer ${token}` }), 200);
  const wrong = (text: string) => [
    '',
    text.slice(0, -1),
    text.slice(1),
    `${text}x`,
    text.toUpperCase(),
    'A'.repeat(43),
    '%00',
    '../../etc/passwd',
    "' or 1=1 --",
    'x'.repeat(5_000),
  ];
  for (const value of wrong(secret)) {
    assert.equal(
      await profileStatus({ cookie: `${name}=${encodeURIComponent(value)}` }),
      401,
      value.slice(0, 60),
    );
  }
  for (const value of wrong(token)) {
    assert.equal(await profileStatus({ authorization: `Bearer ${value}` }), 401, value.slice(0, 60));
  }
  // The two kinds of secret are not interchangeable.
  assert.equal(await profileStatus({ authorization: `Bearer ${secret}` }), 401);
  assert.equal(await profileStatus({ cookie: `${name}=${token}` }), 401);
  assert.equal(await profileStatus({ authorization: `Basic ${btoa(`anna:${password}`)}` }), 401);
  // An invalid token is reported as such, even together with a valid cookie.
  assert.equal(await profileStatus({ cookie, authorization: 'Bearer nonsense' }), 401);
});

test('[R3.4] a session in use is extended, an unused one expires', async () => {
  const sessionMs = sessionDays * 86_400_000;
  assert.equal(await profileStatus(await oldSession('late', sessionMs + 2_000)), 401);
  const used = await oldSession('used', sessionMs - 20_000);
  assert.equal(await profileStatus(used), 200);
  const lastSeenOf = () => inStore(server, `SELECT last_seen_ms FROM sessions WHERE id = 'used'`);
  await until(lastSeenOf, ([row]) => Number(row?.['last_seen_ms']) > Date.now() - 10_000);
});

test('the cookie of a page in use is renewed, so that the browser keeps it as long as the session lasts', async () => {
  for (const path of ['/v1/system/internal/ui/settings', '/v1/system/health']) {
    const response = await fetch(server.url + path, { headers: { cookie: adminCookie } });
    const [header = ''] = response.headers.getSetCookie();
    assert.ok(header.startsWith(`${adminCookie};`), path);
    assert.match(header, /Max-Age=86;.* HttpOnly; SameSite=Lax/);
  }
  const visitor = await fetch(`${server.url}/v1/system/internal/ui/settings`);
  assert.deepEqual(visitor.headers.getSetCookie(), []);
});

test('[R7.23, R3.3] a token expires at its time, is deleted with its owner, and can’t be revoked by another user', async () => {
  const cookie = await signIn(server, 'anna', password);
  const asAnna = { cookie, 'content-type': 'application/json' };
  const addToken = async (body: object) => {
    const response = await fetch(`${server.url}/v1/tokens`, {
      method: 'POST',
      headers: asAnna,
      body: JSON.stringify(body),
    });
    return (await response.json()) as { id: number; secret: string; expireTime: number | null };
  };
  // Enough for two requests on a busy machine.
  const expireTime = Date.now() + 3_000;
  const short = await addToken({ name: 'short', expireTime });
  assert.equal(short.expireTime, expireTime);
  const long = await addToken({ name: 'long' });
  const ask = ({ secret }: { secret: string }) => profileStatus({ authorization: `Bearer ${secret}` });
  assert.equal(await ask(short), 200);
  await until(
    () => ask(short),
    (status) => status === 401,
  );
  assert.ok(Date.now() >= expireTime);
  await assert.rejects(admin.deleteToken({ params: { id: long.id } }), { code: 'NotFound' });
  assert.equal(await ask(long), 200);
  await admin.blockUser({ params: { login: 'anna' } });
  assert.equal(await ask(long), 401);
  assert.equal(await profileStatus({ cookie }), 401);
  await admin.unblockUser({ params: { login: 'anna' } });
  assert.equal(await ask(long), 200);
});

test('[R7.28, R7.24] an administrator lists the sessions of all users and ends them immediately', async () => {
  const [first, second] = [await signIn(server, 'anna', password), await signIn(server, 'anna', password)];
  const { items } = await admin.listUserSessions({ params: { login: 'anna' } });
  const times = items.map((session) => session.lastSeenTime);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => b - a),
  );
  assert.ok(items.every((session) => !session.isCurrent));
  const mine = await fetch(`${server.url}/v1/sessions`, { headers: { cookie: first } });
  const { items: own } = (await mine.json()) as { items: { id: string; isCurrent: boolean }[] };
  const id = own.find((session) => session.isCurrent)?.id ?? '';
  // The caller's own session is ended by its own call, another user's session only by a call for that user.
  await assert.rejects(admin.deleteSession({ params: { id } }), { code: 'NotFound' });
  await assert.rejects(admin.deleteUserSession({ params: { login: administrator.name, id } }), {
    code: 'NotFound',
  });
  await admin.deleteUserSession({ params: { login: 'anna', id } });
  assert.deepEqual(
    [await profileStatus({ cookie: first }), await profileStatus({ cookie: second })],
    [401, 200],
  );
  await assert.rejects(admin.deleteUserSession({ params: { login: 'anna', id } }), { code: 'NotFound' });
  await assert.rejects(admin.listUserSessions({ params: { login: 'unknown' } }), { code: 'NotFound' });
});

test('[R5.2, R7.25] a password set by an administrator ends all sessions of the user', async () => {
  const cookie = await signIn(server, 'anna', password);
  await admin.saveUser({ params: { login: 'anna' }, body: { password: 'eight green bottles' } });
  assert.equal(await profileStatus({ cookie }), 401);
  await signIn(server, 'anna', 'eight green bottles');
});

test('[R8.12, R7.7] probes are limited per user, with the time of the next attempt', async () => {
  for (const name of ['boris', 'clara']) {
    await admin.addUser({ body: { name, password, maxStreamCreation: 5 } });
  }
  const cookies = {
    boris: await signIn(server, 'boris', password),
    clara: await signIn(server, 'clara', password),
  };
  // A regular user may not connect to this machine: the answer is immediate.
  const probe = async (name: keyof typeof cookies) => {
    const address = `${server.url}/v1/stream/probe?url=rtsp%3A%2F%2F127.0.0.1%3A1%2Fx`;
    const { status, headers } = await fetch(address, { headers: { cookie: cookies[name] } });
    return { status, retryAfter: Number(headers.get('retry-after')) };
  };
  const untilRefused = (name: keyof typeof cookies) =>
    until(
      async () => {
        const answers = await Promise.all(Array.from({ length: 61 }, () => probe(name)));
        return answers.filter(({ status }) => status === 429);
      },
      (refused) => refused.length > 0,
      120_000,
    );
  const [first] = await untilRefused('boris');
  assert.ok(first && first.retryAfter > 0 && first.retryAfter <= 60, `${first?.retryAfter}`);
  assert.notEqual((await probe('clara')).status, 429, 'others are not disturbed');
});

test('[R8.12] guessing from one address is slowed down, whichever login is used; signed-in users are not affected', async () => {
  const guess = async (name: string) => {
    const response = await fetch(`${server.url}/v1/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name, password: 'a guess' }),
    });
    return { status: response.status, retryAfter: Number(response.headers.get('retry-after')) };
  };
  const names = Array.from({ length: 110 }, (_, index) => `person${index}`);
  const answers: { status: number; retryAfter: number }[] = [];
  for (let start = 0; start < names.length; start += 10) {
    answers.push(...(await Promise.all(names.slice(start, start + 10).map(guess))));
  }
  const refused = answers.filter(({ status }) => status === 429);
  assert.ok(refused.length >= 10, `${refused.length}`);
  assert.ok(refused.every(({ retryAfter }) => retryAfter > 0 && retryAfter <= 900));
  assert.equal(await profileStatus({ cookie: adminCookie }), 200);
});

test('[R7.23] [R4.4] an open video connection is closed when its token expires', async () => {
  const camera = { name: 'Gate', streamSource: 'rtsp://127.0.0.1:1/x', live: { onDemand: true } };
  const { uid } = await admin.addStream({ body: { ...camera, archive: { isEnable: false } } });
  const watched = await watchedByToken(uid, 2_000);
  assert.deepEqual(watched, { type: 'end', code: 'AuthorizationRequired' });
  await admin.deleteStream({ params: { uid } });
});

/**
 * The last message on a socket that a token opened. If the token expires too early, it is tried again with a
 * longer lifetime.
 */
async function watchedByToken(uid: string, lifeMs: number): Promise<unknown> {
  const { secret } = await admin.addToken({ body: { name: 'wall', expireTime: Date.now() + lifeMs } });
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/stream/${uid}/live`, {
    headers: { authorization: `Bearer ${secret}` },
  });
  const last = await new Promise<unknown>((resolve, reject) => {
    let message: unknown;
    socket.on('message', (data: Buffer) => (message = JSON.parse(data.toString())));
    socket.on('close', () => resolve(message));
    socket.on('unexpected-response', (_, response) => {
      socket.terminate();
      if (response.statusCode === 401) resolve(undefined);
      else reject(new Error(`the socket was refused with ${response.statusCode}`));
    });
    socket.on('error', () => {});
  });
  return last ?? watchedByToken(uid, lifeMs * 4);
}
