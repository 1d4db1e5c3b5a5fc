import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { before, test, type TestContext } from 'node:test';
import type { ErrorCode } from '@vidette/contract/errors';
import { walkBoxes } from '@vidette/media/fmp4/box';
import { WebSocket, WebSocketServer } from 'ws';
import { systemClock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { LoadLevel } from '../base/load-level.ts';
import { silentLog } from '../base/log.ts';
import { frame } from '../hub/sample-fixture.ts';
import { Stream } from '../hub/stream.ts';
import { encodeClip, type LiveClip } from './clip-fixture.ts';
import { Live } from './live.ts';
import { WallSocket } from './wall-socket.ts';

let clip: LiveClip;
before(async () => {
  clip = await encodeClip({ seconds: 1, hasAudio: false });
});

/** A server whose connections are walls of these streams; `secret` is refused to every viewer. */
async function serve(t: TestContext, streams: Readonly<Record<string, Stream>>) {
  const live = new Live({ clock: systemClock, log: silentLog, load: new LoadLevel() });
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  const admitted: { uid: string; end: (code: ErrorCode) => void }[] = [];
  const left: string[] = [];
  const sockets: WebSocket[] = [];
  server.on('connection', (socket) => {
    sockets.push(socket);
    new WallSocket({
      socket,
      clock: systemClock,
      log: silentLog,
      live,
      admit: ({ uid }, end) => {
        const stream = streams[uid];
        if (!stream) return Promise.reject(new Fault('Forbidden', 'Not this one.'));
        admitted.push({ uid, end });
        return Promise.resolve({ stream, isSub: false, leave: () => left.push(uid) });
      },
    });
  });
  await once(server, 'listening');
  t.after(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  return { url: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`, admitted, left, sockets };
}

/**
 * A page that records what arrives on each channel: types of text messages, and the first box of each binary
 * message.
 */
class Page {
  readonly socket: WebSocket;
  readonly heard = new Map<number, string[]>();
  readonly codes = new Map<number, string>();
  closeCode: number | undefined;

  constructor(url: string) {
    this.socket = new WebSocket(url);
    this.socket.on('message', (data: Buffer, isBinary) => {
      if (isBinary) {
        const [box] = walkBoxes(data.subarray(4));
        this.#note(data.readUInt32BE(), box?.type ?? 'nothing');
        return;
      }
      const message = JSON.parse(data.toString()) as { type: string; channel?: number; code?: string };
      if (message.channel === undefined) return;
      this.#note(message.channel, message.type);
      if (message.code !== undefined) this.codes.set(message.channel, message.code);
    });
    this.socket.on('close', (code) => {
      this.closeCode = code;
    });
    this.socket.on('error', () => {});
  }

  watch(channel: number, uid: string, keyFrames = false): void {
    const request = { type: 'watch', channel, uid, picture: 'main', keyFrames, audio: false, convert: false };
    this.socket.send(JSON.stringify(request));
  }

  leave(channel: number): void {
    this.socket.send(JSON.stringify({ type: 'leave', channel }));
  }

  count(channel: number, what: string): number {
    return this.heard.get(channel)?.filter((one) => one === what).length ?? 0;
  }

  #note(channel: number, what: string): void {
    this.heard.set(channel, [...(this.heard.get(channel) ?? []), what]);
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

async function openPage(url: string): Promise<Page> {
  const page = new Page(url);
  await once(page.socket, 'open');
  return page;
}

function writeClip(stream: Stream): void {
  for (const sample of clip.samples) stream.write(sample);
}

test('one socket carries many streams, each on its own channel: all frames or key frames only', async (t) => {
  const gate = new Stream('gate');
  const yard = new Stream('yard');
  const { url, left } = await serve(t, { gate, yard });
  for (const stream of [gate, yard]) stream.setTracks(clip.tracks);
  const page = await openPage(url);
  page.watch(1, 'gate');
  page.watch(2, 'yard', true);
  await until(() => gate.readerCount === 1 && yard.readerCount === 1);
  writeClip(gate);
  writeClip(yard);
  await until(() => page.count(1, 'moof') >= 2 && page.count(2, 'moof') === 1);
  assert.deepEqual(page.heard.get(1)?.slice(0, 3), ['init', 'ftyp', 'moof']);
  assert.deepEqual(page.heard.get(2), ['init', 'ftyp', 'moof']);
  page.leave(1);
  await until(() => gate.readerCount === 0);
  assert.deepEqual(left, ['gate']);
  assert.equal(yard.readerCount, 1);
  page.socket.close();
  await until(() => yard.readerCount === 0);
  assert.deepEqual(left, ['gate', 'yard']);
});

test('[R6.5] a forbidden stream is refused on its channel, and one whose right is withdrawn is closed; the others stay', async (t) => {
  const gate = new Stream('gate');
  const yard = new Stream('yard');
  const { url, admitted } = await serve(t, { gate, yard });
  const page = await openPage(url);
  page.watch(1, 'gate');
  page.watch(2, 'secret');
  page.watch(3, 'yard');
  await until(() => admitted.length === 2 && page.codes.size === 1);
  admitted[0]?.end('Forbidden');
  await until(() => page.codes.size === 2);
  assert.deepEqual(
    [...page.codes].toSorted(([a], [b]) => a - b),
    [
      [1, 'Forbidden'],
      [2, 'Forbidden'],
    ],
  );
  assert.equal(gate.readerCount, 0);
  assert.equal(yard.readerCount, 1);
  admitted[1]?.end('AuthorizationRequired');
  await until(() => page.closeCode !== undefined);
  assert.equal(page.codes.get(3), 'AuthorizationRequired');
});

test('a channel closed before its viewer was admitted watches nothing', async (t) => {
  const gate = new Stream('gate');
  const { url, left } = await serve(t, { gate });
  const page = await openPage(url);
  page.watch(1, 'gate');
  page.leave(1);
  await until(() => left.length === 1);
  assert.equal(gate.readerCount, 0);
});

test('invalid messages close the socket, and so does a channel used twice', async (t) => {
  const gate = new Stream('gate');
  const { url } = await serve(t, { gate });
  for (const speak of [
    (page: Page) => page.socket.send('{'),
    (page: Page) => page.socket.send('{"type":"watch","channel":-1}'),
    (page: Page) => page.socket.send(Buffer.of(1, 2, 3)),
    (page: Page) => {
      page.watch(1, 'gate');
      page.watch(1, 'gate');
    },
  ]) {
    const page = await openPage(url);
    speak(page);
    await until(() => page.closeCode !== undefined);
    assert.equal(page.closeCode, 1008);
  }
  await until(() => gate.readerCount === 0);
});

test('a page that stops reading delays no other page, and all its channels continue when it reads again', async (t) => {
  const streams = Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`s${at}`, new Stream(`s${at}`)]));
  const all = Object.values(streams);
  for (const stream of all) stream.setTracks(clip.tracks);
  const { url, sockets } = await serve(t, streams);
  const page = await openPage(url);
  for (const [at, uid] of Object.keys(streams).entries()) page.watch(at, uid);
  await until(() => all.every(({ readerCount }) => readerCount === 1));
  page.socket.pause();
  const size = 50_000;
  const gop = 25;
  // 90 MB: more than the network and the socket's high-water marks hold.
  for (let at = 0; at < 300; at++) {
    for (const stream of all) stream.write(frame(at, { isKey: at % gop === 0, size }));
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.ok((sockets[0]?.bufferedAmount ?? Infinity) < 12 * 1024 * 1024);
  page.socket.resume();
  const heard = all.map((_, at) => page.count(at, 'moof'));
  // Each is notified of the samples it missed, and receives frames after that.
  const goesOn = (channel: number) =>
    page.count(channel, 'skipped') > 0 && page.count(channel, 'moof') > (heard[channel] ?? 0) + 10;
  for (let at = 300; ![...all.keys()].every(goesOn); at++) {
    for (const stream of all) stream.write(frame(at, { isKey: at % gop === 0, size }));
    await new Promise((resolve) => setImmediate(resolve));
  }
});
