import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AudioTrack, VideoTrack } from './track.ts';
import { TrackDeclarer } from './track-declarer.ts';
import { TrackSelector } from './track-selector.ts';

const videoTrack: VideoTrack = {
  id: 1,
  kind: 'video',
  codec: 'h264',
  timescale: 90_000,
  codecString: 'avc1.42c01f',
  width: 320,
  height: 240,
  config: new Uint8Array(),
};
const audioTrack: AudioTrack = {
  id: 2,
  kind: 'audio',
  codec: 'aac',
  timescale: 48_000,
  codecString: 'mp4a.40.2',
  sampleRate: 48_000,
  channels: 2,
  config: new Uint8Array(),
};

/** A declarer and its output: `v+a` for a declaration, `V` a key frame, `v` another video frame, `a` audio. */
function openDeclarer(expects = { video: true, audio: true }) {
  const passed: string[] = [];
  const awaited: string[] = [];
  const declarer = new TrackDeclarer(
    {
      tracks: (tracks) =>
        passed.push(
          tracks
            .map(({ kind }) => kind[0])
            .join('+')
            .padEnd(3, '!'),
        ),
      sample: ({ trackId, isKey }: { trackId: number; isKey: boolean }) =>
        passed.push(trackId === 2 ? 'a' : isKey ? 'V' : 'v'),
      awaiting: (kind) => awaited.push(kind),
    },
    new TrackSelector(expects, { startMs: 400, silentMs: 10_000 }),
  );
  declarer.setTrack(videoTrack);
  const show = (atMs: number, isKey = false) => {
    declarer.video({ trackId: 1, isKey }, atMs);
  };
  const hear = (atMs: number) => declarer.audio({ trackId: 2, isKey: true }, atMs);
  return { declarer, passed, awaited, show, hear };
}

test('[R10.1] both tracks are active: declared together, as soon as audio arrives', () => {
  const { declarer, passed, show, hear } = openDeclarer();
  declarer.setTrack(audioTrack);
  show(0);
  show(40, true);
  show(80);
  hear(90);
  show(120);
  assert.deepEqual(passed, ['v+a', 'V', 'v', 'a', 'v']);
});

test('[R10.1] audio that never arrives delays the video only briefly', () => {
  const { declarer, passed, show } = openDeclarer();
  declarer.setTrack(audioTrack);
  show(0, true);
  for (let atMs = 40; atMs <= 440; atMs += 40) show(atMs);
  assert.deepEqual(passed.slice(0, 2), ['v!!', 'V']);
  assert.equal(passed.length, 13);
});

test('without audio nothing waits', () => {
  const { declarer, passed, show } = openDeclarer();
  declarer.expectNoAudio();
  show(0, true);
  assert.deepEqual(passed, ['v!!', 'V']);
});

test('audio that arrives late is added at a key frame, and removed at one after it stops', () => {
  const { declarer, passed, show, hear } = openDeclarer();
  declarer.setTrack(audioTrack);
  show(0, true);
  show(500);
  hear(600);
  show(640);
  show(1000, true);
  hear(1020);
  show(5000, true);
  show(20_000, true);
  assert.deepEqual(passed, ['v!!', 'V', 'v', 'v', 'v+a', 'V', 'a', 'V', 'v!!', 'V']);
});

test('[R10.1] audio is not declared without the announced video, but its arrival is reported', () => {
  const { declarer, passed, awaited, show, hear } = openDeclarer();
  declarer.setTrack(audioTrack);
  for (let atMs = 0; atMs <= 60_000; atMs += 10_000) hear(atMs);
  assert.deepEqual(passed, []);
  assert.deepEqual(awaited, Array(7).fill('audio'));
  show(60_100);
  assert.equal(awaited.at(-1), 'video');
  show(60_140, true);
  hear(60_150);
  assert.deepEqual(passed, ['v+a', 'V', 'a']);
});

test('[R10.1] a camera that announces audio only is declared with its first frame', () => {
  const { declarer, passed, awaited, hear } = openDeclarer({ video: false, audio: true });
  declarer.setTrack(audioTrack);
  hear(0);
  assert.deepEqual(passed, ['a!!', 'a']);
  assert.deepEqual(awaited, []);
});

test('audio is not declared alone while video frames without a key frame arrive', () => {
  const { declarer, passed, show, hear } = openDeclarer();
  declarer.setTrack(audioTrack);
  show(0);
  hear(10);
  hear(9000);
  assert.deepEqual(passed, []);
  show(9040, true);
  hear(9050);
  assert.deepEqual(passed, ['v+a', 'V', 'a']);
});

test('[R10.1] new parameters are declared before their key frame', () => {
  const { declarer, passed, show } = openDeclarer({ video: true, audio: false });
  show(0, true);
  declarer.setTrack({ ...videoTrack, width: 640 });
  show(40, true);
  assert.deepEqual(passed, ['v!!', 'V', 'v!!', 'V']);
});

test('[R10.1] samples are not held until a distant next frame for audio that never arrives', () => {
  const { declarer, passed, show } = openDeclarer();
  declarer.setTrack(audioTrack);
  show(0, true);
  declarer.look(300);
  assert.deepEqual(passed, []);
  declarer.look(500);
  assert.deepEqual(passed, ['v!!', 'V']);
  show(20_000, true);
  assert.deepEqual(passed.slice(2), ['V']);
});

test('new audio parameters wait for the next key frame, so that no video is lost', () => {
  const { declarer, passed, awaited, show, hear } = openDeclarer();
  declarer.setTrack(audioTrack);
  show(0, true);
  hear(10);
  declarer.setTrack({ ...audioTrack, sampleRate: 44_100 });
  hear(30);
  show(40);
  show(80, true);
  hear(90);
  assert.deepEqual(passed, ['v+a', 'V', 'a', 'v', 'v+a', 'V', 'a']);
  assert.deepEqual(awaited, ['audio']);
});

test('the samples that wait for the audio are limited', () => {
  const { declarer, passed, show } = openDeclarer();
  declarer.setTrack(audioTrack);
  show(0, true);
  for (let count = 1; count < 500; count++) show(0);
  assert.equal(passed.length, 501);
});

test('nothing has started before the first declaration, and no video is seen before the first frame', () => {
  const { declarer, awaited, show } = openDeclarer({ video: true, audio: false });
  assert.equal(declarer.isVideoSeen, false);
  declarer.awaitVideo(0);
  assert.deepEqual(awaited, ['video']);
  assert.equal(declarer.isVideoSeen, true);
  assert.equal(declarer.hasBegun, false);
  show(40, true);
  assert.equal(declarer.hasBegun, true);
});
