import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import { Fault } from '../base/fault.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { Store } from '../store/store.ts';
import { Membership } from './membership.ts';

const log = pino({ level: 'silent' });
const clock = new ManualClock(1_750_000_000_000);
let folder: string;
let store: Store;
let active = 0;
let changes = 0;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidette-membership-'));
  store = await Store.open({ file: join(folder, 'vidette.sqlite'), redact: (source) => source });
});

after(async () => {
  await store.close();
  await rm(folder, { recursive: true });
});

async function open(id: string): Promise<Membership> {
  const membership = await Membership.open({
    nodes: store.nodes,
    clock,
    log,
    id,
    capacity: 7,
    version: '1.2.3',
  });
  membership.attach({ activeStreams: () => active, review: () => void changes++ });
  return membership;
}

const failsWith = (code: string) => (error: unknown) => error instanceof Fault && error.code === code;

test('[R7.36] a started node is listed under its id until it is renamed', async () => {
  const membership = await open('yard');
  clock.advance(5_000);
  const [node, ...others] = await membership.list();
  assert.deepEqual(others, []);
  assert.deepEqual(node, {
    id: 'yard',
    name: 'yard',
    available: true,
    isDrained: false,
    state: 'working',
    isSelf: true,
    streams: 0,
    activeStreams: 0,
    capacity: 7,
    successors: 0,
    version: '1.2.3',
    startedTime: clock.wallMs() - 5_000,
    lastSeenTime: clock.wallMs(),
  });
  assert.equal((await membership.rename('yard', 'Yard, north')).name, 'Yard, north');
  assert.equal((await open('yard')).id, 'yard');
  assert.equal((await membership.get('yard')).name, 'Yard, north');
  await assert.rejects(membership.rename('gate', 'Gate'), failsWith('NotFound'));
});

test('[R7.39, R4.5] a drain is reported once, is complete when no stream is held, and survives a restart', async () => {
  const membership = await open('yard');
  changes = 0;
  active = 3;
  assert.equal((await membership.setDrained('yard', true)).state, 'draining');
  assert.equal((await membership.setDrained('yard', true)).activeStreams, 3);
  assert.equal(changes, 1);
  assert.equal(membership.acquire('any'), undefined);
  active = 0;
  assert.equal((await membership.get('yard')).state, 'drained');
  const again = await open('yard');
  assert.equal(again.isDrained, true);
  assert.equal((await again.setDrained('yard', false)).state, 'working');
  assert.equal((await again.setDrained('yard', false)).state, 'working');
  assert.equal(changes, 2);
  assert.equal(again.acquire('any'), 0);
  await assert.rejects(again.setDrained('gate', true), failsWith('NotFound'));
});

test('[R7.38] an earlier name of this server counts as down, and can be removed; the server itself cannot', async () => {
  await (await open('yard')).close();
  clock.advance(60_000);
  const membership = await open('gate');
  const yard = await membership.get('yard');
  assert.deepEqual(
    [yard.available, yard.state, yard.startedTime, yard.lastSeenTime],
    [false, 'away', null, clock.wallMs() - 60_000],
  );
  await assert.rejects(membership.forget('gate'), failsWith('ActionNotAcceptable'));
  await membership.forget('yard');
  await assert.rejects(membership.forget('yard'), failsWith('NotFound'));
  assert.deepEqual(
    (await membership.list()).map(({ id }) => id),
    ['gate'],
  );
});
