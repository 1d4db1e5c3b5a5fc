import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../base/fault.ts';
import { silentLog, type Log } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import type { Audit } from '../store/audit.ts';
import { AuditLog } from './audit-log.ts';
import { LogRing } from './log-ring.ts';
import { WatchLog } from './watch-log.ts';

const event = { login: 'a', ip: '10.0.0.1', action: 'addUser', target: 'b', outcome: 'ok', details: {} };

function auditLog(isEnabled = true) {
  const clock = new ManualClock();
  const written: unknown[] = [];
  const updated: object[] = [];
  const disk = { fails: false };
  const audit = {
    addAll: (entries: unknown[]) =>
      disk.fails ? Promise.reject(new Error('disk')) : Promise.resolve(void written.push(...entries)),
    add: (entry: object) => Promise.resolve(written.push({ ...entry })),
    saveDetails: (_: number, details: object) => Promise.resolve(void updated.push(details)),
    list: () => Promise.resolve([]),
  } as unknown as Audit;
  const complaints: string[] = [];
  const log: Log = { ...silentLog, error: (_, message) => complaints.push(message) };
  return {
    clock,
    written,
    updated,
    complaints,
    disk,
    audit: new AuditLog({ audit, clock, log, isEnabled, keepDays: 1 }),
  };
}

test('[R7.47] events are written in groups, without secrets', async () => {
  const { clock, written, audit } = auditLog();
  audit.add({ ...event, details: { password: 'pw', source: 'rtsp://u:p@cam/1' } });
  audit.add(event);
  assert.equal(written.length, 0);
  clock.advance(500);
  await audit.flush();
  assert.equal(written.length, 2);
  assert.doesNotMatch(JSON.stringify(written), /pw|u:p/);
});

test('[R7.47] a disabled log accepts nothing and reports that', async () => {
  const { written, audit } = auditLog(false);
  audit.add(event);
  await audit.flush();
  assert.equal(written.length, 0);
  await assert.rejects(
    audit.list({ limit: 1 }),
    (error: unknown) => error instanceof Fault && error.code === 'AuditLogsDisabled',
  );
});

test('[R7.47] entries that can’t be written are queued, reported once, and written in order', async () => {
  const { clock, written, complaints, audit, disk } = auditLog();
  disk.fails = true;
  audit.add(event);
  await audit.flush();
  audit.add({ ...event, action: 'deleteUser' });
  await audit.flush();
  assert.deepEqual(complaints, ['Audit entries could not be written and are queued']);
  disk.fails = false;
  clock.advance(5_000);
  await audit.flush();
  assert.deepEqual(
    written.map((row) => (row as { action: string }).action),
    ['addUser', 'deleteUser'],
  );
});

test('[R7.47] strangers’ invalid calls are counted, and displace no other entry, however many there are', async () => {
  const { clock, written, updated, audit } = auditLog();
  audit.add(event);
  for (let turn = 0; turn < 50_000; turn++) {
    const ip = `10.1.${(turn >> 8) & 255}.${turn & 255}`;
    audit.count({ ...event, login: null, ip, action: 'signIn', outcome: 'AuthorizationFailed' });
  }
  audit.add({ ...event, action: 'deleteUser' });
  await audit.flush();
  assert.deepEqual(
    written.map((row) => (row as { action: string }).action),
    ['addUser', 'deleteUser', 'signIn'],
  );
  const { details } = written[2] as {
    details: {
      count: number;
      networks: string[];
    };
  };
  assert.deepEqual([details.count, details.networks.length], [50_000, 10]);
  audit.count({ ...event, login: null, action: 'signIn', outcome: 'AuthorizationFailed' });
  await audit.flush();
  assert.equal(written.length, 3);
  assert.equal((updated.at(-1) as { count: number }).count, 50_001);
  clock.advance(3_600_000);
  audit.count({ ...event, login: null, action: 'signIn', outcome: 'AuthorizationFailed' });
  await audit.flush();
  assert.equal(written.length, 4, 'each hour has its own entry');
});

test('[R7.47] an entry that ends while it is being written is written again, with its end', async () => {
  const writing = Promise.withResolvers<void>();
  const updated: object[] = [];
  const store = {
    add: () => writing.promise.then(() => 1),
    saveDetails: (_: number, details: object) => Promise.resolve(void updated.push(details)),
  } as unknown as Audit;
  const clock = new ManualClock();
  const audit = new AuditLog({ audit: store, clock, log: silentLog, isEnabled: true, keepDays: 1 });
  const entry = audit.open(event);
  const flushed = audit.flush();
  await new Promise(setImmediate);
  entry.update({ endTime: 7 }, true);
  writing.resolve();
  await flushed;
  await audit.close();
  assert.deepEqual(updated, [{ endTime: 7 }]);
});

test('[R7.47] watching is logged once per user, stream and mode, with its start and end', async () => {
  const { clock, written, updated, audit } = auditLog();
  const watches = new WatchLog(audit, clock);
  const watch = { mode: 'watchStream', uid: 'gate', login: 'anna', ip: '10.0.0.1' } as const;
  const startTime = clock.wallMs();
  const leave = watches.begin(watch);
  const leaveToo = watches.begin(watch);
  watches.touch({ ...watch, mode: 'watchArchive' });
  clock.advance(60_000);
  leave();
  leaveToo();
  clock.advance(200_000);
  // The page was reloaded: it is still the same viewing.
  const leaveAtLast = watches.begin(watch);
  clock.advance(10_000);
  leaveAtLast();
  await audit.flush();
  assert.deepEqual(
    written.map((row) => (row as { action: string }).action),
    ['watchStream', 'watchArchive'],
  );
  clock.advance(330_000);
  await audit.flush();
  const ends = updated.map((details) => details as { startTime: number; endTime?: number });
  assert.ok(ends.some((end) => end.startTime === startTime && end.endTime === startTime + 270_000));
  // On a public link each network counts as one viewer, and many networks share an entry.
  written.length = 0;
  for (let host = 0; host < 200; host++) {
    watches.touch({ mode: 'watchShared', uid: 'gate', login: null, ip: `10.2.0.${host}` });
  }
  await audit.flush();
  assert.equal(written.length, 51);
  watches.close();
});

test('[R7.33] the server’s log is searchable by level and text and redacted, and the newest lines are kept', () => {
  const ring = new LogRing(new ManualClock());
  const log = ring.tee(silentLog).child({ stream: 'cam1' });
  log.info({ url: 'rtsp://u:p@cam' }, 'connecting to rtsp://u:p@cam');
  log.error({}, 'Broken');
  const all = ring.list({ level: 'debug', search: '', after: 0, limit: 10 });
  assert.equal(all.length, 2);
  assert.doesNotMatch(JSON.stringify(all), /u:p/);
  assert.equal(ring.list({ level: 'warn', search: '', after: 0, limit: 10 }).length, 1);
  assert.equal(ring.list({ level: 'debug', search: 'BROKEN', after: 0, limit: 10 }).length, 1);
  assert.equal(ring.list({ level: 'debug', search: 'cam1', after: 1, limit: 10 }).length, 1);
  for (let index = 0; index < 6_000; index++) log.debug({}, String(index));
  const newest = ring.list({ level: 'debug', search: '', after: 0, limit: 2 });
  assert.deepEqual(
    newest.map((line) => line.message),
    ['5998', '5999'],
  );
});
