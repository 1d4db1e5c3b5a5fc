import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlayerSource } from './player-source.ts';
import { Player } from './player.ts';
import { settle, TestClock } from './test-clock.ts';
import { TestMse, TestSocket, TestVideo } from './test-media.ts';

const NOW_S = Date.UTC(2026, 0, 1) / 1000;
const H264 = 'video/mp4; codecs="avc1.640028,mp4a.40.2"';

function setUp(prepare: (mse: TestMse, video: TestVideo) => void = () => {}) {
  const clock = new TestClock();
  const video = new TestVideo();
  const mse = new TestMse(video);
  prepare(mse, video);
  const sockets: TestSocket[] = [];
  const source: PlayerSource = {
    openLive: ({ audio, convert }) => {
      const socket = new TestSocket(audio, convert);
      sockets.push(socket);
      return socket as unknown as WebSocket;
    },
    playlist: () => Promise.resolve([]),
    bytes: () => Promise.reject(new Error('not used in this test')),
    loadTranscoded: () => Promise.reject(new Error('not used in this test')),
    previousPlayable: () => Promise.resolve(undefined),
    nextPlayable: () => Promise.resolve(undefined),
  };
  const player = new Player({ video, environment: mse, clock, source });
  const socket = () => {
    const newest = sockets.at(-1);
    assert.ok(newest);
    return newest;
  };
  let sentS = 0;
  /** The camera sends for some seconds, a fragment every 100 ms, and the element plays. */
  const send = async (seconds: number) => {
    for (let at = 0; at < seconds; at += 0.1) {
      const startS = NOW_S + clock.monotonicMs() / 1000;
      socket().media(`${startS}-${startS + 0.1}`);
      sentS += 0.1;
      clock.advance(100);
      await settle();
      video.run(0.1);
    }
  };
  const begin = async () => {
    await settle();
    socket().message({ type: 'init', mimeType: H264, generation: 1 });
    socket().media('init');
    await settle();
  };
  const state = () => player.getSnapshot().state;
  return { clock, video, mse, sockets, socket, player, send, begin, state, sentS: () => sentS };
}

test('live: from connecting to playing, its time is the camera’s, within a second', async () => {
  const { player, begin, send, state, clock } = setUp();
  player.goLive();
  assert.deepEqual(state(), { name: 'connecting' });
  await begin();
  await send(3);
  assert.deepEqual(state(), { name: 'playing' });
  assert.equal(player.getSnapshot().mode, 'live');
  assert.ok(Math.abs((player.utcMs ?? 0) - clock.wallMs()) < 1000);
  assert.ok((player.delayMs ?? Infinity) < 1000);
  player.dispose();
  assert.equal(clock.pendingTimers, 0);
});

test('media that this browser can’t decode is requested transcoded, and its codec is named if that is refused', async () => {
  const { player, state, socket, sockets } = setUp((mse) => {
    mse.supports = (type) => !type.includes('hvc1');
  });
  player.goLive();
  await settle();
  assert.equal(socket().convert, false);
  socket().message({ type: 'init', mimeType: 'video/mp4; codecs="hvc1.1.6.L93.B0,mp4a.40.2"' });
  await settle();
  assert.ok(sockets[0]?.isClosed);
  assert.equal(socket().convert, true);
  assert.equal(player.getSnapshot().converted, 'H.265');
  socket().message({ type: 'end', code: 'QuotaReached' });
  assert.deepEqual(state(), { name: 'unsupported', codec: 'H.265', refusal: 'QuotaReached' });
  assert.ok(sockets.at(-1)?.isClosed);
  player.dispose();
});

test('audio that this browser can’t decode is left out, the video is not', async () => {
  const { player, socket, sockets } = setUp((mse) => {
    mse.supports = (type) => !type.includes('opus');
  });
  player.goLive();
  await settle();
  socket().message({ type: 'init', mimeType: 'video/mp4; codecs="avc1.640028,opus"' });
  await settle();
  assert.equal(sockets.length, 2);
  assert.equal(socket().audio, false);
  player.dispose();
});

test('a lost connection is retried with growing pauses, and the video resumes', async () => {
  const { player, begin, send, state, clock, sockets, socket, video } = setUp();
  player.goLive();
  await begin();
  await send(2);
  const pauses: number[] = [];
  for (let loss = 0; loss < 4; loss++) {
    const before = sockets.length;
    const fromMs = clock.monotonicMs();
    socket().lose();
    while (sockets.length === before) clock.advance(50);
    pauses.push(clock.monotonicMs() - fromMs);
    video.run(1);
  }
  assert.deepEqual(state(), { name: 'waiting', reason: 'network' });
  assert.ok(
    pauses.every((pause, index) => index === 0 || pause > (pauses[index - 1] ?? 0)),
    String(pauses),
  );
  await begin();
  await send(2);
  assert.deepEqual(state(), { name: 'playing' });
  assert.ok(Math.abs((player.utcMs ?? 0) - clock.wallMs()) < 1000);
  player.dispose();
});

test('a silent source is distinguished from a lost server, and a refusal ends the retries', async () => {
  const { player, begin, send, state, socket, video, sockets, clock } = setUp();
  player.goLive();
  await begin();
  await send(1);
  socket().message({ type: 'waiting', reason: 'unreachable' });
  video.run(5);
  clock.advance(700);
  assert.deepEqual(state(), { name: 'waiting', reason: 'source' });
  socket().message({ type: 'end', code: 'Forbidden' });
  assert.deepEqual(state(), { name: 'failed', code: 'Forbidden' });
  const opened = sockets.length;
  clock.advance(60_000);
  assert.equal(sockets.length, opened);
  player.dispose();
});

test('[R15.3] a stream that the server hands over is requested again almost immediately, and plays on from the buffer', async () => {
  const { player, begin, send, clock, state, socket, sockets } = setUp();
  player.goLive();
  await begin();
  await send(2);
  socket().message({ type: 'end', code: 'Unavailable' });
  socket().lose();
  clock.advance(100);
  assert.equal(sockets.length, 2);
  await begin();
  await send(1);
  assert.deepEqual(state(), { name: 'playing' });
  // One that ends what it has just begun is given time.
  socket().message({ type: 'end', code: 'Unavailable' });
  socket().lose();
  clock.advance(100);
  const { length } = sockets;
  await begin();
  socket().message({ type: 'end', code: 'Unavailable' });
  socket().lose();
  clock.advance(100);
  assert.equal(sockets.length, length);
  clock.advance(600);
  assert.equal(sockets.length, length + 1);
  player.dispose();
});

test('a machine that slept is reconnected immediately', async () => {
  const { player, begin, send, clock, sockets } = setUp();
  player.goLive();
  await begin();
  await send(1);
  clock.sleep(3_600_000);
  clock.advance(100);
  assert.ok(sockets[0]?.isClosed);
  clock.advance(1000);
  assert.equal(sockets.length, 2);
  player.dispose();
});

test('parameters that change midway change the type of the buffer', async () => {
  const { player, begin, send, socket, mse } = setUp();
  player.goLive();
  await begin();
  await send(1);
  const other = 'video/mp4; codecs="avc1.4d401f,mp4a.40.2"';
  socket().message({ type: 'init', mimeType: other });
  socket().media('init');
  await send(1);
  assert.deepEqual(mse.buffer.types, [H264, other]);
  player.dispose();
});

test('a stream that loses its audio gets a buffer of its own: the old one keeps its number of tracks', async () => {
  const { player, begin, send, socket, mse, state } = setUp();
  player.goLive();
  await begin();
  await send(1);
  socket().message({ type: 'init', mimeType: 'video/mp4; codecs="avc1.4d401f"' });
  socket().media('init');
  await send(3);
  assert.deepEqual(
    mse.buffers.map(({ types }) => types),
    [[H264], ['video/mp4; codecs="avc1.4d401f"']],
  );
  assert.deepEqual(state(), { name: 'playing' });
  player.dispose();
});

test('played media is removed: memory use is constant over minutes', async () => {
  const { player, begin, send, video } = setUp();
  player.goLive();
  await begin();
  await send(120);
  const heldS = video.spans.reduce((sum, span) => sum + span.end - span.start, 0);
  assert.ok(heldS < 60, `${heldS} s held`);
  player.dispose();
});

test('a full buffer makes room and continues', async () => {
  const { player, begin, send, mse, state } = setUp();
  player.goLive();
  await begin();
  await send(1);
  mse.buffer.quotaS = 8;
  await send(30);
  assert.deepEqual(state(), { name: 'playing' });
  assert.equal(mse.buffers.length, 1);
  player.dispose();
});

test('pausing live keeps the frame and receives nothing; playing returns to the camera', async () => {
  const { player, begin, send, state, sockets, video, clock } = setUp();
  player.goLive();
  await begin();
  await send(2);
  player.pause();
  assert.deepEqual(state(), { name: 'paused' });
  assert.ok(sockets.at(-1)?.isClosed);
  assert.ok(video.spans.length > 0);
  clock.advance(30_000);
  player.play();
  await begin();
  await send(2);
  assert.deepEqual(state(), { name: 'playing' });
  assert.ok(Math.abs((player.utcMs ?? 0) - clock.wallMs()) < 1000);
  player.dispose();
});

test('a hidden, muted player releases its stream after a while and resumes it when visible', async () => {
  const { player, begin, send, sockets, clock } = setUp();
  player.goLive();
  await begin();
  await send(1);
  player.setVisible(false);
  await send(15);
  assert.equal(sockets.at(-1)?.isClosed, false);
  await send(10);
  assert.ok(sockets.at(-1)?.isClosed);
  clock.advance(60_000);
  assert.equal(sockets.length, 1);
  player.setVisible(true);
  assert.equal(sockets.length, 2);
  player.dispose();
});

test('a browser that refuses audio without a click plays muted', async () => {
  const { player, begin, send, state, video } = setUp((_, element) => {
    element.refusal = new DOMException('click first', 'NotAllowedError');
  });
  video.muted = false;
  player.goLive();
  await begin();
  await send(2);
  assert.ok(video.muted);
  assert.deepEqual(state(), { name: 'playing' });
  player.dispose();
});

test('a browser that refuses even muted video is asked again, and the view shows that a click is needed until it plays', async () => {
  const { player, begin, send, state, video } = setUp();
  const refuse = () => Promise.reject(new DOMException('click first', 'NotAllowedError'));
  video.play = refuse;
  player.goLive();
  await begin();
  const seen = new Set<string>();
  await settle();
  player.subscribe(() => seen.add(JSON.stringify(state())));
  await send(2);
  assert.deepEqual(state(), { name: 'waiting', reason: 'gesture' });
  // Each tick asks again; the state stays.
  assert.deepEqual([...seen], []);
  video.play = () => TestVideo.prototype.play.call(video);
  await send(2);
  assert.deepEqual(state(), { name: 'playing' });
  player.dispose();
});

test('[R15.4] a viewer learns that the server sends only key frames, and that it serves no new viewers for now', async () => {
  const { player, begin, send, state, socket, sockets, clock } = setUp();
  player.goLive();
  await begin();
  await send(2);
  socket().message({ type: 'reduced', isReduced: true });
  assert.equal(player.getSnapshot().isReduced, true);
  for (let second = 0; second < 12; second++) {
    // A key frame every three seconds; the element waits at the end of each.
    const startS = NOW_S + clock.monotonicMs() / 1000;
    if (second % 3 === 0) socket().media(`${startS - 3}-${startS}`);
    clock.advance(1_000);
    await settle();
    assert.deepEqual(state(), { name: 'playing' });
  }
  socket().message({ type: 'reduced', isReduced: false });
  assert.equal(player.getSnapshot().isReduced, false);
  socket().message({ type: 'reduced', isReduced: true });
  socket().message({ type: 'end', code: 'ServerOverloaded' });
  socket().lose();
  clock.advance(600);
  assert.deepEqual(state(), { name: 'waiting', reason: 'overload' });
  assert.equal(player.getSnapshot().isReduced, false);
  clock.advance(10_000);
  assert.equal(sockets.length, 2, 'it tries again by itself');
  await begin();
  await send(2);
  assert.deepEqual(state(), { name: 'playing' });
  player.dispose();
});
