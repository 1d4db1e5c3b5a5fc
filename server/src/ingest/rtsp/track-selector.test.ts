import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audioTrack, frame, audio, videoTrack } from '../../hub/sample-fixture.ts';
import { TrackSelector } from './track-selector.ts';

/**
 * A track selector and its output: `v+a` for a declaration, `V` a key frame, `v` another video frame, `a`
 * audio.
 */
function openGate(expects = { video: true, audio: true }) {
  const passed: string[] = [];
  const awaited: string[] = [];
  const trackSelector = new TrackSelector(
    {
      tracks: (tracks) =>
        passed.push(
          tracks
            .map(({ kind }) => kind[0])
            .join('+')
            .padEnd(3, '!'),
        ),
      sample: ({ trackId, isKey }) => passed.push(trackId === 2 ? 'a' : isKey ? 'V' : 'v'),
      awaiting: (kind) => awaited.push(kind),
      lost() {},
      note() {},
    },
    expects,
  );
  trackSelector.setVideo(videoTrack);
  const show = (atMs: number, isKey = false) => {
    trackSelector.video(frame(atMs / 40, { isKey }), atMs);
  };
  const hear = (atMs: number) => trackSelector.audio(audio(atMs / 20), atMs);
  return { trackSelector, passed, awaited, show, hear };
}

test('[R10.1] both tracks flow: declared together, as soon as audio arrives', () => {
  const { trackSelector, passed, show, hear } = openGate();
  trackSelector.setAudio(audioTrack);
  show(0);
  show(40, true);
  show(80);
  hear(90);
  show(120);
  assert.deepEqual(passed, ['v+a', 'V', 'v', 'a', 'v']);
});

test('[R10.1] audio that never arrives delays the video only briefly', () => {
  const { trackSelector, passed, show } = openGate();
  trackSelector.setAudio(audioTrack);
  show(0, true);
  for (let atMs = 40; atMs <= 440; atMs += 40) show(atMs);
  assert.deepEqual(passed.slice(0, 2), ['v!!', 'V']);
  assert.equal(passed.length, 13);
});

test('without audio nothing waits', () => {
  const { trackSelector, passed, show } = openGate();
  trackSelector.expectNoAudio();
  show(0, true);
  assert.deepEqual(passed, ['v!!', 'V']);
});

test('audio that comes late joins at a key frame, and leaves at one when it is gone', () => {
  const { trackSelector, passed, show, hear } = openGate();
  trackSelector.setAudio(audioTrack);
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

test('[R10.1] audio is not declared without the video that was announced, and says that it is there', () => {
  const { trackSelector, passed, awaited, show, hear } = openGate();
  trackSelector.setAudio(audioTrack);
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
  const { trackSelector, passed, awaited, hear } = openGate({ video: false, audio: true });
  trackSelector.setAudio(audioTrack);
  hear(0);
  assert.deepEqual(passed, ['a!!', 'a']);
  assert.deepEqual(awaited, []);
});

test('packets of a frame whose key frame is far away are waited for', () => {
  const { trackSelector, passed, show, hear } = openGate();
  trackSelector.setAudio(audioTrack);
  show(0);
  hear(10);
  hear(9000);
  assert.deepEqual(passed, []);
  show(9040, true);
  hear(9050);
  assert.deepEqual(passed, ['v+a', 'V', 'a']);
});

test('[R10.1] new parameters are declared before their key frame', () => {
  const { trackSelector, passed, show } = openGate({ video: true, audio: false });
  show(0, true);
  trackSelector.setVideo({ ...videoTrack, width: 640 });
  show(40, true);
  assert.deepEqual(passed, ['v!!', 'V', 'v!!', 'V']);
});
