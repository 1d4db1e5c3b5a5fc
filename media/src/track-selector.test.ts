import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AudioTrack, VideoTrack } from './track.ts';
import { TrackSelector } from './track-selector.ts';

const base = { timescale: 48_000, codecString: '', config: new Uint8Array() };
const video: VideoTrack = { ...base, id: 1, kind: 'video', codec: 'h264', width: 320, height: 240 };
const audio: AudioTrack = { ...base, id: 2, kind: 'audio', codec: 'aac', sampleRate: 48_000, channels: 2 };
const both = { video: true, audio: true };

interface Case {
  readonly title: string;
  readonly announced?: { readonly video: boolean; readonly audio: boolean };
  /** Kinds whose parameters are known; default both. */
  readonly known?: string;
  /** When each arrived, ms. */
  readonly keyMs?: number;
  readonly audioMs?: number;
  readonly nowMs: number;
  readonly active: string;
  readonly isAudioDue: boolean;
}

/** The first key frame waits 400 ms for audio, and audio is silent after 10 s. */
const cases: readonly Case[] = [
  { title: 'nothing arrived', nowMs: 0, active: 'video', isAudioDue: true },
  { title: 'video alone, young', keyMs: 0, nowMs: 399, active: 'video', isAudioDue: true },
  { title: 'video alone, old enough', keyMs: 0, nowMs: 400, active: 'video', isAudioDue: false },
  { title: 'both', keyMs: 0, audioMs: 10, nowMs: 10, active: 'video audio', isAudioDue: false },
  { title: 'audio came first', keyMs: 50, audioMs: 0, nowMs: 50, active: 'video audio', isAudioDue: false },
  {
    title: 'audio is almost silent',
    keyMs: 0,
    audioMs: 0,
    nowMs: 9_999,
    active: 'video audio',
    isAudioDue: false,
  },
  { title: 'audio is silent', keyMs: 0, audioMs: 0, nowMs: 10_000, active: 'video', isAudioDue: false },
  {
    title: 'audio whose parameters are missing is not active',
    known: 'video',
    keyMs: 0,
    audioMs: 10,
    nowMs: 20,
    active: 'video',
    isAudioDue: true,
  },
  { title: 'audio without its video', known: 'audio', audioMs: 0, nowMs: 0, active: '', isAudioDue: false },
  {
    title: 'no audio announced',
    announced: { video: true, audio: false },
    known: 'video',
    keyMs: 0,
    nowMs: 0,
    active: 'video',
    isAudioDue: false,
  },
  {
    title: 'audio alone announced',
    announced: { video: false, audio: true },
    known: 'audio',
    audioMs: 0,
    nowMs: 60_000,
    active: 'audio',
    isAudioDue: true,
  },
  {
    title: 'audio alone announced, parameters missing',
    announced: { video: false, audio: true },
    known: '',
    nowMs: 0,
    active: '',
    isAudioDue: true,
  },
];

for (const { title, announced = both, known = 'video audio', keyMs, audioMs, nowMs, ...expected } of cases) {
  test(`[R10.1] active tracks: ${title}`, () => {
    const selector = new TrackSelector(announced, { startMs: 400, silentMs: 10_000 });
    if (known.includes('video')) selector.setTrack(video);
    if (known.includes('audio')) selector.setTrack(audio);
    if (keyMs !== undefined) selector.noteVideo(true, keyMs);
    if (audioMs !== undefined) selector.noteAudio(audioMs);
    const active = selector.active(nowMs).map(({ kind }) => kind);
    assert.deepEqual({ active: active.join(' '), isAudioDue: selector.isAudioDue(nowMs) }, expected);
  });
}

test('audio that will not arrive is not due', () => {
  const selector = new TrackSelector(both, { startMs: 400, silentMs: 10_000 });
  assert.equal(selector.isAudioDue(0), true);
  selector.expectNoAudio();
  assert.equal(selector.isAudioDue(0), false);
});

test('video is seen with its first frame, and only a key frame begins the wait for the audio', () => {
  const selector = new TrackSelector(both, { startMs: 400, silentMs: 10_000 });
  assert.equal(selector.isVideoSeen, false);
  selector.noteVideo(false, 0);
  assert.equal(selector.isVideoSeen, true);
  assert.equal(selector.isAudioDue(5_000), true);
  selector.noteVideo(true, 5_000);
  assert.equal(selector.isAudioDue(5_399), true);
  selector.noteVideo(true, 5_399);
  assert.equal(selector.isAudioDue(5_400), false);
});
