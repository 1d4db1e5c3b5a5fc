import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../base/fault.ts';
import { silentLog } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { Stream } from '../hub/stream.ts';
import { ScriptedSession } from '../ingest/scripted-session.ts';
import type { SourceEngines } from '../ingest/source-engines.ts';
import { StreamLog } from '../ingest/stream-log.ts';
import { StreamFeed } from './stream-feed.ts';

/** What was promised has happened. */
async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

function opened() {
  const clock = new ManualClock();
  const log = new StreamLog(clock, silentLog);
  const opens: string[] = [];
  const sessions: ScriptedSession[] = [];
  const recordedElsewhere = { isIt: true };
  const replyTimeouts: (number | undefined)[] = [];
  const peerFeeds: string[] = [];
  let statuses = 0;
  const engines = {
    opener:
      (
        { host }: { host: string },
        allowLoopback: boolean,
        _: Stream,
        limits: () => { replyTimeoutMs?: number },
      ) =>
      (engine: 'rtsp' | 'av') => {
        opens.push(`${host} ${allowLoopback}`);
        replyTimeouts.push(limits().replyTimeoutMs);
        const session = new ScriptedSession(engine);
        sessions.push(session);
        return session;
      },
    reach: () => undefined,
  } as unknown as SourceEngines;
  const feed = new StreamFeed({
    stream: new Stream('s'),
    log,
    tools: {
      clock,
      engines,
      noFramesMs: 10_000,
      peerFeed: (_, frame) => {
        peerFeeds.push(`start ${frame}`);
        return { stop: (cause) => Promise.resolve(void peerFeeds.push(`stop ${cause}`)) };
      },
    },
    onStatus: () => statuses++,
    isStandby: () => recordedElsewhere.isIt,
  });
  return {
    clock,
    sessions,
    recordedElsewhere,
    replyTimeouts,
    feed,
    log,
    opens,
    peerFeeds,
    statuses: () => statuses,
  };
}

test('a source is started once, reports its status, and has none after it stopped', async () => {
  const { feed, opens, statuses } = opened();
  const status = () => feed.sourceStatus;
  assert.equal(status(), undefined);
  const settings = { source: 'rtsp://cam/1', allowLoopback: true };
  feed.startSource(settings);
  const { supervisor } = feed;
  feed.startSource(settings);
  assert.equal(feed.supervisor, supervisor);
  assert.deepEqual(opens, ['cam true']);
  assert.equal(supervisor?.status.state, 'connecting');
  assert.equal(status(), supervisor.status);
  assert.ok(statuses() > 0);
  await feed.stopSource('idle');
  assert.equal(feed.supervisor, undefined);
  assert.equal(status(), undefined);
});

test('an unreadable address is the status, logged once, until the source is stopped', async () => {
  const { feed, log, opens } = opened();
  for (let count = 0; count < 3; count++) feed.startSource({ source: '', allowLoopback: false });
  const status = feed.sourceStatus;
  assert.ok(status instanceof Fault);
  assert.equal(status.code, 'CREDENTIALS_ERR');
  assert.equal(feed.supervisor, undefined);
  assert.equal(log.lines.filter(({ level }) => level === 'error').length, 1);
  await feed.stopSource('source-changed');
  assert.equal(feed.sourceStatus, undefined);
  feed.startSource({ source: 'rtsp://cam/1', allowLoopback: false });
  assert.deepEqual(opens, ['cam false']);
  await feed.stopSource('stopped');
});

test('the video of another node is relayed once, until the relay is stopped', async () => {
  const { feed, peerFeeds } = opened();
  feed.startPeerFeed();
  feed.startPeerFeed();
  await feed.stopPeerFeed('idle');
  await feed.stopPeerFeed('stopped');
  feed.startPeerFeed();
  assert.deepEqual(peerFeeds, ['start main', 'stop idle', 'start main']);
});

for (const [code, attempts] of [
  ['EHOSTUNREACH', 3],
  ['HTTP_UNAUTHORIZED', 1],
] as const) {
  test(`[R15.1] a source counts as refused after ${attempts} attempts that failed with ${code}`, async () => {
    const { clock, feed, sessions } = opened();
    let refusal: unknown;
    feed.refusal.catch((error: unknown) => (refusal = error));
    feed.startSource({ source: 'rtsp://cam/1', allowLoopback: true });
    for (let failed = 1; failed <= attempts; failed++) {
      assert.equal(refusal, undefined);
      sessions.at(-1)?.fail(new Fault(code, 'No.'));
      await turns();
      if (failed === attempts) break;
      clock.advance(5_000);
      await turns();
      assert.equal(sessions.length, failed + 1);
    }
    assert.ok(refusal instanceof Fault && refusal.code === code);
    await feed.stopSource('stopped');
  });
}

test('[R15.1] a source may take its time only while the stream is recorded elsewhere', async () => {
  const { clock, feed, sessions, recordedElsewhere, replyTimeouts } = opened();
  feed.startSource({ source: 'rtsp://cam/1', allowLoopback: true });
  clock.advance(85_000);
  await turns();
  assert.equal(feed.supervisor?.status.state, 'connecting');
  recordedElsewhere.isIt = false;
  sessions.at(-1)?.fail(new Fault('EHOSTUNREACH', 'No.'));
  await turns();
  clock.advance(5_000);
  await turns();
  assert.deepEqual(replyTimeouts, [45_000, undefined]);
  clock.advance(21_000);
  await turns();
  assert.equal(feed.supervisor?.status.code, 'NO_VIDEO_ERR');
  await feed.stopSource('stopped');
});
