import assert from 'node:assert/strict';
import { before, test, type TestContext } from 'node:test';
import { aacTrack } from '@vidette/media/codec/aac';
import { systemClock } from '../../server/src/base/clock.ts';
import { silentLog } from '../../server/src/base/log.ts';
import { until } from '../../server/src/base/until-fixture.ts';
import { parseSourceAddress } from '../../server/src/dial/address.ts';
import { canConnect } from '../../server/src/dial/dial.ts';
import { probe } from '../../server/src/ingest/probe.ts';
import { RtspSession } from '../../server/src/ingest/rtsp/session.ts';
import type { TranscodeAudio } from '../../server/src/ingest/rtsp/transcoded-audio-depacketizer.ts';
import type { OpenSession } from '../../server/src/ingest/running-attempt.ts';
import { StreamLog } from '../../server/src/ingest/stream-log.ts';
import { Supervisor } from '../../server/src/ingest/supervisor.ts';
import { Fault } from '../../server/src/base/fault.ts';
import type { PauseCause, ReaderEvent } from '../../server/src/hub/reader.ts';
import { Stream } from '../../server/src/hub/stream.ts';
import { startFakeCamera, type FakeCamera, type FakeCameraOptions } from './fake-camera.ts';
import { encodeClip, type CameraClip } from './fake-media.ts';
import { loopbackDial } from './listening.ts';

let clip: CameraClip;
before(async () => {
  clip = await encodeClip();
});

type CameraOptions = Omit<FakeCameraOptions, 'clip'> & { clip?: CameraClip };

async function camera(t: TestContext, options: CameraOptions): Promise<FakeCamera> {
  const started = await startFakeCamera({ clip, paceMs: 10, ...options });
  t.after(() => started.stop());
  return started;
}

/** Only our own engine, without FFmpeg's, as on a machine without node-av. */
function opener(text: string): OpenSession {
  const { url, credentials } = parseSourceAddress(text);
  return (engine) => {
    if (engine === 'av') throw new Fault('ProbeError', 'FFmpeg is not installed.');
    return new RtspSession({
      url,
      ...(credentials && { credentials }),
      clock: systemClock,
      dial: loopbackDial,
      transcodeAudio: silentTranscoder,
    });
  };
}

/** AAC of one byte per packet: here it only matters that audio flows. */
const silentTranscoder: TranscodeAudio = ({ clockRate, onTrack, onFrame }) => {
  onTrack(aacTrack(2, Buffer.from([0x15, 0x88])));
  assert.equal(clockRate, 8000);
  return { write: (_bytes, ticks) => (onFrame(Buffer.of(0), ticks), true), close() {} };
};

interface Supervised {
  readonly supervisor: Supervisor;
  readonly stream: Stream;
  readonly pauses: PauseCause[];
  /** How often a connection to the port was attempted. */
  readonly looks: () => number;
}

interface Patience {
  readonly noFramesMs?: number;
  readonly firstFrameMs?: number;
}

function supervise(t: TestContext, url: string, patience: Patience = {}): Supervised {
  const stream = new Stream('s');
  let looks = 0;
  const supervisor = new Supervisor({
    address: parseSourceAddress(url),
    stream,
    clock: systemClock,
    log: new StreamLog(systemClock, silentLog),
    openSession: opener(url),
    reach: {
      canConnect: (signal) => {
        looks++;
        return canConnect(loopbackDial, '127.0.0.1', Number(new URL(url).port), signal);
      },
      turnMs: () => 0,
    },
    ...patience,
  });
  const pauses: PauseCause[] = [];
  const reader = stream.addReader({
    name: 'test',
    maxBytes: 1 << 24,
    from: 'gop',
    onReadable: () => {
      for (let event: ReaderEvent | undefined = reader.take(); event; event = reader.take()) {
        if (event.type === 'pause') pauses.push(event.cause);
      }
    },
  });
  t.after(() => supervisor.stop('stopped'));
  supervisor.start();
  return { supervisor, stream, pauses, looks: () => looks };
}

test('[R10.2] a server that drops the connection repeatedly is reconnected to each time', async (t) => {
  const { url } = await camera(t, { dropAfter: 40 });
  const { supervisor, stream } = supervise(t, url);
  await until(() => stream.counters.videoSamples > 80);
  assert.ok(stream.generation >= 2);
  assert.ok(supervisor.attempts.length >= 2);
  assert.ok(supervisor.attempts.every(({ goodMs }) => goodMs > 0));
});

test('[R10.2] an unreachable camera is retried, and connected to once when it returns', async (t) => {
  const first = await startFakeCamera({ clip, paceMs: 40 });
  const { supervisor, stream, looks } = supervise(t, first.url);
  await until(() => stream.counters.videoSamples > 270);
  await first.stop();
  await until(() => supervisor.status.state === 'failed');
  const looksBefore = looks();
  await until(() => looks() >= looksBefore + 3, 'looks for the camera while it is away');
  const before = stream.counters.videoSamples;
  const second = await camera(t, { paceMs: 40, port: first.port });
  const backMs = performance.now();
  await until(() => stream.counters.videoSamples > before);
  t.diagnostic(`frames ${((performance.now() - backMs) / 1_000).toFixed(2)} s after the return`);
  assert.equal(second.requests.filter(({ method }) => method === 'DESCRIBE').length, 1);
  assert.ok(supervisor.attempts.length <= 2, 'no attempts while nothing listened');
});

test('[R10.2] a server that stops sending while the socket stays open is noticed by its missing frames', async (t) => {
  const { url } = await camera(t, { stallAfter: 30 });
  const { supervisor, stream, pauses } = supervise(t, url, { noFramesMs: 500 });
  await until(() => stream.counters.videoSamples > 30);
  assert.equal(pauses[0], 'no-frames');
  assert.match(supervisor.attempts[0]?.reason ?? '', /stopped sending video/);
});

test('[R10.2] video that stops while audio continues: the stream is not running, with the reason, and it recovers', async (t) => {
  // 40 frames on the first connection, none on the second, then all.
  const shows = (frame: number, connection: number) => (connection === 0 ? frame < 40 : connection > 1);
  const { url } = await camera(t, { audio: 'pcmu', shows });
  const { supervisor, stream } = supervise(t, url, { noFramesMs: 500, firstFrameMs: 500 });
  await until(() => supervisor.status.state === 'failed');
  const soFar = stream.counters.videoSamples;
  assert.equal(supervisor.status.code, 'NO_VIDEO_ERR');
  assert.match(supervisor.status.reason ?? '', /stopped sending video/);
  // A reader that waits for each frame has the first one before the second one shows that there is a stream.
  await until(() => supervisor.status.state === 'running');
  assert.ok(stream.counters.videoSamples > soFar);
  assert.match(supervisor.attempts[1]?.reason ?? '', /announces video but sent only audio/);
});

test('[R10.2] video that starts late, and after the audio, is waited for', async (t) => {
  // 2 s after the connection: the attempts wait 0.8, 1.6 and 2.4 s.
  const { url } = await camera(t, { audio: 'pcmu', shows: (frame) => frame >= 200 });
  const { supervisor, stream } = supervise(t, url, { firstFrameMs: 800 });
  await until(() => stream.counters.videoSamples > 5);
  assert.equal(supervisor.status.state, 'running');
  assert.ok(supervisor.attempts.every(({ code, goodMs }) => code === 'NO_VIDEO_ERR' && goodMs === 0));
});

test('[R10.2] a slow camera is not reconnected to: each frame is later than the limit of a quick one', async (t) => {
  const slow = await camera(t, { paceMs: 1_000 });
  const { supervisor, stream } = supervise(t, slow.url, { noFramesMs: 500 });
  await until(() => stream.counters.videoSamples >= 8);
  assert.equal(slow.connections, 1);
  assert.equal(supervisor.status.state, 'running');
});

test('[R10.1] a camera that returns with another codec: the same stream continues with it', async (t) => {
  const first = await startFakeCamera({ clip, paceMs: 10 });
  const { supervisor, stream } = supervise(t, first.url);
  await until(() => stream.counters.videoSamples > 20);
  await first.stop();
  const before = stream.counters.videoSamples;
  const h265 = await encodeClip({ codec: 'h265' });
  await camera(t, { clip: h265, port: first.port });
  await until(() => stream.counters.videoSamples > before + 20);
  assert.deepEqual(
    stream.tracks?.map(({ codec }) => codec),
    ['h265'],
  );
  assert.equal(supervisor.status.state, 'running');
});

const troubles: readonly [string, Omit<FakeCameraOptions, 'clip'>, string][] = [
  ['a wrong password', { auth: { scheme: 'digest', user: 'admin', password: 'right' } }, 'HTTP_UNAUTHORIZED'],
  ['a path that does not exist', { status: { DESCRIBE: 404 } }, 'HTTP_NOT_FOUND'],
  ['an HTML page in place of a stream', { html: '<html>Hello</html>' }, 'ProbeError'],
];

for (const [name, options, code] of troubles) {
  test(`[R8.11] [R10.2] ${name}: its code in a probe, its text in the status`, async (t) => {
    const { url } = await camera(t, options);
    const address = url.replace('rtsp://', 'rtsp://admin:hunter2@');
    await assert.rejects(
      probe(parseSourceAddress(address), { clock: systemClock, openSession: opener(address) }),
      (error) => error instanceof Fault && error.code === code && !/hunter2/.test(error.message),
    );
    const { supervisor } = supervise(t, address);
    await until(() => supervisor.status.state === 'failed');
    assert.equal(supervisor.status.code, code);
    assert.match(supervisor.status.reason ?? '', /^[A-Z].* .*\.$/);
  });
}

test('[R8.11] a closed port is EHOSTUNREACH immediately, a server that never answers within the limit', async (t) => {
  const closed = await startFakeCamera({ clip });
  await closed.stop();
  await assert.rejects(
    probe(parseSourceAddress(closed.url), { clock: systemClock, openSession: opener(closed.url) }),
    { code: 'EHOSTUNREACH', message: /refused the connection/ },
  );
  const silent = await camera(t, { ignores: 'OPTIONS', replyDelayMs: 60_000 });
  await assert.rejects(
    probe(parseSourceAddress(silent.url), {
      clock: systemClock,
      openSession: opener(silent.url),
      timeoutMs: 300,
    }),
    { code: 'EHOSTUNREACH' },
  );
});

test('a probe of a real session gives its tracks and first key frame', async (t) => {
  const { url } = await camera(t, {});
  const { tracks, keyTrack, keySample, transport } = await probe(parseSourceAddress(url), {
    clock: systemClock,
    openSession: opener(url),
  });
  assert.equal(transport, 'RTSP over TCP');
  assert.deepEqual(tracks, [keyTrack]);
  assert.ok(keySample.isKey && keySample.size > 100);
});
