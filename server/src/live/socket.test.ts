import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { before, test, type TestContext } from 'node:test';
import { walkBoxes } from '@vidette/media/fmp4/box';
import { parseFragmentHeader } from '@vidette/media/fmp4/read-moof';
import type { Sample } from '@vidette/media/sample';
import { WebSocket, WebSocketServer } from 'ws';
import { systemClock } from '../base/clock.ts';
import { LoadLevel } from '../base/load-level.ts';
import { silentLog } from '../base/log.ts';
import { prepareSocket } from '../base/web-socket.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { frame } from '../hub/sample-fixture.ts';
import { Stream } from '../hub/stream.ts';
import { encodeClip, type LiveClip } from './clip-fixture.ts';
import { Live } from './live.ts';
import type { LiveSession } from './session.ts';

let clip: LiveClip;
before(async () => {
  clip = await encodeClip({ seconds: 1, hasAudio: false });
});

/** A server on which every connection watches `stream`. */
async function serve(t: TestContext, stream: Stream, clock = systemClock) {
  const live = new Live({ clock, log: silentLog, load: new LoadLevel() });
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  const sessions: LiveSession[] = [];
  const sockets: WebSocket[] = [];
  server.on('connection', (socket, request) => {
    prepareSocket(socket, request.socket);
    sockets.push(socket);
    sessions.push(live.serveSocket(socket, stream, { audio: true, keyFramesOnly: false }));
  });
  await once(server, 'listening');
  t.after(() => {
    for (const socket of server.clients) socket.terminate();
    server.close();
  });
  const url = `ws://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { live, sessions, sockets, url };
}

/** A viewer that records what it receives. */
class SocketViewer {
  readonly socket: WebSocket;
  readonly texts: { type: string; samples?: number; code?: string }[] = [];
  readonly dts: number[] = [];
  closeCode: number | undefined;

  constructor(url: string) {
    this.socket = new WebSocket(url);
    this.socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) this.texts.push(JSON.parse(data.toString()));
      else this.dts.push(...decodeTimes(data));
    });
    this.socket.on('close', (code) => {
      this.closeCode = code;
    });
    this.socket.on('error', () => {});
  }
}

function decodeTimes(bytes: Uint8Array): number[] {
  const [box] = walkBoxes(bytes);
  if (box?.type !== 'moof') return [];
  return parseFragmentHeader(bytes.subarray(0, box.size)).tracks.flatMap(({ baseDts, samples }) =>
    samples.map((_, at) => baseDts + at * 3_600),
  );
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

test('[R7.12] over a WebSocket: messages, init segment, fragments, and the code at the end', async (t) => {
  const stream = new Stream('s');
  const { url } = await serve(t, stream);
  stream.setTracks(clip.tracks);
  const viewer = new SocketViewer(url);
  await until(() => viewer.socket.readyState === WebSocket.OPEN);
  for (const sample of clip.samples) stream.write(sample);
  await until(() => viewer.dts.length >= 24);
  assert.equal(viewer.texts[0]?.type, 'init');
  stream.end('server-stopped');
  await until(() => viewer.closeCode !== undefined);
  assert.deepEqual(viewer.texts.at(-1), { type: 'end', code: 'Unavailable' });
  assert.equal(viewer.dts.length, 25);
  assert.equal(viewer.closeCode, 1000);
});

test('a viewer whose right to watch is withdrawn is notified and disconnected immediately', async (t) => {
  const stream = new Stream('s');
  const { url, sessions, live } = await serve(t, stream);
  stream.setTracks(clip.tracks);
  const viewer = new SocketViewer(url);
  await until(() => sessions.length === 1);
  sessions[0]?.end('Forbidden');
  assert.equal(stream.readerCount, 0);
  await until(() => viewer.closeCode !== undefined);
  assert.deepEqual(viewer.texts.at(-1), { type: 'end', code: 'Forbidden' });
  assert.equal(live.audience(stream).viewers, 0);
});

test('a viewer that stops reading blocks neither the writer nor other viewers; it skips and is notified', async (t) => {
  const stream = new Stream('s');
  const { url, sockets, sessions } = await serve(t, stream);
  stream.setTracks(clip.tracks);
  const held = new SocketViewer(url);
  await until(() => sockets.length === 1);
  const quick = new SocketViewer(url);
  await until(() => sockets.length === 2);
  const size = 100_000;
  const gop = 25;
  const sample = (at: number): Sample => frame(at, { isKey: at % gop === 0, size });
  for (let at = 0; at < 5; at++) stream.write(sample(at));
  await until(() => held.dts.length > 0 && quick.dts.length > 0);
  held.socket.pause();
  // 60 MB: more than the network, the socket and the hub's queue hold for one viewer.
  const frames = 600;
  for (let at = 5; at < frames; at++) {
    stream.write(sample(at));
    // The fast viewer keeps pace; the blocked one delays no other viewer.
    await until(() => quick.dts.length >= at - 1);
    assert.ok((sockets[0]?.bufferedAmount ?? 0) < 512 * 1024 + 4 * size);
  }
  assert.equal(stream.counters.videoSamples, frames);
  assert.ok((sessions[0]?.skippedSamples ?? 0) > 0);
  assert.equal(sessions[1]?.skippedSamples, 0);
  held.socket.resume();
  for (let at = frames; at < frames + 2 * gop; at++) {
    stream.write(sample(at));
    await until(() => quick.dts.length >= at - 1);
  }
  const last = sample(frames + 2 * gop - 2).dts;
  await until(() => held.dts.includes(last));
  const skipped = held.texts.filter(({ type }) => type === 'skipped');
  assert.ok(skipped.length > 0);
  const lost = skipped.reduce((sum, { samples = 0 }) => sum + samples, 0);
  assert.equal(lost, sessions[0]?.skippedSamples);
  const first = sample(0).dts;
  held.dts.forEach((dts, at) => {
    const before = held.dts[at - 1];
    if (before === undefined || dts - before === 3_600) return;
    assert.equal(((dts - first) / 3_600) % gop, 0, 'continues at a key frame');
  });
  assert.equal(quick.texts.length, 1);
});

test('a viewer that answers no ping is disconnected, one that does stays connected', async (t) => {
  const clock = new ManualClock();
  const stream = new Stream('s');
  const { url, sockets, live } = await serve(t, stream, clock);
  const dead = new SocketViewer(url);
  await until(() => sockets.length === 1);
  const alive = new SocketViewer(url);
  await until(() => sockets.length === 2);
  dead.socket.pause();
  for (let period = 0; period < 3; period++) {
    const pinged = period < 2 ? once(alive.socket, 'ping') : undefined;
    const ponged = sockets[1] && once(sockets[1], 'pong');
    clock.advance(15_000);
    await pinged;
    await ponged;
  }
  await until(() => live.audience(stream).viewers === 1);
  assert.equal(sockets[0]?.readyState, WebSocket.CLOSED);
  assert.equal(sockets[1]?.readyState, WebSocket.OPEN);
});
