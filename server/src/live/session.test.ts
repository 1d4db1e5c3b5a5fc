import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { parseFragmentHeader } from '@vidette/media/fmp4/read-moof';
import { walkBoxes } from '@vidette/media/fmp4/box';
import { parseInit } from '@vidette/media/fmp4/read-init';
import { atTime } from '@vidette/media/placed-sample';
import type { Sample } from '@vidette/media/sample';
import { ManualClock } from '../base/manual-clock.ts';
import { LoadLevel } from '../base/load-level.ts';
import { silentLog } from '../base/log.ts';
import { Stream } from '../hub/stream.ts';
import { clipStartMs, encodeClip, type LiveClip } from './clip-fixture.ts';
import { LiveFragmenter } from './fragmenter.ts';
import { Live } from './live.ts';
import { RecordingSink } from './recording-sink.ts';
import { LiveSession, type LiveVariant } from './session.ts';

let clip: LiveClip;
before(async () => {
  clip = await encodeClip({ seconds: 4 });
});

const everything: LiveVariant = { audio: true, keyFramesOnly: false };
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

class SessionScene {
  readonly clock = new ManualClock();
  readonly stream = new Stream('s');
  readonly load = new LoadLevel();
  readonly fragmenter = new LiveFragmenter();
  readonly ended: string[] = [];

  view(variant = everything): { sink: RecordingSink; session: LiveSession } {
    const sink = new RecordingSink();
    const session = new LiveSession({
      stream: this.stream,
      fragmenter: this.fragmenter,
      sink,
      clock: this.clock,
      load: this.load,
      variant,
      onEnd: (code) => this.ended.push(code),
    });
    return { sink, session };
  }

  async write(samples: readonly Sample[]): Promise<void> {
    for (const sample of samples) {
      this.stream.write(sample);
      await turn();
      this.clock.advance(14);
      await turn();
    }
  }
}

/** Frames of the clip by number, with the audio between them. */
function upToFrame(count: number): Sample[] {
  const video = clip.tracks.find(({ kind }) => kind === 'video');
  let frames = 0;
  return clip.samples.filter(({ trackId }) => {
    if (trackId === video?.id) frames++;
    return frames <= count;
  });
}

interface SentSample {
  readonly trackId: number;
  readonly dts: number;
  readonly duration: number;
}

/** The contents of the fragments, in order. */
function samplesIn(media: readonly Uint8Array[]): SentSample[] {
  return media.flatMap((bytes) => {
    const [box] = walkBoxes(bytes);
    if (box?.type !== 'moof') return [];
    return parseFragmentHeader(bytes.subarray(0, box.size)).tracks.flatMap((run) => {
      let dts = run.baseDts;
      return run.samples.map(({ duration }) => {
        const sent = { trackId: run.trackId, dts, duration };
        dts += duration;
        return sent;
      });
    });
  });
}

const videoOf = (sent: readonly SentSample[]) =>
  sent.filter(({ trackId }) => clip.tracks.find(({ id }) => id === trackId)?.kind === 'video');

test('[R7.12] a viewer immediately receives messages, init segment and the GOP so far, then a fragment per frame', async () => {
  const scene = new SessionScene();
  scene.stream.setTracks(clip.tracks);
  const samples = upToFrame(30);
  const soFar = upToFrame(10);
  await scene.write(soFar);
  const { sink } = scene.view();
  await turn();
  // The newest frame is a fragment of its own, and waits for nothing.
  assert.deepEqual(sink.order, ['init', 'media', 'media', 'media']);
  const [init] = sink.messages;
  assert.ok(init?.type === 'init');
  assert.match(init.mimeType, /^video\/mp4; codecs="avc1\.[0-9a-f]{6}, mp4a\.40\.2"$/);
  assert.equal(init.startMs, clipStartMs);
  assert.deepEqual(
    init.tracks.map(({ kind }) => kind),
    ['video', 'audio'],
  );
  assert.deepEqual(parseInit(sink.media[0] ?? new Uint8Array()).length, 2);
  assert.equal(videoOf(samplesIn(sink.media)).length, 10);
  await scene.write(samples.slice(soFar.length));
  const frames = videoOf(samplesIn(sink.media));
  assert.equal(frames.length, 30);
  // The durations of the newest frames are guesses, the others are known.
  assert.deepEqual(
    frames.map(({ duration }) => duration),
    frames.map((_, at) => (at < 9 ? 3_600 : 22_500)),
  );
  // Init, the GOP so far, its newest frame, and one message for each frame since.
  assert.equal(sink.media.length, 3 + 20);
});

test('a fragment is built once, however many viewers there are', async () => {
  const scene = new SessionScene();
  scene.stream.setTracks(clip.tracks);
  const first = scene.view();
  const others = [scene.view(), scene.view(), scene.view()];
  await scene.write(clip.samples);
  const { builds } = scene.fragmenter;
  assert.equal(builds, first.sink.media.length - 1);
  for (const { sink } of others) {
    assert.equal(sink.media.length, first.sink.media.length);
    assert.ok(sink.media.every((bytes, at) => bytes === first.sink.media[at]));
  }
});

test('a slow viewer skips to a key frame, is notified, and never has more than the limit waiting', async () => {
  const scene = new SessionScene();
  scene.stream.setTracks(clip.tracks);
  const { sink, session } = scene.view();
  await scene.write(upToFrame(10));
  sink.bufferedBytes = 10_000_000;
  await scene.write(clip.samples.slice(upToFrame(10).length));
  const before = sink.media.length;
  sink.bufferedBytes = 0;
  session.resume();
  await turn();
  assert.ok(before < 15);
  const told = sink.messages.at(-1);
  assert.ok(told?.type === 'skipped' && told.samples > 0);
  const frames = videoOf(samplesIn(sink.media));
  const jump = frames.findIndex(({ dts }, at) => at > 0 && dts - (frames[at - 1]?.dts ?? dts) > 3_600 * 2);
  // The clip's fourth and last GOP: its key frame is frame 75.
  assert.equal(frames[jump]?.dts, (clipStartMs / 1000) * 90_000 + 75 * 3_600);
  assert.equal(session.skippedSamples, told.samples);
});

test('announced audio that is not sent does not delay the video; it is added when it arrives', async () => {
  const scene = new SessionScene();
  const audio = clip.tracks.find(({ kind }) => kind === 'audio');
  scene.stream.setTracks(clip.tracks);
  const { sink } = scene.view();
  const half = upToFrame(50);
  await scene.write(half.filter(({ trackId }) => trackId !== audio?.id));
  assert.ok(sink.messages[0]?.type === 'init' && !sink.messages[0].mimeType.includes('mp4a'));
  assert.equal(sink.messages.length, 1);
  await scene.write(clip.samples.slice(half.length));
  const inits = sink.messages.filter((message) => message.type === 'init');
  assert.equal(inits.length, 2);
  assert.match(inits[1]?.mimeType ?? '', /mp4a/);
});

test('audio that stops is removed at the next key frame', async () => {
  const scene = new SessionScene();
  const audio = clip.tracks.find(({ kind }) => kind === 'audio');
  scene.stream.setTracks(clip.tracks);
  const { sink } = scene.view();
  const head = upToFrame(10);
  await scene.write(head);
  await scene.write(clip.samples.slice(head.length).filter(({ trackId }) => trackId !== audio?.id));
  const inits = sink.messages.filter((message) => message.type === 'init');
  assert.deepEqual(
    inits.map(({ mimeType }) => mimeType.includes('mp4a')),
    [true, false],
  );
});

test('variants: without audio, and key frames only', async () => {
  const scene = new SessionScene();
  scene.stream.setTracks(clip.tracks);
  const silent = scene.view({ audio: false, keyFramesOnly: false });
  const tile = scene.view({ audio: true, keyFramesOnly: true });
  for (const sample of clip.samples) {
    scene.stream.write(sample);
    await turn();
    scene.clock.advance(20);
  }
  scene.clock.advance(100);
  const sentSilent = samplesIn(silent.sink.media);
  assert.equal(sentSilent.length, 100);
  assert.ok(silent.sink.messages[0]?.type === 'init' && !silent.sink.messages[0].mimeType.includes('mp4a'));
  const keys = samplesIn(tile.sink.media);
  assert.equal(keys.length, 4);
  // A player must find no gap before the next key frame.
  keys.forEach(({ dts, duration }, at) => assert.ok(dts + duration >= (keys[at + 1]?.dts ?? 0)));
});

test('a camera that slows down from 25 to 3 frames a second is never treated as interrupted', async () => {
  const scene = new SessionScene();
  const video = clip.tracks.filter(({ kind }) => kind === 'video');
  scene.stream.setTracks(video);
  const { sink } = scene.view();
  const frames = clip.samples.filter(({ trackId }) => trackId === video[0]?.id).slice(0, 25);
  const slowFrom = 10;
  for (const [at, frame] of frames.entries()) {
    const late = Math.max(0, at - slowFrom) * 27_000;
    scene.stream.write(atTime(frame, frame.dts + late, frame.pts + late));
    await turn();
    scene.clock.advance(at < slowFrom ? 40 : 340);
  }
  const sent = samplesIn(sink.media);
  assert.equal(sent.length, 25);
  sent.forEach(({ dts, duration }, at) => {
    const next = sent[at + 1];
    // Media Source Extensions, coded frame processing: a step of more than twice the last duration is a break.
    if (next) assert.ok(next.dts - dts <= 2 * duration, `frame ${at}: ${next.dts - dts} after ${duration}`);
  });
});

test('pause and resume are reported, parameters are sent again, and the end has a code', async () => {
  const scene = new SessionScene();
  const { sink } = scene.view();
  await turn();
  assert.deepEqual(sink.messages, [{ type: 'waiting', reason: 'connecting' }]);
  scene.stream.setTracks(clip.tracks);
  await scene.write(upToFrame(5));
  scene.stream.pause('no-frames');
  scene.stream.setTracks(clip.tracks);
  await scene.write(upToFrame(5));
  scene.stream.end('removed');
  await turn();
  assert.deepEqual(
    sink.messages.map(({ type }) => type),
    ['waiting', 'init', 'waiting', 'init', 'end'],
  );
  assert.deepEqual(sink.messages[2], { type: 'waiting', reason: 'no-frames' });
  const generations = sink.messages
    .filter((message) => message.type === 'init')
    .map(({ generation }) => generation);
  assert.deepEqual(generations, [1, 2]);
  assert.deepEqual(sink.messages.at(-1), { type: 'end', code: 'NotFound' });
  assert.deepEqual(scene.ended, ['NotFound']);
  // Nothing was held back when the source paused: all five frames of both runs were sent.
  assert.equal(videoOf(samplesIn(sink.media)).length, 10);
  assert.equal(scene.clock.pendingTimers, 0);
});

test('an internal error ends that viewer’s session, not the stream', async () => {
  const scene = new SessionScene();
  const broken = clip.tracks.map((track) => ({ ...track, config: new Uint8Array(1) }));
  scene.stream.setTracks(broken);
  const { sink } = scene.view();
  await scene.write(upToFrame(3));
  assert.deepEqual(sink.messages.at(-1), { type: 'end', code: 'InternalServerError' });
  assert.equal(scene.stream.readerCount, 0);
  assert.equal(scene.stream.counters.videoSamples, 3);
});

test('viewers and bytes are counted, including those of viewers that have left', async () => {
  const live = new Live({ clock: new ManualClock(), log: silentLog, load: new LoadLevel() });
  const stream = new Stream('s');
  stream.setTracks(clip.tracks);
  const sink = new RecordingSink();
  const session = live.open(stream, sink, everything, () => {});
  for (const sample of upToFrame(10)) stream.write(sample);
  await turn();
  const bytes = sink.media.reduce((sum, { length }) => sum + length, 0);
  assert.deepEqual(live.audience(stream), { viewers: 1, bytesSent: bytes, skippedSamples: 0 });
  session.close();
  session.close();
  assert.deepEqual(live.audience(stream), { viewers: 0, bytesSent: bytes, skippedSamples: 0 });
  assert.equal(stream.readerCount, 0);
});

/** The decode times of the frames, in seconds since the start of the clip, and until when each is shown. */
function spansIn(media: readonly Uint8Array[]): number[][] {
  const timescale = clip.tracks.find(({ kind }) => kind === 'video')?.timescale ?? 1;
  const seconds = (ticks: number) => Math.round((ticks / timescale - clipStartMs / 1000) * 100) / 100;
  return videoOf(samplesIn(media)).map(({ dts, duration }) => [seconds(dts), seconds(dts + duration)]);
}

test('[R15.4] under overload a viewer gets key frames without audio, one after the other without a break, and later all frames again', async () => {
  const scene = new SessionScene();
  scene.stream.setTracks(clip.tracks);
  const { sink } = scene.view();
  const [first, rest, last] = [upToFrame(30), upToFrame(80), upToFrame(100)];
  await scene.write(first);
  const before = sink.media.length;
  scene.load.set(6);
  await scene.write(rest.slice(first.length));
  // Those at 2 s and 3 s; the last one is held for the next.
  const reduced = sink.media.slice(before);
  assert.deepEqual(spansIn(reduced), [[2, 3]]);
  const types = sink.messages.map(({ type }) => type);
  assert.deepEqual(types, ['init', 'reduced', 'init']);
  const inits = sink.messages.filter((message) => message.type === 'init');
  assert.deepEqual(
    inits.map(({ tracks }) => tracks.map(({ kind }) => kind)),
    [['video', 'audio'], ['video']],
  );
  const reducedAt = sink.media.length;
  scene.load.set(4);
  await scene.write(last.slice(rest.length));
  assert.equal(sink.media.length, reducedAt, 'all frames come with the next key frame');
  const again = clip.samples.slice(0, upToFrame(40).length).map((sample) => {
    const timescale = clip.tracks.find(({ id }) => id === sample.trackId)?.timescale ?? 1;
    return atTime(sample, sample.dts + 4 * timescale, sample.pts + 4 * timescale);
  });
  await scene.write(again);
  assert.deepEqual(sink.messages.slice(3), [
    { type: 'reduced', isReduced: false },
    sink.messages.findLast(({ type }) => type === 'init'),
  ]);
  const spans = spansIn(sink.media.slice(reducedAt));
  assert.deepEqual(spans.slice(0, 2), [
    [3, 4],
    [4, 4.25],
  ]);
  assert.equal(spans.length, 41);
});

test('[R15.4] sub-streams are reduced before live video, and a viewer of key frames notices nothing', async () => {
  const scene = new SessionScene();
  scene.stream.setTracks(clip.tracks);
  const sub = scene.view({ audio: false, keyFramesOnly: false, isSub: true });
  const main = scene.view();
  const keys = scene.view({ audio: false, keyFramesOnly: true, isSub: true });
  scene.load.set(5);
  await scene.write(upToFrame(60));
  const reductions = ({ sink }: { sink: RecordingSink }) =>
    sink.messages.filter(({ type }) => type === 'reduced').length;
  assert.deepEqual([sub, main, keys].map(reductions), [1, 0, 0]);
  assert.equal(spansIn(sub.sink.media).length, 2);
  assert.ok(spansIn(main.sink.media).length > 50);
});

test('[R15.4] at the last level new viewers have to wait, and those who watch stay', async () => {
  const load = new LoadLevel();
  const live = new Live({ clock: new ManualClock(), log: silentLog, load });
  const stream = new Stream('s');
  stream.setTracks(clip.tracks);
  const ends: string[] = [];
  live.open(stream, new RecordingSink(), everything, (code) => ends.push(`first ${code}`));
  load.set(6);
  const sink = new RecordingSink();
  live.open(stream, sink, everything, (code) => ends.push(`second ${code}`));
  await turn();
  assert.deepEqual(ends, ['second ServerOverloaded']);
  assert.deepEqual(sink.messages.at(-1), { type: 'end', code: 'ServerOverloaded' });
  assert.equal(live.audience(stream).viewers, 1);
  assert.throws(() => live.hls(stream), { code: 'ServerOverloaded' });
});
