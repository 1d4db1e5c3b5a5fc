import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlayerState } from '../playback/state.ts';
import { settle, TestClock } from '../playback/test-clock.ts';
import { TestMse, TestSocket, TestVideo } from '../playback/test-media.ts';
import { SharedPlayer } from './shared-player.ts';

const H264 = 'video/mp4; codecs="avc1.640028,mp4a.40.2"';

function setUp() {
  const clock = new TestClock();
  const video = new TestVideo();
  const environment = new TestMse(video);
  environment.supports = (mimeType) => mimeType.includes('avc1');
  const sockets: TestSocket[] = [];
  const states: PlayerState[] = [];
  const player = new SharedPlayer({
    video,
    environment,
    clock,
    open: ({ audio }) => {
      const socket = new TestSocket(audio, false);
      sockets.push(socket);
      return socket as unknown as WebSocket;
    },
    onState: (state) => states.push(state),
  });
  const socket = () => {
    const newest = sockets.at(-1);
    assert.ok(newest);
    return newest;
  };
  const begin = async (mimeType = H264) => {
    await settle();
    socket().message({ type: 'init', mimeType });
    socket().media('init');
    await settle();
  };
  const send = async (seconds: number) => {
    for (let at = 0; at < seconds; at += 0.1) {
      const startS = clock.wallMs() / 1000;
      socket().media(`${startS}-${startS + 0.1}`);
      clock.advance(100);
      await settle();
      video.run(0.1);
    }
  };
  return { clock, video, player, sockets, states, begin, send, state: () => states.at(-1) };
}

test('[R10.5] a public link plays live, and after disposal it reports nothing and keeps no timer', async () => {
  const { clock, player, video, begin, send, states, state } = setUp();
  player.play();
  assert.ok(video.muted);
  assert.deepEqual(state(), { name: 'connecting' });
  await begin();
  await send(2);
  assert.deepEqual(state(), { name: 'playing' });
  states.length = 0;
  player.dispose();
  player.dispose();
  assert.deepEqual(states, []);
  assert.equal(clock.pendingTimers, 0);
});

test('a pause by the system’s media keys is shown, and the button plays what is live then', async () => {
  const { player, video, sockets, begin, send, state } = setUp();
  player.play();
  await begin();
  await send(2);
  video.pause();
  assert.deepEqual(state(), { name: 'paused' });
  assert.ok(sockets[0]?.isClosed);
  player.play();
  await begin();
  await send(2);
  assert.deepEqual(state(), { name: 'playing' });
  assert.equal(sockets.length, 2);
});

test('the codec that this browser can’t decode is named, and the button retries', async () => {
  const { player, sockets, begin, state } = setUp();
  const unsupported = { name: 'unsupported', codec: 'H.265' };
  player.play();
  await begin('video/mp4; codecs="hvc1.1.6.L93.B0"');
  assert.deepEqual(state(), unsupported);
  player.play();
  assert.deepEqual(state(), { name: 'connecting' });
  await begin('video/mp4; codecs="hvc1.1.6.L93.B0"');
  assert.deepEqual(state(), unsupported);
  assert.equal(sockets.length, 2);
});

test('a hidden page releases muted video after a while and resumes when it is shown', async () => {
  const { clock, player, video, sockets, begin, send, state } = setUp();
  const open = () => sockets.filter(({ isClosed }) => !isClosed).length;
  player.play();
  await begin();
  await send(2);
  video.muted = false;
  player.setVisible(false);
  clock.advance(60_000);
  assert.ok(open() > 0, 'it is still listened to');
  player.setVisible(true);
  video.muted = true;
  player.setVisible(false);
  clock.advance(60_000);
  assert.equal(open(), 0);
  player.setVisible(true);
  assert.equal(open(), 1);
  await begin();
  await send(2);
  assert.deepEqual(state(), { name: 'playing' });
});
