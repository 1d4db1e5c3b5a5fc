import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import type { Client } from '@vidette/contract/client';
import { administratorOf } from '../api.ts';
import { startServer, type TestServer } from '../server.ts';

let server: TestServer;
let admin: Client;
let cookie: string;
let uid: string;

before(async () => {
  server = await startServer();
  ({ client: admin, cookie } = await administratorOf(server));
  ({ uid } = await admin.addStream(idle('Gate')));
});

after(() => server?.stop());

function idle(name: string, streamSource = 'udp://:9') {
  return { body: { name, streamSource, live: { onDemand: true }, archive: { isEnable: false } } };
}

interface Answer {
  status: number;
  code: string | undefined;
  path: string | undefined;
}

async function send(method: string, path: string, body?: string, headers = {}): Promise<Answer> {
  const response = await fetch(server.url + path, {
    method,
    headers: { cookie, ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body }),
  });
  const text = await response.text();
  const answer = text.startsWith('{')
    ? (JSON.parse(text) as { code?: string; fields?: { path: string }[] })
    : {};
  return { status: response.status, code: answer.code, path: answer.fields?.[0]?.path };
}

/** Every call with a body, each at an address that exists. */
const bodies = (): [string, string][] => [
  ['POST', '/v1/stream'],
  ['PUT', `/v1/stream/${uid}`],
  ['POST', '/v1/stream/pause'],
  ['POST', `/v1/stream/${uid}/permissions`],
  ['POST', '/v1/annotations'],
  ['POST', '/v1/bookmark'],
  ['POST', '/v1/mosaic'],
  ['POST', '/v1/user'],
  ['PATCH', '/v1/user/admin'],
  ['POST', '/v1/user/admin/permissions'],
  ['PATCH', '/v1/profile'],
  ['POST', '/v1/tokens'],
  ['PUT', '/v1/system/license'],
  ['POST', '/v1/sign-in'],
  ['POST', '/v1/password/send-reset'],
  ['POST', '/v1/password/reset'],
];

test('[R5.5] JSON that is truncated, of two megabytes, of another shape or with unknown members: every call with a body', async () => {
  for (const [method, path] of bodies()) {
    const codeOf = async (body: string, headers = {}) => (await send(method, path, body, headers)).code;
    assert.equal(await codeOf('{"name":"x"'), 'RequestDecodeError', path);
    assert.equal(await codeOf('{"a":1}', { 'content-type': 'text/plain' }), 'RequestDecodeError', path);
    assert.equal(await codeOf(`{"name":"${'x'.repeat(2 * 1024 * 1024)}"}`), 'BadRequest', path);
    for (const body of ['[]', '7', '"x"', 'null', '{"unknown member":1}']) {
      assert.equal(await codeOf(body), 'ValidationError', `${path} ${body}`);
    }
  }
});

test('[R5.5] logins that look like another’s, change text direction, contain NUL or traverse paths', async () => {
  const password = 'three yellow boats';
  for (const name of [
    'аdmin',
    'admin\u200b',
    '\u202enimda',
    'admin\0',
    'ad min',
    'ａdmin',
    '../admin',
    '/etc/passwd',
    '',
  ]) {
    const answer = await send('POST', '/v1/user', JSON.stringify({ name, password }));
    assert.deepEqual([answer.code, answer.path], ['ValidationError', 'name'], JSON.stringify(name));
    if (name === '') continue;
    const at = await send('GET', `/v1/user/${encodeURIComponent(name)}`);
    assert.ok(['ValidationError', 'NotFound', 'BadRequest'].includes(at.code ?? ''), JSON.stringify(name));
  }
  for (const name of ['ADMIN', 'Admin']) {
    const answer = await send('POST', '/v1/user', JSON.stringify({ name, password }));
    assert.deepEqual([answer.status, answer.code, answer.path], [409, 'AlreadyUsed', 'name']);
  }
  // The administrator's password does not sign in as another user, nor vice versa.
  await admin.addUser({ body: { name: 'administrator', password } });
  assert.equal(
    (await send('POST', '/v1/sign-in', JSON.stringify({ name: 'admin', password }))).code,
    'AuthorizationFailed',
  );
});

test('[R5.5] names of streams, locations, tags and mosaics: no invisible characters, otherwise any text', async () => {
  for (const text of [
    'a\0b',
    '\u202eevil',
    'left\u200fright',
    'a\u200bb',
    '\ufeff',
    '\u2066x',
    '\ud800',
    ' ',
    '\n',
  ]) {
    const shown = JSON.stringify(text);
    const { body } = idle(text);
    assert.equal((await send('POST', '/v1/stream', JSON.stringify(body))).path, 'name', shown);
    const member = async (part: object) =>
      (await send('PUT', `/v1/stream/${uid}`, JSON.stringify(part))).path;
    assert.equal(await member({ tags: [text] }), 'tags.0', shown);
    // A location may be empty.
    if (text.trim() !== '') assert.equal(await member({ location: { name: text } }), 'location.name', shown);
    const layout = { columns: 1, rows: 1, cells: [] };
    assert.equal(
      (await send('POST', '/v1/mosaic', JSON.stringify({ name: text, layout }))).path,
      'name',
      shown,
    );
  }
  for (const name of [
    '../../etc/passwd',
    '/etc/passwd',
    '<script>alert(1)</script>',
    "'; drop table streams; --",
    'Ворота 🎥 №1',
    '__proto__',
  ]) {
    const { uid: made } = await admin.addStream(idle(name));
    assert.equal((await admin.getStream({ params: { uid: made } })).name, name);
    assert.ok(
      (await admin.listStreams({ query: { searchingValues: [name] } })).items.some(
        (item) => item.uid === made,
      ),
    );
    await admin.deleteStream({ params: { uid: made }, query: { purge: true } });
  }
  const { total } = await admin.listStreams({ query: { searchingValues: ['%'] } });
  assert.equal(total, 0, 'signs that mean something to a database mean themselves');
});

test('[R3.1, R10.1] an address may contain a login, even an unusual one; other schemes and this machine’s files are refused', async () => {
  const { uid: made } = await admin.addStream(idle('Login', 'rtsp://us%3Aer:p@ss:w%2Ford@127.0.0.1:1/a?b=c'));
  const { streamSource } = await admin.getStream({ params: { uid: made } });
  assert.equal(streamSource, 'rtsp://us%3Aer:p%40ss%3Aw%2Ford@127.0.0.1:1/a?b=c');
  await admin.saveStream({ params: { uid: made }, body: { streamSource } });
  assert.equal((await admin.getStream({ params: { uid: made } })).streamSource, streamSource);
  for (const source of [
    'file:///etc/passwd',
    'gopher://127.0.0.1/',
    'concat:/etc/passwd|/etc/hosts',
    'data:text/plain,x',
    'pipe:0',
    'subfile,,start,0,end,9,,:/etc/passwd',
    'rtsp+file://x',
    'RTSP:/etc/passwd',
    'http://',
    '//127.0.0.1/x',
    'rtsp://h/\0',
    'rtsp://h/a\r\nX: y',
    'rtsp://h:0/',
    'rtsp://h:65536/',
    'demo:../x',
  ]) {
    for (const [method, path] of [
      ['POST', '/v1/stream'],
      ['PUT', `/v1/stream/${made}`],
    ] as const) {
      const body = method === 'POST' ? idle('x', source).body : { streamSource: source };
      const answer = await send(method, path, JSON.stringify(body));
      assert.deepEqual(
        [answer.status, answer.code, answer.path],
        [400, 'STREAM_SOURCE_ERR', 'streamSource'],
        source,
      );
      const sub = await send('PUT', `/v1/stream/${made}`, JSON.stringify({ subStreamSource: source }));
      assert.deepEqual([sub.code, sub.path], ['STREAM_SOURCE_ERR', 'subStreamSource'], source);
    }
    const probed = await send('GET', `/v1/stream/preview?url=${encodeURIComponent(source)}`);
    assert.equal(probed.code, 'STREAM_SOURCE_ERR', source);
  }
});

test('pages of every list: -1, 0, 10^9, fractions and words are refused, pages beyond the end are empty', async () => {
  for (const list of ['/v1/streams', '/v1/users', '/v1/mosaics', '/v1/bookmarks']) {
    for (const page of ['-1', '0', '1000000000', '1.5', 'one', '1e3', 'NaN', '']) {
      const answer = await send('GET', `${list}?page=${page}`);
      assert.deepEqual([answer.code, answer.path], ['ValidationError', 'page'], `${list} ${page}`);
      assert.equal((await send('GET', `${list}?pageSize=${page}`)).path, 'pageSize', `${list} ${page}`);
    }
    assert.equal((await send('GET', `${list}?page=1000000`)).status, 200);
    assert.equal((await send('GET', `${list}?page=1&page=2`)).code, 'ValidationError');
    for (const key of ['unknown', '__proto__', 'constructor', 'page[]']) {
      assert.equal((await send('GET', `${list}?${key}=1`)).code, 'ValidationError', key);
    }
  }
});

test('[R9.3] spans of every call that takes one: reversed, negative, after the year 9999', async () => {
  const after9999 = 253_402_300_800_000;
  for (const [path, from, to] of [
    [`/v1/stream/${uid}/archive/ranges`, 'start_time', 'end_time'],
    [`/v1/stream/${uid}/archive/available-days`, 'start_time', 'end_time'],
    [`/v1/stream/${uid}/archive/download`, 'start_time', 'end_time'],
    [`/v1/stream/${uid}/archive/index.m3u8`, 'start_time', 'end_time'],
    ['/v1/annotations', 'from', 'to'],
  ] as const) {
    const ask = async (start: number, end: number) => {
      const stream = path === '/v1/annotations' ? `&streamId=${uid}` : '';
      const { code, path: field } = await send('GET', `${path}?${from}=${start}&${to}=${end}${stream}`);
      return [code, field];
    };
    assert.deepEqual(await ask(2, 1), ['ValidationError', to], path);
    assert.deepEqual(await ask(-5, 1), ['ValidationError', from], path);
    assert.deepEqual(await ask(1, after9999), ['ValidationError', to], path);
    assert.deepEqual(await ask(0.5, 1), ['ValidationError', from], path);
    const last = after9999 - 1;
    assert.ok(['NotFound', undefined].includes((await ask(last, last))[0]), path);
  }
  const zone = await send(
    'GET',
    `/v1/stream/${uid}/archive/available-days?start_time=0&end_time=1&timezone_offset=841`,
  );
  assert.equal(zone.path, 'timezone_offset');
});

test('[R7.3, R4.3] the same request sent twice, and concurrently, takes effect once or is refused with a reason', async () => {
  const name = 'twice';
  const add = () => send('POST', '/v1/user', JSON.stringify({ name, password: 'three yellow boats' }));
  const added = await Promise.all([add(), add(), add()]);
  assert.deepEqual(added.map((answer) => answer.code ?? 'ok').sort(), ['AlreadyUsed', 'AlreadyUsed', 'ok']);
  const remove = () => send('DELETE', '/v1/user/twice');
  const removed = await Promise.all([remove(), remove(), remove()]);
  assert.ok(removed.some(({ status }) => status === 200));
  assert.ok(removed.every(({ code }) => [undefined, 'NotFound', 'ActionNotAcceptable'].includes(code)));
  const { uid: made } = await admin.addStream(idle('Twice'));
  const saves = await Promise.all(
    ['one', 'two', 'three'].map((text) =>
      send('PUT', `/v1/stream/${made}`, JSON.stringify({ name: text, revision: 1 })),
    ),
  );
  assert.deepEqual(saves.map((answer) => answer.code ?? 'ok').sort(), [
    'ActionNotAcceptable',
    'ActionNotAcceptable',
    'ok',
  ]);
  const states = await Promise.all(
    ['pause', 'resume', 'pause', 'pause'].map((verb) =>
      send('POST', `/v1/stream/${verb}`, JSON.stringify({ uid: made })),
    ),
  );
  assert.ok(states.every(({ status }) => status === 200));
  // Any of them may have been processed last.
  await admin.pauseStream({ body: { uid: made } });
  assert.equal((await admin.getStream({ params: { uid: made } })).status, 'paused');
  const drop = () => send('DELETE', `/v1/stream/${made}?purge=true`);
  const dropped = await Promise.all([drop(), drop()]);
  assert.ok(dropped.some(({ status }) => status === 200));
  assert.ok(dropped.every(({ code }) => [undefined, 'NotFound'].includes(code)));
  const bookmark = await admin.addBookmark({ body: { stream: uid, startTime: 1 } });
  const unmark = () => send('DELETE', `/v1/bookmark/${bookmark.id}`);
  const unmarked = await Promise.all([unmark(), unmark()]);
  assert.ok(unmarked.every(({ code }) => [undefined, 'NotFound'].includes(code)));
});

test('unknown addresses are NotFound, and the allowed methods of an address are listed', async () => {
  for (const [method, path, allow] of [
    ['DELETE', '/v1/streams', 'GET'],
    ['HEAD', '/v1/streams', 'GET'],
    ['OPTIONS', '/v1/streams', 'GET'],
    ['PUT', '/v1/profile', 'GET, PATCH'],
    ['PATCH', `/v1/stream/${uid}`, 'DELETE, GET, PUT'],
    ['GET', '/v1/stream/pause', 'POST'],
    ['GET', '/v1/sign-in', 'POST'],
    ['PUT', '/v1/user/admin?x=1', 'DELETE, GET, PATCH'],
    ['POST', '/ui/', 'GET, HEAD'],
    ['PUT', '/ui/assets/x.js', 'GET, HEAD'],
    ['DELETE', '/', 'GET, HEAD'],
    ['POST', '/metrics', 'GET'],
    ['PROPFIND', '/v1/mosaics', 'GET'],
  ] as const) {
    // Whatever the body: it is not read.
    const body =
      method === 'HEAD' || method === 'GET'
        ? {}
        : { body: '<nothing>', headers: { 'content-type': 'text/xml' } };
    const response = await fetch(server.url + path, { method, ...body });
    assert.deepEqual([response.status, response.headers.get('allow')], [405, allow], `${method} ${path}`);
    if (method === 'HEAD') continue;
    const { code, error } = (await response.json()) as { code: string; error: string };
    assert.deepEqual([code, error.length > 0], ['MethodNotAllowed', true]);
  }
  for (const [method, path] of [
    ['GET', '/v1/STREAMS'],
    ['POST', '/v1/nothing'],
    ['GET', '/v1/streams/'],
    ['GET', '/v2/streams'],
    ['GET', '/v1'],
  ] as const) {
    assert.equal((await send(method, path)).code, 'NotFound', `${method} ${path}`);
  }
});

test('[R5.5] a client that reads only after it has sent 12 MB gets the refusal', async () => {
  const { hostname, port } = new URL(server.url);
  const socket = connect(Number(port), hostname);
  const bytes = 12 * 1024 * 1024;
  const head = `POST /v1/profile/confirm HTTP/1.1\r\nhost: ${hostname}\r\ncookie: ${cookie}\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n`;
  await new Promise<void>((resolve, reject) => {
    socket.once('error', reject);
    socket.write(head);
    socket.write(Buffer.alloc(bytes, 'x'), () => resolve());
  });
  let text = '';
  for await (const chunk of socket.setEncoding('utf8')) text += chunk;
  assert.match(text, /^HTTP\/1\.1 400 .*"code":"BadRequest"/s);
});
