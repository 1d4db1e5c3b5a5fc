import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { Fault } from '../base/fault.ts';
import { silentLog } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { openTestStore } from '../store/store-fixture.ts';
import type { Store } from '../store/store.ts';
import { FairQueue } from './fair-queue.ts';
import { deviceMs, KnownDevices } from './known-devices.ts';
import { SignInLimits } from './sign-in-limits.ts';

let folder: string;
let store: Store;
let people = 0;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidette-limits-'));
  store = await openTestStore(folder);
});

after(async () => {
  await store?.close();
  await rm(folder, { recursive: true });
});

/** Limits of one node; instances that share its clock and database act as further nodes. */
function visit() {
  const clock = new ManualClock();
  const node = () => new SignInLimits({ failures: store.failedAttempts, clock, log: silentLog });
  const limits = node();
  const login = `person${++people}`;
  /** How many of the guesses are admitted. */
  const guess = async (count: number, of: { ip: string; deviceId?: string; login?: string }, by = limits) => {
    let admitted = 0;
    for (let turn = 0; turn < count; turn++) {
      try {
        await by.admit({ login, deviceId: undefined, ...of });
        admitted++;
      } catch (error) {
        assert.ok(error instanceof Fault && error.code === 'TooManyRequests');
        const seconds = Number(error.details['retryAfterSeconds']);
        assert.ok(seconds > 0 && seconds <= 900, `${seconds}`);
      }
    }
    return admitted;
  };
  const signIn = async (of: { ip: string; deviceId?: string }) =>
    (await limits.admit({ login, deviceId: undefined, ...of })).forgive();
  return { clock, limits, node, login, guess, signIn };
}

test('[R8.12] a hundred wrong guesses from elsewhere don’t lock the owner out, nor do those from their own network if the device is known', async () => {
  const { guess, signIn } = visit();
  assert.equal(await guess(100, { ip: '203.0.113.1' }), 10);
  await signIn({ ip: '198.51.100.7' });
  // From many networks: each has fewer free attempts, and the owner can still sign in.
  for (let host = 2; host < 40; host++) await guess(10, { ip: `203.0.113.${host}` });
  assert.equal(await guess(10, { ip: '203.0.113.99' }), 3);
  await signIn({ ip: '198.51.100.8' });
  assert.equal(await guess(20, { ip: '198.51.100.9' }), 3);
  await assert.rejects(signIn({ ip: '198.51.100.9' }));
  await signIn({ ip: '198.51.100.9', deviceId: 'own laptop' });
});

test('[R8.12] successful sign-ins don’t count, however many an office makes, even with errors in between', async () => {
  const { signIn, guess } = visit();
  for (let turn = 0; turn < 150; turn++) await signIn({ ip: '198.51.100.20' });
  for (let turn = 0; turn < 5; turn++) {
    assert.equal(await guess(9, { ip: '198.51.100.21' }), 9);
    await signIn({ ip: '198.51.100.21' });
  }
});

test('[R8.12] pauses double up to a minute, and expire', async () => {
  const { clock, guess, signIn } = visit();
  const ip = '203.0.113.150';
  assert.equal(await guess(11, { ip }), 10);
  for (const seconds of [2, 4, 8, 16, 32, 60, 60, 60]) {
    clock.advance(seconds * 1_000 - 1);
    assert.equal(await guess(1, { ip }), 0, `${seconds} s are not over`);
    clock.advance(1);
    assert.equal(await guess(1, { ip }), 1, `${seconds} s are over`);
  }
  clock.advance(60_000);
  await signIn({ ip });
  assert.equal(await guess(9, { ip }), 9, 'the right password ends the pauses');
});

test('[R8.12] failures recorded before the clock was set back block neither the user nor the network', async () => {
  const { clock, guess, signIn } = visit();
  const ip = '203.0.113.151';
  assert.equal(await guess(11, { ip }), 10);
  for (let turn = 0; turn < 100; turn++) await guess(1, { ip, login: `other${turn}` });
  clock.stepWall(-40 * 86_400_000);
  await signIn({ ip });
  assert.equal(await guess(11, { ip }), 10, 'failures from now on count from the beginning');
});

test('[R8.12] a network that tries many logins must wait; other networks and known devices need not', async () => {
  const { clock, guess } = visit();
  const ip = (host: number) => `2001:db8:7::${host.toString(16)}`;
  let admitted = 0;
  for (let turn = 0; turn < 130; turn++) admitted += await guess(1, { ip: ip(turn), login: `user${turn}` });
  assert.equal(admitted, 100, 'a /64 is one network');
  assert.equal(await guess(1, { ip: ip(500), deviceId: 'known' }), 1);
  assert.equal(await guess(1, { ip: '2001:db8:8::1' }), 1);
  clock.advance(15 * 60_000);
  assert.equal(await guess(1, { ip: ip(1), login: 'another' }), 1);
});

test('[R8.12] guesses over several nodes are counted together', async () => {
  const { node, guess } = visit();
  let admitted = 0;
  for (const by of [node(), node(), node()]) admitted += await guess(12, { ip: '203.0.113.201' }, by);
  assert.equal(admitted, 10);
});

test('[R8.12] a device is known for its own user only, for a year, and its own wrong guesses pause it', async () => {
  const { guess } = visit();
  const devices = new KnownDevices(store.secret);
  const cookie = devices.issue(7, 1_000);
  const cookies = { [cookie.name]: cookie.value };
  const known = devices.find(cookies, 7, 2_000);
  assert.ok(known && !known.isDueForRenewal);
  assert.equal(devices.find(cookies, 7, 40 * 86_400_000)?.isDueForRenewal, true);
  assert.equal(devices.find(cookies, 7, 1_000 + deviceMs), undefined);
  assert.equal(devices.find(cookies, 8, 2_000), undefined);
  const other = devices.issue(8, 1_000);
  assert.equal(devices.find({ [other.name]: cookie.value }, 8, 2_000), undefined, 'signed for its person');
  for (const value of ['', cookie.value.slice(1), `${cookie.value}x`, cookie.value.replace('.', '')]) {
    assert.equal(devices.find({ [cookie.name]: value }, 7, 2_000), undefined);
  }
  assert.equal(new KnownDevices(new Uint8Array(32)).find(cookies, 7, 2_000), undefined);
  assert.equal(await guess(30, { ip: '203.0.113.210', deviceId: known.id }), 10);
});

test('a network that floods the queue delays only itself: another network waits for one of its jobs', async () => {
  const queue = new FairQueue();
  const done: string[] = [];
  const gates: (() => void)[] = [];
  const enter = (network: string) =>
    queue
      .run(network, () => new Promise<void>((resolve) => gates.push(resolve)))
      .then(
        () => done.push(network),
        (error: unknown) => {
          assert.ok(error instanceof Fault && error.code === 'TooManyRequests');
          done.push(`${network} refused`);
        },
      );
  const flood = Array.from({ length: 140 }, () => enter('flood'));
  const newcomer = enter('new');
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  await settle();
  assert.equal(done.filter((one) => one === 'flood refused').length, 11, 'one works, 128 wait');
  while (!done.includes('new')) {
    gates.shift()?.();
    await settle();
  }
  assert.ok(done.filter((one) => one === 'flood').length <= 2);
  while (gates.length > 0) {
    gates.shift()?.();
    await settle();
  }
  await Promise.all([...flood, newcomer]);
});
