import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import type { Client } from '@vidette/contract/client';
import { administratorOf } from '../api.ts';
import { startServer, type TestServer } from '../server.ts';

let server: TestServer;
let client: Client;
let cookie: string;
let uid: string;

before(async () => {
  server = await startServer();
  ({ client, cookie } = await administratorOf(server));
  ({ uid } = await client.addStream({ body: { name: 'Gate', streamSource: 'rtsp://10.255.255.1/gate' } }));
  await client.pauseStream({ body: { uid } });
});

after(() => server?.stop());

interface Answer {
  status: number;
  body: { code?: string; error?: string; fields?: { path: string; code: string; error: string }[] };
}

async function send(method: string, path: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(server.url + path, {
    ...init,
    method,
    headers: { cookie, ...(init.headers as object) },
  });
  return { status: response.status, body: JSON.parse((await response.text()) || '{}') as Answer['body'] };
}

const json = { 'content-type': 'application/json' };
const post = (path: string, body: unknown) =>
  send('POST', path, { headers: json, body: JSON.stringify(body) });

test('[R5.5] invalid JSON is RequestDecodeError', async () => {
  for (const [type, body] of [
    ['application/json', '{"name": "x'],
    ['application/json', 'name=x'],
    ['application/x-www-form-urlencoded', 'name=x'],
    ['text/plain', '{"name":"x"}'],
  ] as const) {
    const answer = await send('POST', '/v1/stream', { headers: { 'content-type': type }, body });
    assert.deepEqual([answer.status, answer.body.code], [400, 'RequestDecodeError'], `${type} ${body}`);
  }
});

test('[R5.5] an invalid request is ValidationError with its fields', async () => {
  const source = 'rtsp://10.255.255.1/x';
  for (const [body, paths] of [
    [{}, ['name', 'streamSource']],
    [[], ['']],
    [{ name: 7, streamSource: source }, ['name']],
    [{ name: 'x', streamSource: source, colour: 'red' }, ['colour']],
    [{ name: 'x', streamSource: source, archive: { isEnable: 'yes' } }, ['archive.isEnable']],
    [{ name: 'x\0y', streamSource: source }, ['name']],
    [{ name: 'x\u202ey', streamSource: source }, ['name']],
    [{ name: 'x', streamSource: `rtsp://h/${'a'.repeat(2_048)}` }, ['streamSource']],
    [{ name: 'x', streamSource: source, tags: Array.from({ length: 21 }, (_, n) => `t${n}`) }, ['tags']],
    [{ name: 'x', streamSource: source, tags: ['a'.repeat(51)] }, ['tags.0']],
    [{ name: 'x', streamSource: source, location: { latitude: 91 } }, ['location.latitude']],
    [JSON.parse('{"name":"x","streamSource":"rtsp://h/1","__proto__":{"a":1}}'), ['__proto__']],
  ] as const) {
    const answer = await post('/v1/stream', body);
    assert.deepEqual(
      [answer.status, answer.body.code],
      [400, 'ValidationError'],
      JSON.stringify(body).slice(0, 80),
    );
    assert.deepEqual(
      answer.body.fields?.map((field) => field.path),
      paths,
    );
    assert.ok(answer.body.fields?.every((field) => field.code !== '' && field.error !== ''));
  }
});

test('[R8.11] an error of a stream appears at its field with its own code', async () => {
  const answer = await post('/v1/stream', { name: '', streamSource: '', archive: { depthHours: -2 } });
  assert.deepEqual(
    answer.body.fields?.map(({ path, code }) => [path, code]),
    [
      ['name', 'STREAM_NAME_ERR'],
      ['streamSource', 'STREAM_SOURCE_ERR'],
      ['archive.depthHours', 'ARCHIVE_DEPTH_ERR'],
    ],
  );
});

test('[R10.1] addresses of other schemes are refused as sources', async () => {
  for (const streamSource of [
    'file:///etc/passwd',
    'gopher://host/1',
    'concat:a|b',
    'exec:touch /tmp/x',
    'javascript:1',
    '/etc/passwd',
    '../x',
    'rtsp://',
  ]) {
    const answer = await post('/v1/stream', { name: 'x', streamSource });
    assert.deepEqual([answer.status, answer.body.code], [400, 'STREAM_SOURCE_ERR'], streamSource);
    assert.equal(answer.body.fields?.[0]?.path, 'streamSource');
    const probe = await send('GET', `/v1/stream/probe?url=${encodeURIComponent(streamSource)}`);
    assert.equal(probe.body.code, 'STREAM_SOURCE_ERR', streamSource);
  }
});

test('[R5.5] a body over 1 MiB is refused', async () => {
  const answer = await post('/v1/stream', { name: 'x', streamSource: 'x'.repeat(2 * 1024 * 1024) });
  assert.deepEqual([answer.status, answer.body.code], [400, 'BadRequest']);
});

test('[R9.3] spans that are reversed, negative, too late or too long', async () => {
  const ask = async (path: string) => {
    const { body } = await send('GET', `/v1/stream/${uid}/archive/${path}`);
    return [body.code, body.fields?.[0]?.path];
  };
  const hour = 3_600_000;
  assert.deepEqual(await ask(`ranges?start_time=5&end_time=4`), ['ValidationError', 'end_time']);
  assert.deepEqual(await ask(`ranges?start_time=-1&end_time=4`), ['ValidationError', 'start_time']);
  assert.deepEqual(await ask(`ranges?start_time=0&end_time=${8.64e15}`), ['ValidationError', 'end_time']);
  assert.deepEqual(await ask(`ranges?start_time=1e3&end_time=4`), ['ValidationError', 'start_time']);
  assert.deepEqual(await ask(`ranges?start_time=0`), ['ValidationError', 'end_time']);
  assert.deepEqual(await ask(`ranges?start_time=0&end_time=${3 * hour + 1}`), [
    'TimeRangeIsTooLong',
    undefined,
  ]);
  assert.deepEqual(await ask(`ranges?start_time=0&end_time=${3 * hour}`), [undefined, undefined]);
  const coarse = (endMs: number, seconds: number | string) =>
    ask(`ranges?start_time=0&end_time=${endMs}&resolution_seconds=${seconds}`);
  assert.deepEqual(await coarse(31 * 24 * hour, 300), [undefined, undefined]);
  assert.deepEqual(await coarse(31 * 24 * hour + 1, 86_400), ['TimeRangeIsTooLong', undefined]);
  assert.deepEqual(await coarse(180 * hour + 1, 60), ['TimeRangeIsTooLong', undefined]);
  for (const seconds of [0, -60, 0.5, 86_401, 'x', ''])
    assert.deepEqual(await coarse(hour, seconds), ['ValidationError', 'resolution_seconds']);
  assert.deepEqual(await ask(`download?start_time=0&end_time=${hour + 1}`), [
    'TimeRangeIsTooLong',
    undefined,
  ]);
  assert.deepEqual(await ask(`index.m3u8?start_time=0&end_time=${169 * hour}`), [
    'TimeRangeIsTooLong',
    undefined,
  ]);
  const late = Date.UTC(9998, 0, 1);
  assert.deepEqual(await ask(`ranges?start_time=${late}&end_time=${late + hour}`), [undefined, undefined]);
});

test('pages before the first and beyond the last', async () => {
  assert.equal((await send('GET', '/v1/streams?page=0')).body.code, 'ValidationError');
  assert.equal((await send('GET', '/v1/streams?page=-1')).body.code, 'ValidationError');
  assert.equal((await send('GET', '/v1/streams?page=1000000000')).body.code, 'ValidationError');
  assert.equal((await send('GET', '/v1/streams?pageSize=501')).body.code, 'ValidationError');
  const beyond = await client.listStreams({ query: { page: 1_000_000 } });
  assert.deepEqual([beyond.items, beyond.total], [[], 1]);
});

test('addresses that traverse paths or do not exist are NotFound or refused, never a file', async () => {
  for (const path of [
    '/v1/nothing',
    '/v1/stream/..%2f..%2fetc%2fpasswd',
    `/v1/stream/${uid}/archive/segment/..%2f..%2fvidette.sqlite`,
    `/v1/stream/${uid}/archive/segment/1.mp4`,
    '/v1/stream/%00',
    '/v1/%ff',
  ]) {
    const answer = await send('GET', path);
    assert.ok([400, 404].includes(answer.status), `${path} ${answer.status}`);
    assert.ok(['NotFound', 'ValidationError', 'BadRequest'].includes(answer.body.code ?? ''), path);
  }
});

test('[R7.3] two users saving the same stream: the later one is warned', async () => {
  const { revision } = await client.getStream({ params: { uid } });
  await client.saveStream({ params: { uid }, body: { name: 'Mine', revision } });
  await assert.rejects(client.saveStream({ params: { uid }, body: { name: 'Yours', revision } }), {
    code: 'ActionNotAcceptable',
  });
  assert.equal((await client.getStream({ params: { uid } })).name, 'Mine');
});

test('another site’s page can neither change nor watch anything', async () => {
  const body = JSON.stringify({ uid });
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: server.url.replace('127.0.0.1', '127.0.0.2') },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ]) {
    const answer = await send('POST', '/v1/stream/pause', {
      headers: { ...json, ...(headers as object) },
      body,
    });
    assert.deepEqual([answer.status, answer.body.code], [403, 'Forbidden'], JSON.stringify(headers));
  }
  const upgrade = (origin: string | undefined, cookies: string) =>
    new Promise<number>((resolve, reject) => {
      const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/stream/${uid}/live`, {
        headers: { cookie: cookies, ...(origin === undefined ? {} : { origin }) },
      });
      socket.on('unexpected-response', (_, response) => {
        resolve(response.statusCode ?? 0);
        socket.terminate();
      });
      socket.on('open', () => {
        resolve(101);
        socket.terminate();
      });
      socket.on('error', reject);
    });
  assert.equal(await upgrade('https://evil.example', cookie), 403);
  assert.equal(await upgrade(server.url, ''), 401);
  assert.equal(await upgrade(server.url, cookie), 101);
  assert.equal(await upgrade(undefined, cookie), 101);
});

test('[R4.4, R7.12] a blocked user’s live video ends immediately, as does that of a user who lost the right', async () => {
  const password = 'ведро и труба';
  await client.addUser({ body: { name: 'guest', password } });
  const rights = { params: { uid }, body: { items: [{ user: 'guest', view: true }] } };
  /** Opens the live video; once it is open, resolves to a function that returns the last text message after it is closed. */
  const watch = async () => {
    const signedIn = await fetch(`${server.url}/v1/sign-in`, {
      method: 'POST',
      headers: json,
      body: JSON.stringify({ name: 'guest', password }),
    });
    const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/stream/${uid}/live`, {
      headers: { cookie: signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '' },
    });
    let last = '';
    socket.on('message', (data, isBinary) => {
      if (!isBinary) last = (data as Buffer).toString();
    });
    const end = new Promise<string>((resolve) => socket.on('close', () => resolve(last)));
    await new Promise((resolve, reject) => {
      socket.on('open', resolve);
      socket.on('error', reject);
    });
    return { end };
  };
  await client.saveStreamPermissions(rights);
  const withRight = await watch();
  await client.saveStreamPermissions({ params: { uid }, body: { items: [] } });
  assert.deepEqual(JSON.parse(await withRight.end), { type: 'end', code: 'Forbidden' });
  await client.saveStreamPermissions(rights);
  const unblocked = await watch();
  await client.blockUser({ params: { login: 'guest' } });
  assert.deepEqual(JSON.parse(await unblocked.end), { type: 'end', code: 'AuthorizationRequired' });
});

test('an invalid HTTP request is answered and the connection closed', async () => {
  const { port } = new URL(server.url);
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => socket.write('NONSENSE\r\n\r\n'));
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('close', () => resolve(text));
    socket.on('error', reject);
  });
  assert.match(answer, /^HTTP\/1\.1 400 .*"code":"BadRequest"/s);
});
