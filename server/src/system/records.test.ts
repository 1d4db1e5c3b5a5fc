import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fault } from '../base/fault.ts';
import { silentLog, type Log } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import type { Audit } from '../store/audit.ts';
import { AuditLog } from './audit-log.ts';
import { LogRing } from './log-ring.ts';

const event = { login: 'a', ip: '10.0.0.1', action: 'addUser', target: 'b', outcome: 'ok', details: {} };

function auditLog(isEnabled = true, fails = false) {
  const clock = new ManualClock();
  const written: unknown[] = [];
  const audit = {
    addAll: (entries: unknown[]) =>
      fails ? Promise.reject(new Error('disk')) : Promise.resolve(void written.push(...entries)),
    list: () => Promise.resolve([]),
  } as unknown as Audit;
  const complaints: string[] = [];
  const log: Log = { ...silentLog, error: (_, message) => complaints.push(message) };
  return { clock, written, complaints, audit: new AuditLog({ audit, clock, log, isEnabled, keepDays: 1 }) };
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

test('[R7.47] a log that is switched off takes nothing and says so', async () => {
  const { written, audit } = auditLog(false);
  audit.add(event);
  await audit.flush();
  assert.equal(written.length, 0);
  await assert.rejects(
    audit.list({ limit: 1 }),
    (error: unknown) => error instanceof Fault && error.code === 'AuditLogsDisabled',
  );
});

test('entries that could not be written are counted and told', async () => {
  const { complaints, audit } = auditLog(true, true);
  audit.add(event);
  await audit.flush();
  assert.deepEqual(complaints, ['audit entries were lost']);
});

test('[R7.33] the server’s log is remembered by level and words, redacted, newest kept', () => {
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
