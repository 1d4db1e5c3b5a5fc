import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import type { Call } from '@vidette/contract/call';
import { calls } from '@vidette/contract/calls';
import { routes, type CallName } from '@vidette/contract/routes';
import type { TestServer } from './server.ts';

const megabyte = 1_048_576;
/** The longest request line or header that the server reads. */
const headBytes = 15_000;
const answerTimeoutMs = 60_000;

export interface HostileRequest {
  readonly name: string;
  /** Sends it and waits until it is answered or the connection is closed. */
  readonly send: () => Promise<void>;
}

/** Environment of a server whose event loop is watched; give `loopHeldMs` the same. */
export function watchedLoop(): { env: Record<string, string>; socket: string } {
  const socket = join(tmpdir(), `vidette-loop-${process.pid}-${Date.now()}.sock`);
  const preload = fileURLToPath(new URL('./loop-hold.mjs', import.meta.url));
  return { env: { NODE_OPTIONS: `--import=${preload}`, VIDETTE_TEST_LOOP_SOCKET: socket }, socket };
}

/** The longest time that the server's event loop was blocked since the last call, ms of CPU. */
export async function loopHeldMs(socket: string): Promise<number> {
  return Number(await text(connect(socket)));
}

/**
 * Every kind of request of at most a megabyte that is known or suspected to cost a server disproportionate
 * time.
 */
export function hostileRequests(server: TestServer, cookie: string, uid: string): HostileRequest[] {
  const { hostname, port } = new URL(server.url);
  const raw = (name: string, head: string, body = '') => ({
    name,
    send: () => exchange({ host: hostname, port: Number(port) }, `${head}\r\n\r\n${body}`),
  });
  const get = (path: string, headers = '') =>
    `GET ${path} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: close${headers}`;
  return [
    ...['', `\r\nCookie: ${cookie}`].flatMap((who) => {
      const by = who === '' ? 'a stranger' : 'an administrator';
      return [
        ...longTexts().flatMap(([kind, long]) => [
          raw(`GET of a page file ? ${kind} by ${by}`, get(`/ui/constructor?${long}`, who)),
          raw(`GET of a page / ${kind} by ${by}`, get(`/ui/${encodeURI(long).slice(0, headBytes)}`, who)),
          raw(`GET of a list ? ${kind} by ${by}`, get(`/v1/streams?${long}`, who)),
          raw(`probe of ${kind} by ${by}`, get(`/v1/stream/probe?url=rtsp://127.0.0.1/${long}`, who)),
          raw(`search of ${kind} by ${by}`, get(`/v1/system/internal/ui/search?query=${long}`, who)),
        ]),
        ...bodies().flatMap(([kind, body]) =>
          callsWithBody().map(({ method, path }) => {
            const address = path.replace('{uid}', uid).replace('{login}', 'admin').replace('{id}', '1');
            const head = `${method} ${address} HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: close${who}`;
            const type = `\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}`;
            return raw(`${method} ${path} with ${kind} by ${by}`, head + type, body);
          }),
        ),
      ];
    }),
    ...longTexts().flatMap(([kind, long]) =>
      [
        'Cookie',
        'Accept-Language',
        'Accept-Encoding',
        'Authorization',
        'Origin',
        'Range',
        'If-None-Match',
      ].map((header) => raw(`${header} of ${kind}`, get('/ui/', `\r\n${header}: ${long}`))),
    ),
    raw(
      'a thousand headers',
      get('/ui/', Array.from({ length: 1_000 }, (_, at) => `\r\nX${at}: 1`).join('')),
    ),
    ...['/ui/', '/v1/streams', '/x', '/ui/__proto__'].map((path) => {
      const one = `GET ${path} HTTP/1.1\r\nHost: a\r\n\r\n`;
      return raw(
        `a megabyte of requests for ${path} behind each other`,
        one.trim(),
        one.repeat(Math.floor(megabyte / one.length) - 2) + `${get(path)}\r\n\r\n`,
      );
    }),
    {
      name: 'a megabyte of empty pings to a wall',
      send: () => pings(`${server.url.replace('http', 'ws')}/v1/wall`, cookie),
    },
  ];
}

function callsWithBody() {
  return (Object.keys(routes) as CallName[])
    .filter((name) => (calls[name] as Call).body !== undefined)
    .map((name) => routes[name]);
}

function longTexts(): [kind: string, long: string][] {
  return [
    ';pass',
    '&pass=',
    '?',
    '%41',
    ',',
    'a',
    '=',
    '://',
    'a://',
    'a=b;',
    'en-',
    'q=0;',
    'Bearer+',
    '[a]',
    '"',
  ].map((pump) => [`"${pump}" again and again`, pump.repeat(Math.floor(headBytes / pump.length))]);
}

function bodies(): [kind: string, body: string][] {
  const many = (item: (index: number) => string, count: number) =>
    Array.from({ length: count }, (_, at) => item(at)).join();
  const long = 'aA0.-@ '.repeat(megabyte / 8);
  return [
    ['60 000 unknown members', `{${many((at) => `"member${at}":1`, 60_000)}}`],
    ['900 unknown members', `{${many((at) => `"m${at}":1`, 900)}}`],
    ['half a million brackets', '['.repeat(500_000) + ']'.repeat(500_000)],
    ['a hundred thousand nested objects', '{"a":'.repeat(100_000) + '1' + '}'.repeat(100_000)],
    ['a list of 300 000 objects', `{"items":[${'{},'.repeat(300_000)}{}]}`],
    [
      '10 000 wrong rows',
      `{"items":[${many(() => '{"user":1,"stream":1,"view":1,"archive":1,"share":1,"edit":1}', 10_000)}]}`,
    ],
    [
      'a long name',
      JSON.stringify({ name: long, password: 'x', email: long.replaceAll(' ', ''), code: 'x', key: 'x' }),
    ],
    [
      'a long name that fits',
      JSON.stringify({ name: long.slice(0, 15_000), password: long.slice(0, 100), streamSource: 'rtsp://h' }),
    ],
    [
      'long fields that fit',
      JSON.stringify({
        name: 'x',
        streamSource: `rtsp://${'a.'.repeat(50_000)}`,
        license: 'A'.repeat(10_000),
      }),
    ],
    ['values that are no configuration', `{"values":{${many((at) => `"m${at}":{"a":{"b":{"c":1}}}`, 900)}}}`],
  ];
}

/** Sends raw bytes and reads until the other side ends; a closed connection is also an answer. */
function exchange(to: { host: string; port: number }, bytes: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ ...to, noDelay: true });
    const timer = setTimeout(() => socket.destroy(), answerTimeoutMs);
    socket.on('error', () => {});
    socket.on('data', () => {});
    socket.on('close', () => {
      clearTimeout(timer);
      resolve();
    });
    socket.write(Buffer.from(bytes, 'latin1'));
  });
}

/** Sends empty pings, masked with zeros, as fast as the connection accepts them. */
async function pings(url: string, cookie: string): Promise<void> {
  const socket = new WebSocket(url, { headers: { cookie }, autoPong: false });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  const line = (socket as unknown as { _socket: Socket })._socket;
  const frame = Buffer.from([0x89, 0x80, 0, 0, 0, 0]);
  await new Promise<void>((resolve) => {
    line.write(Buffer.concat(Array<Buffer>(Math.floor(megabyte / frame.length)).fill(frame)), () =>
      resolve(),
    );
  });
  socket.terminate();
}
