import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ErrorCode } from '@vidette/contract/errors';
import { Fault } from '../base/fault.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { audioTrack, frame, audio, videoTrack } from '../hub/sample-fixture.ts';
import { parseSourceAddress } from '../dial/address.ts';
import { probe } from './probe.ts';
import { ScriptedSession } from './scripted-session.ts';

function scene(url = 'rtsp://cam/1', signal?: AbortSignal) {
  const clock = new ManualClock();
  const sessions: ScriptedSession[] = [];
  const openSession = (engine: 'rtsp' | 'av') => {
    const session = new ScriptedSession(engine);
    sessions.push(session);
    return session;
  };
  const result = probe(parseSourceAddress(url), { clock, openSession, ...(signal ? { signal } : {}) });
  return { clock, sessions, result };
}

const session = (sessions: ScriptedSession[], at = 0) => sessions[at] ?? assert.fail('no such session');
const settle = async () => {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
};

test('a probe ends with the first complete frame and disconnects from the source', async () => {
  const { clock, sessions, result } = scene();
  const { sink } = session(sessions);
  sink.tracks([videoTrack, audioTrack]);
  sink.sample(audio(0));
  sink.sample(frame(0));
  const key = frame(1, { isKey: true });
  sink.sample(key);
  assert.deepEqual(await result, {
    transport: 'RTSP over TCP',
    tracks: [videoTrack, audioTrack],
    keyTrack: videoTrack,
    keySample: key,
  });
  await settle();
  assert.ok(session(sessions).isReleased);
  assert.equal(clock.pendingTimers, 0);
});

test('[R8.11] every failure is reported as one of the probe codes', async () => {
  const codes: [ErrorCode, ErrorCode][] = [
    ['EHOSTUNREACH', 'EHOSTUNREACH'],
    ['HTTP_NOT_FOUND', 'HTTP_NOT_FOUND'],
    ['HTTP_UNAUTHORIZED', 'HTTP_UNAUTHORIZED'],
    ['STREAM_SOURCE_ERR', 'STREAM_SOURCE_ERR'],
    ['FeatureNotFound', 'ProbeError'],
  ];
  for (const [thrown, expected] of codes) {
    const { sessions, result } = scene('http://cam/mjpeg');
    session(sessions).fail(new Fault(thrown, 'Words.'));
    await assert.rejects(result, { code: expected, message: 'Words.' });
  }
});

test('silence ends at the time limit: unreachable without a response, ProbeError after one', async () => {
  const silent = scene();
  silent.clock.advance(15_000);
  await assert.rejects(silent.result, { code: 'EHOSTUNREACH' });
  const empty = scene('http://cam/mjpeg');
  session(empty.sessions).sink.tracks([videoTrack]);
  empty.clock.advance(15_000);
  await assert.rejects(empty.result, { code: 'ProbeError' });
});

test('the fallback shares the time limit, and the native engine’s message is kept if the fallback fails too', async () => {
  const good = scene();
  session(good.sessions).fail(new Fault('ProbeError', 'No.'));
  await settle();
  const fallback = session(good.sessions, 1);
  assert.equal(fallback.engine, 'av');
  fallback.sink.tracks([videoTrack]);
  fallback.sink.sample(frame(0, { isKey: true }));
  assert.equal((await good.result).transport, 'RTSP, by FFmpeg');

  const bad = scene();
  bad.clock.advance(10_000);
  session(bad.sessions).fail(new Fault('ProbeError', 'No.'));
  await settle();
  bad.clock.advance(5_000);
  await assert.rejects(bad.result, { code: 'ProbeError', message: 'No.' });
});

test('RTSP over HTTP is read only by the native engine', async () => {
  for (const [url, transport] of [
    ['rtsph://cam/1', 'RTSP over HTTP'],
    ['rtspsh://cam/1', 'RTSP over HTTPS'],
  ] as const) {
    const good = scene(url);
    const { engine, sink } = session(good.sessions);
    assert.equal(engine, 'rtsp');
    sink.tracks([videoTrack]);
    sink.sample(frame(0, { isKey: true }));
    assert.equal((await good.result).transport, transport);
    const bad = scene(url);
    session(bad.sessions).fail(new Fault('ProbeError', 'No.'));
    await assert.rejects(bad.result, { code: 'ProbeError', message: 'No.' });
    assert.equal(bad.sessions.length, 1);
  }
});

test('a probe ends when its caller disconnects', async () => {
  const abort = new AbortController();
  const { clock, sessions, result } = scene('rtsp://cam/1', abort.signal);
  const reason = new Error('left');
  abort.abort(reason);
  await assert.rejects(result, reason);
  assert.ok(session(sessions).isReleased);
  assert.equal(clock.pendingTimers, 0);
});
