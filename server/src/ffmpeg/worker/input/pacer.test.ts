import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../base/manual-clock.ts';
import { Pacer } from './pacer.ts';

interface PacedSource {
  readonly packets: number;
  /** Media time of each packet, ms. */
  readonly mediaMs: (packet: number) => number;
  /** How long each read waits, ms. */
  readonly readMs: (packet: number) => number;
}

/** When each packet was passed on, ms after the start. */
async function play(pacer: Pacer, clock: ManualClock, source: PacedSource): Promise<number[]> {
  const startMs = clock.monotonicMs();
  const signal = new AbortController().signal;
  const outMs: number[] = [];
  for (let packet = 0; packet < source.packets; packet++) {
    const readMs = source.readMs(packet);
    clock.advance(readMs);
    let isDue = false;
    void pacer.wait(source.mediaMs(packet), readMs, signal).then(() => (isDue = true));
    await Promise.resolve();
    for (let turn = 0; turn < 8; turn++) await Promise.resolve();
    while (!isDue) {
      clock.advance(1);
      for (let turn = 0; turn < 4; turn++) await Promise.resolve();
    }
    outMs.push(clock.monotonicMs() - startMs);
  }
  return outMs;
}

test('a file is emitted at the pace at which it was recorded', async () => {
  const clock = new ManualClock();
  const outMs = await play(new Pacer(clock), clock, {
    packets: 500,
    mediaMs: (packet) => packet * 40,
    readMs: () => 0.1,
  });
  outMs.forEach((ms, packet) => assert.ok(Math.abs(ms - packet * 40) < 5, `packet ${packet}: ${ms} ms`));
});

test('a file served as if it were live runs ahead no further than what servers buffer', async () => {
  for (const readMs of [0, 1.5]) {
    const clock = new ManualClock();
    const outMs = await play(new Pacer(clock, 5_000), clock, {
      packets: 1_000,
      mediaMs: (packet) => packet * 40,
      readMs: () => readMs,
    });
    outMs.forEach((ms, packet) => assert.ok(packet * 40 - ms <= 5_100, `packet ${packet}`));
    assert.ok((outMs[50] ?? 0) < 200, 'a burst at the start is not held back');
  }
});

test('a camera whose clock runs fast is not throttled, because its packets have to be waited for', async () => {
  for (const speed of [1.01, 2, 20]) {
    const clock = new ManualClock();
    const outMs = await play(new Pacer(clock, 5_000), clock, {
      packets: 500,
      mediaMs: (packet) => packet * 40 * speed,
      readMs: () => 40,
    });
    const lateMs = (outMs.at(-1) ?? 0) - 500 * 40;
    assert.ok(lateMs < 1_000, `${speed} times as fast: ${lateMs} ms late`);
  }
});
