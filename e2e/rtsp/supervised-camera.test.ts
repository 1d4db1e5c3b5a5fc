import assert from 'node:assert/strict';
import { before, test, type TestContext } from 'node:test';
import { systemClock } from '../../server/src/base/clock.ts';
import { silentLog } from '../../server/src/base/log.ts';
import { until } from '../../server/src/base/until-fixture.ts';
import { parseSourceAddress } from '../../server/src/dial/address.ts';
import { canConnect } from '../../server/src/dial/dial.ts';
import { probe } from '../../server/src/ingest/probe.ts';
import { RtspSession } from '../../server/src/ingest/rtsp/session.ts';
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

async function camera(t: TestContext, options: Omit<FakeCameraOptions, 'clip'>): Promise<FakeCamera> {
  const started = await startFakeCamera({ clip, paceMs: 10, ...options });
  t.after(() => started.stop());
  return started;
}

/** Our own engine; FFmpeg's is not there, as on a machine without node-av. */
function opener(text: string): OpenSession {
  const { url, credentials } = parseSourceAddress(text);
  return (engine) => {
    if (engine === 'av') throw new Fault('ProbeError', 'FFmpeg is not installed.');
    return new RtspSession({
      url,
      ...(credentials && { credentials }),
      clock: systemClock,
      dial: loopbackDial,
    });
  };
}

interface Supervised {
  readonly supervisor: Supervisor;
  readonly stream: Stream;
  readonly pauses: PauseCause[];
  /** How often the port was checked for a listener. */
  readonly looks: () => number;
}

function supervise(t: TestContext, url: string, noFramesMs?: number): Supervised {
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
    ...(noFramesMs === undefined ? {} : { noFramesMs }),
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

test('[R10.2] a server that drops the connection again and again is connected to again and again', async (t) => {
  const { url } = await camera(t, { dropAfter: 40 });
  const { supervisor, stream } = supervise(t, url);
  await until(() => stream.counters.videoSamples > 80);
  assert.ok(stream.generation >= 2);
  assert.ok(supervisor.attempts.length >= 2);
  assert.ok(supervisor.attempts.every(({ goodMs }) => goodMs > 0));
});

test('[R10.2] a camera that was away is retried repeatedly, and connected to once when it is back', async (t) => {
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
  t.diagnostic(`pictures ${((performance.now() - backMs) / 1_000).toFixed(2)} s after the return`);
  assert.equal(second.requests.filter(({ method }) => method === 'DESCRIBE').length, 1);
  assert.ok(supervisor.attempts.length <= 2, 'no attempts while nothing listened');
});

test('[R10.2] a server that stops sending while the socket stays open is noticed by its missing frames', async (t) => {
  const { url } = await camera(t, { stallAfter: 30 });
  const { supervisor, stream, pauses } = supervise(t, url, 500);
  await until(() => stream.counters.videoSamples > 30);
  assert.equal(pauses[0], 'no-frames');
  assert.match(supervisor.attempts[0]?.reason ?? '', /stopped sending pictures/);
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
