import assert from 'node:assert/strict';
import type { Server } from 'node:http';
import { after, before, test } from 'node:test';
import { ApiError, type Client } from '@vidette/contract/client';
import type { ErrorCode } from '@vidette/contract/errors';
import { addressOf } from '@vidette/contract/routes';
import { close, freePort, serve } from '../server/src/ingest/fixtures/live-sources.ts';
import { administratorOf, clientOf, until } from './api.ts';
import { startFakeCamera, type FakeCamera } from './rtsp/fake-camera.ts';
import { encodeClip } from './rtsp/fake-media.ts';
import { signIn, startServer, type TestServer } from './server.ts';
import { startSilentHost, startUnreachableHost, type SilentHost } from './silent-host.ts';

const user = 'operator';
const password = 'hunter2-Zx9';

interface Trouble {
  readonly name: string;
  readonly scheme: 'rtsp' | 'http';
  /** Host, port and path; filled in by `before`. */
  readonly place: keyof typeof places;
  readonly code: ErrorCode;
  readonly words: RegExp;
}

const places = {
  lockedCamera: '',
  emptyCamera: '',
  pageCamera: '',
  bareCamera: '',
  keylessCamera: '',
  closed: '',
  silent: '',
  unreachable: '',
  lockedWeb: '',
  emptyWeb: '',
  pageWeb: '',
};

const troubles: readonly Trouble[] = [
  {
    name: 'a wrong password',
    scheme: 'rtsp',
    place: 'lockedCamera',
    code: 'HTTP_UNAUTHORIZED',
    words: /refused the user name or password/,
  },
  {
    name: 'a closed port',
    scheme: 'rtsp',
    place: 'closed',
    code: 'EHOSTUNREACH',
    words: /refused the connection/,
  },
  {
    name: 'a host that accepts the connection and does not answer',
    scheme: 'rtsp',
    place: 'silent',
    code: 'EHOSTUNREACH',
    words: /did not answer/,
  },
  {
    name: 'a host that accepts no connection',
    scheme: 'rtsp',
    place: 'unreachable',
    code: 'EHOSTUNREACH',
    words: /did not answer/,
  },
  {
    name: 'a path that does not exist',
    scheme: 'rtsp',
    place: 'emptyCamera',
    code: 'HTTP_NOT_FOUND',
    words: /no stream at this path/,
  },
  {
    name: 'an HTML page instead of a stream',
    scheme: 'rtsp',
    place: 'pageCamera',
    code: 'ProbeError',
    words: /does not speak RTSP/,
  },
  {
    name: 'a wrong password',
    scheme: 'http',
    place: 'lockedWeb',
    code: 'HTTP_UNAUTHORIZED',
    words: /refused the user name or password/,
  },
  {
    name: 'a closed port',
    scheme: 'http',
    place: 'closed',
    code: 'EHOSTUNREACH',
    words: /refused the connection/,
  },
  {
    name: 'a host that accepts the connection and does not answer',
    scheme: 'http',
    place: 'silent',
    code: 'EHOSTUNREACH',
    words: /did not answer/,
  },
  {
    name: 'a host that accepts no connection',
    scheme: 'http',
    place: 'unreachable',
    code: 'EHOSTUNREACH',
    words: /did not answer/,
  },
  {
    name: 'a path that does not exist',
    scheme: 'http',
    place: 'emptyWeb',
    code: 'HTTP_NOT_FOUND',
    words: /nothing at this path/,
  },
  {
    name: 'an HTML page instead of a stream',
    scheme: 'http',
    place: 'pageWeb',
    code: 'ProbeError',
    words: /does not send a video stream/,
  },
];

let server: TestServer;
let client: Client;
const cameras: FakeCamera[] = [];
const hosts: SilentHost[] = [];
let web: { port: number; server: Server };
const uids = new Map<Trouble, string>();

const addressFor = ({ scheme, place }: Trouble) => `${scheme}://${user}:${password}@${places[place]}`;

before(async () => {
  const clip = await encodeClip({ frames: 10 });
  const html = '<!doctype html><title>Camera</title><p>Sign in';
  for (const [place, options] of [
    ['lockedCamera', { auth: { scheme: 'digest', user, password: 'another' } }],
    ['emptyCamera', { status: { DESCRIBE: 404 } }],
    ['pageCamera', { html }],
    ['bareCamera', { describes: (text: string) => text.slice(0, text.indexOf('m=')) }],
    ['keylessCamera', { loses: (frame: number) => frame % 10 === 0 }],
  ] as const) {
    const camera = await startFakeCamera({ clip, ...options });
    cameras.push(camera);
    places[place] = `127.0.0.1:${camera.port}/live/main`;
  }
  web = await serve((request, response) => {
    if (request.url === '/page') response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    else if (request.url === '/locked')
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end();
    else response.writeHead(404).end();
  });
  places.lockedWeb = `127.0.0.1:${web.port}/locked`;
  places.emptyWeb = `127.0.0.1:${web.port}/none.ts`;
  places.pageWeb = `127.0.0.1:${web.port}/page`;
  hosts.push(await startSilentHost(), await startUnreachableHost());
  places.silent = `127.0.0.1:${hosts[0]?.port}/live`;
  places.unreachable = `127.0.0.1:${hosts[1]?.port}/live`;
  places.closed = `127.0.0.1:${await freePort('tcp')}/live`;

  server = await startServer({ env: { VIDETTE_SOURCE_PROBE_SECONDS: '3', VIDETTE_LOG_LEVEL: 'debug' } });
  ({ client } = await administratorOf(server));
  for (const trouble of troubles) {
    const body = { name: `${trouble.scheme}: ${trouble.name}`, streamSource: addressFor(trouble) };
    uids.set(trouble, (await client.addStream({ body })).uid);
  }
});

after(async () => {
  await server?.stop();
  if (web) close(web.server);
  await Promise.all([...cameras, ...hosts].map((each) => each.stop()));
});

for (const trouble of troubles) {
  const { name, scheme, code, words } = trouble;
  test(`[R7.7] [R7.8] [R8.11] ${scheme}: ${name} is reported by its code in a probe and a preview, within the limit`, async () => {
    const query = { url: addressFor(trouble) };
    const isRefusal = (error: unknown) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.code, code, error.message);
      assert.equal(error.status, 422);
      assert.doesNotMatch(error.message, /hunter2|operator/);
      return true;
    };
    // The server's own limit here is three seconds; the page's limit for the call is a minute.
    await Promise.all([
      assert.rejects(client.probeStream({ query }), isRefusal),
      assert.rejects(client.previewStream({ query }), isRefusal),
    ]);
  });

  test(`[R10.2] ${scheme}: ${name} is reported by its text in failureReason`, async () => {
    const uid = uids.get(trouble) ?? '';
    const { failureReason } = await until(
      () => client.getStream({ params: { uid } }),
      ({ status }) => status === 'failed',
    );
    assert.match(failureReason ?? '', words);
    assert.match(failureReason ?? '', /^[A-Z0-9].*\.$/);
  });
}

test('[R8.11] [R10.2] why a source fails follows the sentence of its code, in the language of the reader', async () => {
  const cases = [
    {
      place: 'keylessCamera',
      en: 'No stream was found at this address. The source sent no key frame in time.',
      ru: 'По этому адресу не найден видеопоток. Источник вовремя не прислал ни одного ключевого кадра.',
    },
    {
      place: 'bareCamera',
      en: 'No stream was found at this address. The camera offers no video.',
      ru: 'По этому адресу не найден видеопоток. Камера не предлагает видео.',
    },
  ] as const;
  const addressOfCase = (place: keyof typeof places) => `rtsp://${user}:${password}@${places[place]}`;
  const body = { name: 'Bare', streamSource: addressOfCase('bareCamera') };
  const { uid } = await client.addStream({ body });
  for (const language of ['en', 'ru'] as const) {
    await client.saveProfile({ body: { language } });
    await Promise.all(
      cases.flatMap((each) => {
        const query = { url: addressOfCase(each.place) };
        const refusal = { code: 'ProbeError', message: each[language] };
        return [
          assert.rejects(client.probeStream({ query }), refusal),
          assert.rejects(client.previewStream({ query }), refusal),
        ];
      }),
    );
  }
  const { failureReason } = await until(
    () => client.getStream({ params: { uid } }),
    ({ status }) => status === 'failed',
  );
  assert.equal(failureReason, 'Камера не предлагает видео.');
  await client.saveProfile({ body: { language: 'en' } });
});

test('[R6.5] a user who may not edit a stream sees neither its login nor its password, and no log contains them', async () => {
  const [first] = uids.values();
  const uid = first ?? '';
  await client.addUser({ body: { name: 'guest', password: 'blue kettle 42 lamp', maxStreamCreation: 0 } });
  const items = [...uids.values()].map((stream) => ({ stream, view: true, archive: true, share: true }));
  await client.saveUserPermissions({ params: { login: 'guest' }, body: { items } });
  const cookie = await signIn(server, 'guest', 'blue kettle 42 lamp');
  const guest = clientOf(server, cookie);
  const asked = [
    addressOf('getStream', { uid }),
    addressOf('listStreams'),
    addressOf('listStreams', {}, { searchingValues: '127.0.0.1' }),
    addressOf('listStreamStatuses'),
    addressOf('getStreamStats', { uid }),
    addressOf('search', {}, { query: 'password' }),
    '/ui/streams',
  ];
  for (const address of asked) {
    const reply = await fetch(server.url + address, { headers: { cookie } });
    assert.equal(reply.status, 200, address);
    assert.doesNotMatch(await reply.text(), /hunter2|operator/, address);
  }
  await assert.rejects(guest.getStreamLogs({ params: { uid } }), { code: 'Forbidden' });
  // A user who searches for the password must not learn that it is correct.
  const found = await guest.listStreams({ query: { searchingValues: [password] } });
  assert.equal(found.total, 0);

  for (const stream of uids.values()) {
    const logs = await client.getStreamLogs({ params: { uid: stream } });
    assert.ok(logs.items.length > 0);
    assert.doesNotMatch(JSON.stringify(logs), /hunter2|operator/);
  }
  assert.doesNotMatch(JSON.stringify(await client.getSystemLogs()), /hunter2|operator/);
  assert.doesNotMatch(server.output, /hunter2|operator/);
});
