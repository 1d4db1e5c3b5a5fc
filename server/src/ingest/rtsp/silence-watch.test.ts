import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../base/manual-clock.ts';
import { utcMs } from '../timing.ts';
import type { RtspConnection } from './connection.ts';
import { SilenceWatch } from './silence-watch.ts';

/** A connection on which packets arrived until now, and what its watch reports. */
function watched(canConnect: () => boolean) {
  const clock = new ManualClock();
  const connection = { lastReceivedMs: utcMs(clock) };
  const said: string[] = [];
  let asked = 0;
  const watch = new SilenceWatch({
    connection: connection as unknown as RtspConnection,
    clock,
    canConnect: () => Promise.resolve(canConnect()),
    ask: () => asked++,
    onDead: (fault) => said.push(fault.message),
  });
  const pass = async (seconds: number, isHeard: boolean) => {
    for (let at = 0; at < seconds * 4; at++) {
      clock.advance(250);
      if (isHeard) connection.lastReceivedMs = utcMs(clock);
      await Promise.resolve();
      await Promise.resolve();
    }
  };
  return { watch, said, pass, asked: () => asked };
}

test('[R10.2] a camera that accepts new connections and is silent on the old one was restarted', async () => {
  const { said, pass, asked } = watched(() => true);
  await pass(15, true);
  assert.equal(asked(), 0);
  await pass(7, false);
  assert.equal(said.length, 1);
  assert.match(said[0] ?? '', /restarted/);
});

test('a stalled network is waited for: no new connection is accepted either', async () => {
  const { watch, said, pass, asked } = watched(() => false);
  await pass(15, true);
  await pass(9, false);
  await pass(15, true);
  assert.ok(asked() > 0);
  assert.deepEqual(said, []);
  watch.close();
});

test('a camera that sends little has long silences, and one that has just begun proves nothing', async () => {
  const { said, pass } = watched(() => true);
  await pass(9, false);
  await pass(11, true);
  await pass(9, false);
  assert.deepEqual(said, []);
});
