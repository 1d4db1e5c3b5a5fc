import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Principal } from '../access/principal.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { HealthReport, type HealthReportOptions } from './health-report.ts';
import { RecordingGaps, type RecordingGapsOptions } from './recording-gaps.ts';

const user = { user: { id: 1 }, isAdmin: false } as Principal;
const admin = { user: { id: 2 }, isAdmin: true } as Principal;

const failed = { status: 'failed' };
const running = { status: 'running' };
const stream = (uid: string, state: object, settings: object = {}, recorder?: object) => ({
  settings: { uid, isRecorded: true, isPaused: false, ...settings },
  state,
  report: { recorder, sinceMs: 7_000 },
});

function gaps(
  streams: readonly object[],
  shares: Record<string, number> = {},
  elsewhere: Record<string, number> = {},
) {
  const low = Object.entries(shares).map(([uid, share]) => ({ uid, share }));
  return new RecordingGaps({
    streamManager: { streams: () => streams },
    archive: { continuity: { below: (share: number) => low.filter((one) => one.share < share) } },
    archiveReader: {
      stats: async (uid: string) => ({
        recorded: uid in elsewhere ? { day: { share: elsewhere[uid] } } : undefined,
      }),
    },
    config: { archive: { warnRecordedPercent: 90 } },
  } as unknown as RecordingGapsOptions);
}

test('a stream that should record and does not is reported to users who may view it', () => {
  const found = gaps([
    stream('away', failed),
    stream('full', running, {}, { state: 'failed' }),
    stream('fine', running, {}, { state: 'recording' }),
    stream('paused', failed, { isPaused: true }),
    stream('unrecorded', failed, { isRecorded: false }),
  ]);
  assert.deepEqual(found.notRecording(undefined), [
    { uid: 'away', sinceMs: 7_000 },
    { uid: 'full', sinceMs: undefined },
  ]);
  assert.deepEqual(found.notRecording(new Set(['full', 'fine'])), [{ uid: 'full', sinceMs: undefined }]);
  const many = gaps(Array.from({ length: 30 }, (_, index) => stream(`cam${index}`, failed)));
  assert.equal(many.notRecording(undefined).length, 20);
});

test('a stream has too few recordings only if no other node has the rest', async () => {
  const found = gaps([], { here: 0.5, both: 0.5, fine: 0.95 }, { here: 0.6, both: 0.99 });
  assert.deepEqual(await found.recordedLow(undefined), [{ uid: 'here', share: 0.6 }]);
  assert.deepEqual(await found.recordedLow(new Set(['both'])), []);
});

test('[R11.13] warnings about the server’s address, the object storage and the MQTT broker are only for administrators', async () => {
  const asked: unknown[] = [];
  const report = new HealthReport({
    store: {
      streamList: {
        viewableUids: async ({ isAdmin }: { isAdmin: boolean }) => (isAdmin ? undefined : new Set(['gate'])),
      },
      notificationTargets: { failingSince: async () => [] },
    },
    health: { warnings: async (...names: unknown[]) => (asked.push(names.slice(0, 2)), []) },
    recordingGaps: {
      notRecording: (viewable?: ReadonlySet<string>) => [...(viewable ?? ['gate', 'yard'])],
      recordedLow: async () => [],
    },
    archive: {
      health: {
        retention: {},
        problem: undefined,
        writeFailure: 'ENOSPC',
        objectStorage: { problem: { code: 'FarArchiveUnavailable', sinceMs: 5 } },
      },
    },
    tunnel: { downLocation: 'home' },
    broker: { trouble: { problem: 'tls', sinceMs: 5 } },
    certificate: { problem: 'expired', expiresAt: 5 },
    config: { trustProxy: true },
    clock: new ManualClock(),
  } as unknown as HealthReportOptions);
  const codes = async (principal: Principal) => (await report.warningsFor(principal)).map(({ code }) => code);
  assert.deepEqual(await codes(user), ['archive-write-failed']);
  assert.deepEqual(await codes(admin), [
    'archive-write-failed',
    'tunnel-down',
    'far-archive',
    'mqtt-down',
    'trust-proxy',
    'tls-certificate',
  ]);
  assert.deepEqual(asked, [
    [['gate'], []],
    [['gate', 'yard'], []],
  ]);
});

test('[R11.9] a target that has accepted nothing for an hour is a warning for its owner and administrators', async () => {
  const clock = new ManualClock();
  const asked: unknown[] = [];
  const report = new HealthReport({
    store: {
      streamList: { viewableUids: async () => undefined },
      notificationTargets: {
        failingSince: async (...question: unknown[]) => (
          asked.push(question),
          [{ name: 'Hook', failingMs: 7 }]
        ),
      },
    },
    health: { warnings: async () => [] },
    recordingGaps: { notRecording: () => [], recordedLow: async () => [] },
    archive: { health: { retention: {} } },
    tunnel: {},
    broker: {},
    certificate: undefined,
    config: { trustProxy: false },
    clock,
  } as unknown as HealthReportOptions);
  const failing = (await report.warningsFor(user)).find(({ code }) => code === 'target-failing');
  assert.deepEqual([failing?.subject, failing?.since], ['Hook', 7]);
  await report.warningsFor(admin);
  assert.deepEqual(asked, [
    [clock.wallMs() - 3_600_000, user.user.id],
    [clock.wallMs() - 3_600_000, undefined],
  ]);
});
