import assert from 'node:assert/strict';
import { before, test, type TestContext } from 'node:test';
import type { Sample } from '@vidette/media/sample';
import { systemClock } from '../../server/src/base/clock.ts';
import { ManualClock } from '../../server/src/base/manual-clock.ts';
import { PollRounds } from '../../server/src/ingest/rtsp/poll-rounds.ts';
import { RtspSession } from '../../server/src/ingest/rtsp/session.ts';
import type { PauseCause, Reader } from '../../server/src/hub/reader.ts';
import { Stream } from '../../server/src/hub/stream.ts';
import { until } from '../../server/src/base/until-fixture.ts';
import { startFakeCamera, type FakeCamera, type FakeCameraOptions } from './fake-camera.ts';
import { encodeClip, type CameraClip } from './fake-media.ts';
import { listen, loopbackDial } from './listening.ts';

let clip: CameraClip;
before(async () => {
  clip = await encodeClip();
});

interface Paced {
  readonly camera: FakeCamera;
  readonly stream: Stream;
  /** Drives only the rounds; the session itself runs in real time. */
  readonly clock: ManualClock;
  /** The output to a reader that tolerates latency, in order. */
  readonly samples: readonly Sample[];
  readonly stop: () => void;
  readonly ended: Promise<PauseCause | Error>;
}

/** A session whose only reader tolerates latency, paused for the first time. */
async function rested(t: TestContext, options: Omit<FakeCameraOptions, 'clip'>): Promise<Paced> {
  const camera = await startFakeCamera({ clip, paceMs: 10, ...options });
  t.after(() => camera.stop());
  const stream = new Stream('s');
  const clock = new ManualClock();
  const samples: Sample[] = [];
  collect(stream, samples, true);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const pace = { audience: stream, rounds: new PollRounds(clock) };
  const session = new RtspSession({ url: camera.url, clock: systemClock, dial: loopbackDial, polling: pace });
  const sink = {
    tracks: stream.setTracks.bind(stream),
    sample: stream.write.bind(stream),
    awaiting() {},
    lost() {},
    note() {},
  };
  const ended = session.run(sink, stop.signal).catch((error: unknown) => error as Error);
  await until(() => clock.pendingTimers === 1);
  return { camera, stream, clock, samples, stop: () => stop.abort(), ended };
}

function collect(stream: Stream, samples: Sample[], toleratesLatency: boolean): Reader {
  const reader = stream.addReader({
    name: 'test',
    maxBytes: 1 << 24,
    from: 'gop',
    toleratesLatency,
    onReadable() {
      for (let event = reader.take(); event; event = reader.take())
        if (event.type === 'sample') samples.push(event.sample);
    },
  });
  return reader;
}

/** Asserts every frame of the clip up to `count`, complete and in order. */
function assertWhole(samples: readonly Sample[], count: number): void {
  assert.equal(samples.length, count);
  samples.forEach((sample, index) => {
    const nals = clip.frames[index % clip.frames.length]?.nals ?? [];
    assert.equal(
      sample.size,
      nals.reduce((sum, nal) => sum + 4 + nal.length, 0),
    );
    assert.equal(sample.isDamaged, false);
    assert.ok(index === 0 || sample.dts > (samples[index - 1]?.dts ?? Infinity));
  });
}

test('nothing is read between rounds, and nothing is lost by them', async (t) => {
  const { camera, clock, samples } = await rested(t, { parameters: 'described', frames: 200 });
  const before = samples.length;
  // By the time another client of the camera has all its frames, ours have been sent too.
  await listen({ url: camera.url }, (heard) => heard.samples.length === 199);
  assert.equal(samples.length, before);
  assert.ok(before < 199);
  // The system's buffers can't hold all of it at first, so that the camera has to wait too.
  await until(() => {
    clock.advance(225);
    return samples.length >= 199;
  });
  assertWhole(samples.slice(0, 199), 199);
});

test('a new viewer immediately gets the GOP so far and the pending data, without waiting for the round', async (t) => {
  const { stream, clock, samples } = await rested(t, { parameters: 'described', frames: 200 });
  const watched: Sample[] = [];
  const viewer = collect(stream, watched, false);
  await until(() => samples.length >= 199);
  assertWhole(samples.slice(0, 199), 199);
  assert.equal(watched[0]?.isKey, true);
  assert.equal(watched.at(-1), samples.at(-1));
  assert.equal(clock.monotonicMs(), 0);
  viewer.close();
});

test('when no viewer is left the connection is paused again', async (t) => {
  const { stream, clock, samples } = await rested(t, {});
  const viewer = collect(stream, [], false);
  const before = samples.length;
  await until(() => samples.length > before + 5);
  clock.advance(225);
  assert.equal(clock.pendingTimers, 0, 'no poll round while there is a viewer');
  viewer.close();
  await until(() => clock.pendingTimers === 1);
});

test('[R10.2] a camera that closes the connection is detected, after everything it sent', async (t) => {
  const { clock, samples, ended } = await rested(t, { parameters: 'described', dropAfter: 200 });
  let end: PauseCause | Error | undefined;
  void ended.then((how) => (end = how));
  await until(() => {
    clock.advance(225);
    return end !== undefined;
  });
  assert.ok(end instanceof Error);
  assert.match(end.message, /closed the connection/);
  assertWhole(samples.slice(0, 199), 199);
});

test('a goodbye is processed in the next round', async (t) => {
  const { clock, ended } = await rested(t, { goodbyeAfter: 200 });
  let end: PauseCause | Error | undefined;
  void ended.then((how) => (end = how));
  await until(() => {
    clock.advance(225);
    return end !== undefined;
  });
  assert.equal(end, 'ended');
});

test('a session that is stopped while paused sends its goodbye and closes the connection', async (t) => {
  const { camera, clock, stop, ended } = await rested(t, {});
  stop();
  assert.equal(await ended, 'stopped');
  await until(() => camera.requests.some(({ method }) => method === 'TEARDOWN'));
  clock.advance(1000);
  assert.equal(clock.pendingTimers, 0);
});

test('a camera that sends more than the buffers for one round is always read immediately', async (t) => {
  const noisy = await encodeClip({ width: 640, height: 360, isNoisy: true, frames: 10 });
  const camera = await startFakeCamera({ clip: noisy, paceMs: 40 });
  t.after(() => camera.stop());
  const stream = new Stream('s');
  const clock = new ManualClock();
  const pace = { audience: stream, rounds: new PollRounds(clock) };
  const stop = new AbortController();
  t.after(() => stop.abort());
  const session = new RtspSession({ url: camera.url, clock: systemClock, dial: loopbackDial, polling: pace });
  const sink = {
    tracks: stream.setTracks.bind(stream),
    sample: stream.write.bind(stream),
    awaiting() {},
    lost() {},
    note() {},
  };
  const ended = session.run(sink, stop.signal);
  await until(() => stream.counters.videoSamples > 60);
  assert.equal(clock.pendingTimers, 0);
  stop.abort();
  await ended;
});
