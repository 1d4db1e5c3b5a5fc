import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeSearch, type ChangeLine } from '@vidette/contract/archive-changes';
import type { ErrorCode } from '@vidette/contract/errors';
import type { Principal } from '../access/principal.ts';
import type { ArchiveReader } from '../archive/read/read.ts';
import { Fault } from '../base/fault.ts';
import { LoadLevel } from '../base/load-level.ts';
import { silentLog } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { ChangeSearches } from './change-searches.ts';

const hourMs = 3_600_000;
const region = { left: 0, top: 0, width: 0.5, height: 0.5 };
const part = { startMs: 0, endMs: hourMs, region };
const none = () => new AbortController().signal;

/** An archive of an hour whose frames are never delivered, unless `frameAt` says otherwise. */
function scene(archive: Partial<ArchiveReader> = {}, admit = (forget: () => boolean) => forget) {
  const clock = new ManualClock();
  const load = new LoadLevel();
  const sessions = new Set<(code: ErrorCode) => void>();
  const reader = {
    stats: () => ({ startTime: 0, endTime: hourMs }),
    coarseRanges: (_: string, date: number) => Promise.resolve({ ranges: [{ date, status: 'fragment' }] }),
    frameAt: () => new Promise(() => {}),
    ...archive,
  };
  const searches = new ChangeSearches({
    archiveReader: reader as unknown as ArchiveReader,
    pool: { open: () => assert.fail('nothing is decoded') },
    ...{ clock, load, log: silentLog },
    config: { archive: { rangesMaxSeconds: 10_800 } } as never,
    liveSessions: { addShort: ({ end }) => (sessions.add(end), admit(() => sessions.delete(end))) },
    watchLog: { touch: () => {} },
  });
  const begin = async (user: number, signal = none(), of = part) => {
    const principal = { user: { id: user, login: `user${user}` } } as unknown as Principal;
    const body = await searches.search({ principal, uid: 'gate', ip: '192.0.2.1' }, of, signal);
    const lines = async () => {
      const text = Buffer.concat((await body.toArray()) as Buffer[]).toString();
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as ChangeLine);
    };
    return { body, last: async () => (await lines()).at(-1), lines };
  };
  return { searches, clock, load, sessions, begin };
}

test('a user has one search, which the next one replaces, and the server a limited number', async () => {
  const { begin, searches } = scene();
  const first = await begin(1);
  const next = await begin(1);
  assert.deepEqual(await first.last(), { type: 'end', reason: 'replaced', frames: 0, unreadable: 0 });
  const others = [];
  for (let user = 2; user <= changeSearch.atOnceMax; user++) others.push(await begin(user));
  await assert.rejects(begin(99), { code: 'TooManyRequests', details: { retryAfterSeconds: 5 } });
  searches.close();
  for (const one of [next, ...others])
    assert.deepEqual(await one.last(), { type: 'failed', code: 'Unavailable' });
  // Their places are free.
  await begin(99);
  searches.close();
});

test('a search ends with its caller, who may leave before or while reading', async () => {
  const { begin, sessions } = scene();
  for (let round = 0; round < 2 * changeSearch.atOnceMax; round++) {
    const left = new AbortController();
    const { last } = await begin(round, left.signal);
    left.abort();
    assert.equal((await last())?.type, 'failed');
    const { body } = await begin(1000 + round);
    const closed = new Promise((resolve) => body.once('close', resolve));
    body.destroy();
    await closed;
  }
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(sessions.size, 0);
});

test('a search gives its place back if it cannot begin, or ends while the archive does not say what is recorded', async () => {
  const { begin, clock, searches, sessions } = scene({ stats: () => new Promise(() => {}) });
  for (let round = 0; round < 2 * changeSearch.atOnceMax; round++) {
    const gone = new AbortController();
    gone.abort();
    await assert.rejects(begin(round, gone.signal), { code: 'Unavailable' });
    const left = new AbortController();
    const leaving = assert.rejects(begin(100 + round, left.signal), { code: 'Unavailable' });
    left.abort();
    await leaving;
    const revoked = assert.rejects(begin(200 + round), { code: 'Forbidden' });
    for (const end of sessions) end('Forbidden');
    await revoked;
    const replaced = assert.rejects(begin(300), { code: 'Unavailable' });
    const late = assert.rejects(begin(300), { code: 'Unavailable' });
    await replaced;
    clock.advance(changeSearch.secondsMax * 1000);
    await late;
  }
  const stopped = assert.rejects(begin(1), { code: 'Unavailable' });
  searches.close();
  await stopped;
  assert.equal(sessions.size, 0);
  assert.equal(clock.pendingTimers, 0);
});

test('a search whose rights can no longer be followed takes no place', async () => {
  let isBroken = true;
  const { begin } = scene({}, (add) => (isBroken ? assert.fail('no sessions') : add));
  for (let user = 0; user < 2 * changeSearch.atOnceMax; user++)
    await assert.rejects(begin(user), /no sessions/);
  isBroken = false;
  const { body } = await begin(1);
  body.destroy();
});

test('[R4.4] a search ends with the right to the archive, with the time for it, and when recording needs the machine', async () => {
  const { begin, sessions, clock, load } = scene();
  const revoked = await begin(1);
  for (const end of sessions) end('Forbidden');
  assert.deepEqual(await revoked.last(), { type: 'failed', code: 'Forbidden' });
  const slow = await begin(1);
  clock.advance(changeSearch.secondsMax * 1000 - 1);
  assert.equal(slow.body.readableEnded, false);
  clock.advance(1);
  assert.deepEqual(await slow.last(), { type: 'end', reason: 'time', frames: 0, unreadable: 0 });
  load.set(2);
  await assert.rejects(begin(1), { code: 'ServerOverloaded' });
});

test('a span that is too long or empty is refused; nodes that are away are named, and frames that cannot be read counted', async () => {
  const { begin } = scene();
  const daysMs = changeSearch.spanMaxDays * 24 * hourMs;
  await assert.rejects(begin(1, none(), { ...part, endMs: daysMs + 1 }), { code: 'TimeRangeIsTooLong' });
  await assert.rejects(begin(1, none(), { ...part, startMs: 2 * hourMs, endMs: 3 * hourMs }), {
    code: 'NotFound',
  });
  const away = scene({
    stats: () => ({ startTime: 0, endTime: hourMs, withoutNodes: ['north'] }) as never,
    frameAt: () => Promise.reject(new Fault('Unavailable', 'The node is away.')),
  });
  const [first, ...rest] = await (await away.begin(1, none(), { ...part, endMs: daysMs })).lines();
  assert.deepEqual(first, { type: 'begin', startTime: 0, endTime: hourMs, withoutNodes: ['north'] });
  const end = rest.at(-1);
  assert.ok(end?.type === 'end' && end.reason === 'complete' && end.unreadable > 100, JSON.stringify(end));
});
