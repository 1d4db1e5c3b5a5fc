import assert from 'node:assert/strict';
import { after, before, test, type TestContext } from 'node:test';
import { ApiError, createClient, type Client } from '@vidette/contract/client';
import { administrator, setUp, signIn, startServer, type TestServer } from '../server.ts';
import { inStore } from '../stored.ts';
import { until } from '../api.ts';

let server: TestServer;

before(async () => {
  server = await startServer();
  // Refused, and recorded in the audit log.
  const body = { ...administrator, language: 'en', code: 'AAAA-AAAA' } as const;
  await assert.rejects(visitor().client.unlock({ body }), hasCode('UnknownLifetimeCode', 'code'));
  await setUp(server);
});

after(() => server?.stop());

/** A server that has no administrator yet. */
async function lockedServer(t: TestContext): Promise<TestServer> {
  const locked = await startServer();
  t.after(() => locked.stop());
  return locked;
}

/** The browser side of the account calls: it keeps the cookie from the server. */
function visitor({ url } = server): { client: Client; cookie: () => string; setCookie: () => string } {
  let header = '';
  let cookie = '';
  const client = createClient({
    baseUrl: url,
    headers: () => ({ cookie, origin: url, 'user-agent': 'a browser' }),
    onResponse: (_, response) => {
      header = response.headers.getSetCookie()[0] ?? header;
      cookie = header.split(';')[0] ?? '';
    },
  });
  return { client, cookie: () => cookie, setCookie: () => header };
}

const hasCode = (code: string, path?: string) => (error: unknown) => {
  assert.ok(error instanceof ApiError, String(error));
  assert.equal(error.code, code);
  if (path !== undefined) assert.equal(error.fields[0]?.path, path);
  return true;
};

test('[R7.52, R8.13] until an administrator exists everything except the setup answers 423', async (t) => {
  const locked = await lockedServer(t);
  const { client } = visitor(locked);
  for (const call of [client.listStreams(), client.getHealth(), client.getProfile()]) {
    await assert.rejects(call, (error: unknown) => error instanceof ApiError && error.status === 423);
  }
  const body = { name: 'a', password: 'b' };
  await assert.rejects(
    client.signIn({ body }),
    (error: unknown) => error instanceof ApiError && error.status === 423,
  );
  assert.equal((await fetch(`${locked.url}/v1/nothing`)).status, 423);
  assert.equal((await client.getSettings()).isLocked, true);
});

test('[R7.32, R8.13] the first administrator can be created only with the printed code', async (t) => {
  const locked = await lockedServer(t);
  const { client, setCookie } = visitor(locked);
  const { email, ...person } = administrator;
  const body = { ...person, email, language: 'ru' } as const;
  await assert.rejects(client.unlock({ body }), hasCode('LifetimeCodeRequired'));
  await assert.rejects(
    client.unlock({ body: { ...body, code: 'AAAA-AAAA' } }),
    hasCode('UnknownLifetimeCode', 'code'),
  );
  const weak = { ...body, code: locked.setupCode, password: 'password1' };
  await assert.rejects(client.unlock({ body: weak }), hasCode('PasswordIsNotComplexEnough', 'password'));
  const { user } = await client.unlock({ body: { ...body, code: locked.setupCode.toLowerCase() } });
  assert.deepEqual(
    [user.name, user.isAdmin, user.language, user.permissionType],
    ['admin', true, 'ru', 'admin'],
  );
  assert.match(setCookie(), /^vidette_session=[\w-]{43}; .*HttpOnly; SameSite=Lax$/);
  assert.equal((await client.getProfile()).name, 'admin');
  assert.equal((await client.getSettings()).isLocked, false);
  await assert.rejects(
    visitor(locked).client.unlock({ body: { ...body, code: locked.setupCode } }),
    hasCode('ActionNotAcceptable'),
  );
});

test('[R7.19] signing in and out, regardless of the login’s case', async () => {
  const { client, cookie } = visitor();
  const { name, password } = administrator;
  await assert.rejects(
    client.signIn({ body: { name, password: 'wrong one' } }),
    hasCode('AuthorizationFailed'),
  );
  await assert.rejects(
    client.signIn({ body: { name: 'unknown', password } }),
    hasCode('AuthorizationFailed'),
  );
  const signedIn = await client.signIn({ body: { name: name.toUpperCase(), password } });
  assert.equal(signedIn.mustChangePassword, false);
  const old = cookie();
  await client.signOut();
  await assert.rejects(client.getProfile(), hasCode('AuthorizationRequired'));
  const response = await fetch(`${server.url}/v1/profile`, { headers: { cookie: old } });
  assert.equal(response.status, 401);
});

test('[R1.4, R8.1] errors are in the reader’s language', async () => {
  const ask = async (headers: Record<string, string>) => {
    const response = await fetch(`${server.url}/v1/profile`, { headers });
    return ((await response.json()) as { error: string }).error;
  };
  assert.equal(await ask({ 'accept-language': 'ru' }), 'Вы не авторизованы.');
  assert.equal(await ask({ 'accept-language': 'en' }), 'You are not authorized.');
  const { name, password } = administrator;
  const { client, cookie: cookieOf } = visitor();
  await client.signIn({ body: { name, password } });
  const cookie = cookieOf();
  await client.saveProfile({ body: { language: 'ru' } });
  const response = await fetch(`${server.url}/v1/stream/nosuch`, {
    headers: { cookie, 'accept-language': 'en' },
  });
  assert.equal(((await response.json()) as { error: string }).error, 'Не найдено.');
  await client.saveProfile({ body: { language: 'en' } });
});

test('[R7.22, R5.1] the profile: members that may be changed, and errors at their fields', async () => {
  const { client } = visitor();
  const { name, password } = administrator;
  await client.signIn({ body: { name, password } });
  const saved = await client.saveProfile({
    body: { fullName: 'Ада', language: 'en', email: 'ada@example.org' },
  });
  assert.deepEqual([saved.fullName, saved.language, saved.email], ['Ада', 'en', 'ada@example.org']);
  await assert.rejects(client.saveProfile({ body: { email: 'no' } }), hasCode('ValidationError', 'email'));
  const next = 'a far better one';
  for (const [body, code, path] of [
    [{ password: next }, 'InvalidOldPassword', 'oldPassword'],
    [{ password: next, oldPassword: 'wrong' }, 'InvalidOldPassword', 'oldPassword'],
    [{ password, oldPassword: password }, 'OldPasswordAndNewPasswordCannotBeSame', 'password'],
    [{ password: 'qwertyui', oldPassword: password }, 'PasswordIsNotComplexEnough', 'password'],
    [{ password: 'ADA@example.org', oldPassword: password }, 'PasswordIsNotComplexEnough', 'password'],
  ] as const) {
    await assert.rejects(client.saveProfile({ body }), hasCode(code, path));
  }
});

test('[R2.19, R7.22] a user’s settings are stored with the account, and only the given ones change', async () => {
  const { name, password } = administrator;
  const [here, elsewhere] = [visitor(), visitor()];
  await here.client.signIn({ body: { name, password } });
  const { preferences } = await here.client.getProfile();
  assert.deepEqual(preferences, { theme: 'auto', timeZone: 'viewer', playerSound: false, archiveSpeed: 1 });
  await here.client.saveProfile({ body: { preferences: { theme: 'light', archiveSpeed: 4 } } });
  await here.client.saveProfile({ body: { preferences: { timeZone: 'Europe/Berlin' } } });
  const { user } = await elsewhere.client.signIn({ body: { name, password } });
  const expected = { theme: 'light', timeZone: 'Europe/Berlin', playerSound: false, archiveSpeed: 4 };
  assert.deepEqual(user.preferences, expected);
  const wrong = { timeZone: 'Mars/Olympus' };
  const refused = elsewhere.client.saveProfile({ body: { preferences: wrong } });
  await assert.rejects(refused, hasCode('ValidationError', 'preferences.timeZone'));
  const speed = { archiveSpeed: 3 } as unknown as { archiveSpeed: 4 };
  const refusedSpeed = elsewhere.client.saveProfile({ body: { preferences: speed } });
  await assert.rejects(refusedSpeed, hasCode('ValidationError', 'preferences.archiveSpeed'));
  const unknown = { colour: 'red' } as unknown as { theme: 'dark' };
  const refusedMember = elsewhere.client.saveProfile({ body: { preferences: unknown } });
  await assert.rejects(refusedMember, hasCode('ValidationError', 'preferences.colour'));
  const users = await elsewhere.client.listUsers();
  assert.ok(
    users.items.every((one) => !('preferences' in one)),
    'a user’s settings are shown to that user only',
  );
});

test('[R5.2] a password change keeps this browser signed in and ends the user’s other sessions', async () => {
  const here = visitor();
  const elsewhere = visitor();
  const { name, password } = administrator;
  const next = 'the next password';
  await here.client.signIn({ body: { name, password } });
  await elsewhere.client.signIn({ body: { name, password } });
  await here.client.saveProfile({ body: { password: next, oldPassword: password } });
  assert.equal((await here.client.getProfile()).name, name);
  await assert.rejects(elsewhere.client.getProfile(), hasCode('AuthorizationRequired'));
  await assert.rejects(elsewhere.client.signIn({ body: { name, password } }), hasCode('AuthorizationFailed'));
  await here.client.saveProfile({ body: { password, oldPassword: next } });
});

/** Requests the profile with a token or a cookie. */
async function statusBy(headers: Record<string, string>): Promise<number> {
  return (await fetch(`${server.url}/v1/profile`, { headers })).status;
}

test('[R5.2, R7.23] a password change revokes tokens, unless they are kept, and gives this session a new secret', async () => {
  const { name, password } = administrator;
  const { client, cookie } = visitor();
  await client.signIn({ body: { name, password } });
  const token = async () => `Bearer ${(await client.addToken({ body: { name: 'script' } })).secret}`;
  const [first, kept] = [await token(), await token()];
  const old = cookie();
  const next = 'the next password';
  await client.saveProfile({ body: { password: next, oldPassword: password, keepTokens: true } });
  assert.notEqual(cookie(), old);
  assert.deepEqual(
    [
      await statusBy({ cookie: old }),
      await statusBy({ cookie: cookie() }),
      await statusBy({ authorization: first }),
    ],
    [401, 200, 200],
  );
  await client.saveProfile({ body: { password, oldPassword: next } });
  assert.deepEqual(
    [await statusBy({ authorization: first }), await statusBy({ authorization: kept })],
    [401, 401],
  );
});

test('[R7.24] ending all sessions revokes tokens and renews this session, or ends it too on request', async () => {
  const { name, password } = administrator;
  const { client, cookie } = visitor();
  await client.signIn({ body: { name, password } });
  const { secret } = await client.addToken({ body: { name: 'script' } });
  const authorization = `Bearer ${secret}`;
  const old = cookie();
  await client.terminateSessions({ body: { keepTokens: true } });
  assert.deepEqual(
    [
      await statusBy({ cookie: old }),
      await statusBy({ cookie: cookie() }),
      await statusBy({ authorization }),
    ],
    [401, 200, 200],
  );
  await client.terminateSessions();
  assert.equal(await statusBy({ authorization }), 401);
  const last = cookie();
  await client.terminateSessions({ body: { includeCurrent: true } });
  assert.equal(await statusBy({ cookie: last }), 401);
});

test('[R7.22, R7.23] a leaked token does not give control of the account, nor does a cookie without the password', async () => {
  const { name, password } = administrator;
  const owner = visitor();
  await owner.client.signIn({ body: { name, password } });
  await owner.client.addUser({ body: { name: 'victim2', password: 'three loud magpies 8' } });
  const { secret, id } = await owner.client.addToken({
    body: { name: 'leaked', expireTime: Date.now() + 60_000 },
  });
  const thief = createClient({ baseUrl: server.url, headers: () => ({ authorization: `Bearer ${secret}` }) });
  const other = await owner.client.addToken({ body: { name: 'other' } });
  for (const call of [
    () => thief.addToken({ body: { name: 'endless' } }),
    () => thief.deleteToken({ params: { id: other.id } }),
    () => thief.terminateSessions(),
    () => thief.confirmPassword({ body: { password } }),
    () => thief.saveProfile({ body: { email: 'thief@example.org' } }),
    () => thief.saveProfile({ body: { name: 'thief' } }),
    () => thief.saveUser({ params: { login: name }, body: { email: 'thief@example.org' } }),
    () => thief.saveUser({ params: { login: 'victim2' }, body: { password: 'four loud magpies 8' } }),
    () => thief.saveUser({ params: { login: 'victim2' }, body: { isAdmin: true } }),
    () => thief.addUser({ body: { name: 'accomplice', password: 'four loud magpies 8', isAdmin: true } }),
    () => thief.saveConfiguration({ body: { values: { 'smtp.host': 'mail.example.org' } } }),
  ]) {
    await assert.rejects(call, hasCode('Forbidden'));
  }
  await assert.rejects(
    thief.saveProfile({ body: { password: 'a better one 77', oldPassword: 'a guess' } }),
    hasCode('InvalidOldPassword', 'oldPassword'),
  );
  assert.equal((await owner.client.getProfile()).name, name);
  await thief.deleteToken({ params: { id } });
  await assert.rejects(thief.getProfile(), hasCode('AuthorizationRequired'));

  // The password was entered long ago: the holder of the cookie may not know it.
  await inStore(server, 'UPDATE session_proofs SET proved_ms = proved_ms - 3600000');
  await owner.client.saveProfile({ body: { fullName: 'Ada' } });
  const email = 'ada.new@example.org';
  for (const call of [
    () => owner.client.saveProfile({ body: { email } }),
    () => owner.client.addToken({ body: { name: 'x' } }),
    () => owner.client.saveUser({ params: { login: 'victim2' }, body: { name: 'victim3' } }),
  ]) {
    await assert.rejects(call, hasCode('PasswordRequired'));
  }
  await assert.rejects(
    owner.client.saveProfile({ body: { email, oldPassword: 'no' } }),
    hasCode('InvalidOldPassword', 'oldPassword'),
  );
  await assert.rejects(
    owner.client.confirmPassword({ body: { password: 'no' } }),
    hasCode('InvalidOldPassword', 'password'),
  );
  await owner.client.confirmPassword({ body: { password } });
  assert.equal((await owner.client.saveProfile({ body: { email } })).email, email);
  await owner.client.deleteUser({ params: { login: 'victim2' } });
});

test('[R7.24, R3.4] sessions are listed newest first and ended one by one or all', async () => {
  const { name, password } = administrator;
  const [first, second, third] = [visitor(), visitor(), visitor()];
  for (const { client } of [first, second, third]) await client.signIn({ body: { name, password } });
  const { items } = await third.client.listSessions();
  assert.equal(items.filter((session) => session.isCurrent).length, 1);
  assert.ok(items.every((session) => session.ip === '127.0.0.1' && session.userAgent !== ''));
  const times = items.map((session) => session.lastSeenTime);
  assert.deepEqual(
    times,
    times.toSorted((a, b) => b - a),
  );
  const firstId = (await first.client.listSessions()).items.find((session) => session.isCurrent)?.id ?? '';
  await third.client.deleteSession({ params: { id: firstId } });
  await assert.rejects(first.client.getProfile(), hasCode('AuthorizationRequired'));
  await assert.rejects(third.client.deleteSession({ params: { id: firstId } }), hasCode('NotFound'));
  await third.client.terminateSessions();
  await assert.rejects(second.client.getProfile(), hasCode('AuthorizationRequired'));
  assert.equal((await third.client.listSessions()).total, 1);
});

test('[R7.23, R3.3] a token is authenticated by its secret, which is shown once', async () => {
  const { client } = visitor();
  await client.signIn({ body: { name: administrator.name, password: administrator.password } });
  const token = await client.addToken({ body: { name: 'script' } });
  const { items } = await client.listTokens();
  assert.ok(items.every((item) => !('secret' in item)));
  const ask = (secret: string) =>
    fetch(`${server.url}/v1/profile`, { headers: { authorization: `Bearer ${secret}` } });
  assert.equal((await ask(token.secret)).status, 200);
  assert.equal((await ask(token.secret.slice(1))).status, 401);
  await assert.rejects(
    client.addToken({ body: { name: 'x', expireTime: 1 } }),
    hasCode('ValidationError', 'expireTime'),
  );
  await client.deleteToken({ params: { id: token.id } });
  assert.equal((await ask(token.secret)).status, 401);
});

test('[R7.25, R7.26, R4.4] users are added, changed, blocked and deleted', async () => {
  const { client } = visitor();
  await client.signIn({ body: { name: administrator.name, password: administrator.password } });
  const password = 'ведро и труба';
  const bob = await client.addUser({
    body: { name: 'Bob', password, email: 'bob@example.org', maxStreamCreation: 3 },
  });
  assert.deepEqual([bob.name, bob.isAdmin, bob.maxStreamCreation], ['Bob', false, 3]);
  await assert.rejects(client.addUser({ body: { name: 'bOB', password } }), hasCode('AlreadyUsed', 'name'));
  await assert.rejects(
    client.addUser({ body: { name: 'b2', password, email: 'BOB@example.org' } }),
    hasCode('AlreadyUsed', 'email'),
  );
  const his = visitor();
  await his.client.signIn({ body: { name: 'bob', password } });
  await client.blockUser({ params: { login: 'Bob' } });
  await assert.rejects(his.client.getProfile(), hasCode('AuthorizationRequired'));
  await assert.rejects(
    his.client.signIn({ body: { name: 'bob', password } }),
    hasCode('AuthorizationFailed'),
  );
  await client.unblockUser({ params: { login: 'Bob' } });
  await his.client.signIn({ body: { name: 'bob', password } });
  const [session] = (await client.listUserSessions({ params: { login: 'Bob' } })).items;
  await client.deleteUserSession({ params: { login: 'Bob', id: session?.id ?? '' } });
  const changed = await client.saveUser({
    params: { login: 'Bob' },
    body: { name: 'Robert', permissionType: 'admin' },
  });
  assert.deepEqual([changed.name, changed.isAdmin], ['Robert', true]);
  for (const body of [
    { permissionType: 'user', isAdmin: true },
    { permissionType: 'admin', isAdmin: false },
  ] as const) {
    await assert.rejects(
      client.saveUser({ params: { login: 'Robert' }, body }),
      hasCode('ValidationError', 'permissionType'),
    );
    await assert.rejects(
      client.addUser({ body: { name: 'both', password, ...body } }),
      hasCode('ValidationError', 'permissionType'),
    );
  }
  assert.equal((await client.listUsers({ query: { searchingValues: ['ROB'] } })).total, 1);
  await client.deleteUser({ params: { login: 'robert' } });
  await assert.rejects(client.getUser({ params: { login: 'Robert' } }), hasCode('NotFound'));
  for (const call of [
    () => client.blockUser({ params: { login: administrator.name } }),
    () => client.deleteUser({ params: { login: administrator.name } }),
    () => client.saveUser({ params: { login: administrator.name }, body: { isAdmin: false } }),
  ]) {
    await assert.rejects(call, hasCode('ActionNotAcceptable'));
  }
});

test('[R7.47] the audit log records who did what, without passwords', async () => {
  const { client } = visitor();
  const { name } = administrator;
  await assert.rejects(
    client.signIn({ body: { name, password: 'no better one' } }),
    hasCode('AuthorizationFailed'),
  );
  await client.signIn({ body: { name, password: administrator.password } });
  const params = { login: 'logged' };
  await client.addUser({ body: { name: params.login, password: 'ведро и лодка' } });
  await client.blockUser({ params });
  await client.deleteUser({ params });
  const { items } = await client.listAuditLogs({ query: { pageSize: 500 } });
  const has = (action: string, outcome: string) =>
    items.some((entry) => entry.action === action && entry.outcome === outcome && entry.ip === '127.0.0.1');
  assert.ok(has('unlock', 'ok') && has('unlock', 'UnknownLifetimeCode'));
  assert.ok(has('signIn', 'AuthorizationFailed') && has('addUser', 'ok') && has('blockUser', 'ok'));
  assert.doesNotMatch(JSON.stringify(items), /correct horse|ведро|better one/);
  const [newest, ...rest] = items;
  const older = await client.listAuditLogs({ query: { before: newest?.id, pageSize: 1 } });
  assert.deepEqual(older.items, rest.slice(0, 1));
  const filtered = await client.listAuditLogs({ query: { action: 'blockUser' } });
  assert.ok(filtered.items.length > 0 && filtered.items.every((entry) => entry.action === 'blockUser'));
});

test('[R8.12] guessing is slowed down, with Retry-After', async () => {
  const { client } = visitor();
  const guess = () => client.signIn({ body: { name: 'victim', password: 'guess' } });
  for (let attempt = 0; attempt < 10; attempt++)
    await assert.rejects(guess(), hasCode('AuthorizationFailed'));
  await assert.rejects(guess(), (error: unknown) => {
    assert.ok(error instanceof ApiError);
    assert.equal(error.code, 'TooManyRequests');
    assert.equal(error.status, 429);
    assert.ok((error.retryAfterSeconds ?? 0) > 0);
    return true;
  });
});

test('[R8.12, R7.19] a known browser can sign in while others guess', async () => {
  const { name, password } = administrator;
  const post = async (body: object, cookie = '') =>
    fetch(`${server.url}/v1/sign-in`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie },
      body: JSON.stringify(body),
    });
  const first = await post({ name, password });
  const device = first.headers.getSetCookie().find((line) => line.startsWith('vidette_device_')) ?? '';
  assert.match(device, /Path=\/v1\/sign-in; HttpOnly; SameSite=Lax/);
  const guesses = [];
  for (let turn = 0; turn < 11; turn++) guesses.push((await post({ name, password: 'a guess' })).status);
  assert.ok(guesses.includes(429));
  assert.equal((await post({ name, password })).status, 429);
  const known = device.split(';')[0];
  assert.equal((await post({ name: name.toUpperCase(), password }, known)).status, 200);
  // Each failure lengthens the pause, so that eventually the next attempt is within it even on a slow machine.
  let status = 0;
  for (let turn = 0; turn < 20 && status !== 429; turn++) {
    await post({ name: 'another', password: 'a guess' });
    ({ status } = await post({ name: 'another', password: 'a guess' }, known));
  }
  assert.equal(status, 429, 'of another person');
});

test('[R7.19, R7.25] logins and e-mails share one namespace, and a name assigned twice earlier still signs in both users', async () => {
  const cookie = await signInAfterPause();
  const client = createClient({ baseUrl: server.url, headers: () => ({ cookie, origin: server.url }) });
  const password = 'five yellow canoes';
  await client.addUser({ body: { name: 'olga', password, email: 'olga@example.org' } });
  await client.addUser({ body: { name: 'pavel', password } });
  for (const [body, path] of [
    [{ name: 'OLGA@example.org' }, 'name'],
    [{ email: 'Olga@Example.org' }, 'email'],
  ] as const) {
    await assert.rejects(client.saveUser({ params: { login: 'pavel' }, body }), hasCode('AlreadyUsed', path));
  }
  await assert.rejects(
    client.addUser({ body: { name: 'olga@example.org', password } }),
    hasCode('AlreadyUsed', 'name'),
  );
  await client.addUser({ body: { name: 'q@example.org', password } });
  await assert.rejects(
    client.saveUser({ params: { login: 'pavel' }, body: { email: 'q@example.org' } }),
    hasCode('AlreadyUsed', 'email'),
  );
  // A user's e-mail may be their login.
  await client.saveUser({ params: { login: 'pavel' }, body: { email: 'p@example.org' } });
  await client.saveUser({ params: { login: 'pavel' }, body: { name: 'p@example.org' } });
  // As an earlier version could store it: another user's login is olga's e-mail.
  await inStore(
    server,
    `UPDATE users SET login = 'olga@example.org', login_key = 'olga@example.org' WHERE login = 'q@example.org'`,
  );
  await client.saveUser({ params: { login: 'olga' }, body: { password: 'six yellow canoes' } });
  const nameOf = async (secret: string) =>
    (await visitor().client.signIn({ body: { name: 'olga@example.org', password: secret } })).user.name;
  assert.deepEqual([await nameOf(password), await nameOf('six yellow canoes')], ['olga@example.org', 'olga']);
});

/** The administrator's cookie, once the pause after the guesses is over. */
async function signInAfterPause(): Promise<string> {
  const { name, password } = administrator;
  return until(
    () => signIn(server, name, password).catch(() => ''),
    (cookie) => cookie !== '',
  );
}
