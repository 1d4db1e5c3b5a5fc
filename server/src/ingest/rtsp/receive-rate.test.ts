import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ReceiveRate } from './receive-rate.ts';

interface RatedCamera {
  /** Bytes per second, by the second. */
  readonly rate: (second: number) => number;
  readonly gopSeconds: number;
  /** How many times larger a key frame is than the other frames. */
  readonly keySize: number;
}

const framesPerSecond = 25;

/** How often a rate changed its decision after the third second of a minute, and the last decision. */
function decisions({ rate, gopSeconds, keySize }: RatedCamera): { changes: number; isSlowEnough: boolean } {
  const received = new ReceiveRate(0, 0);
  const gopFrames = gopSeconds * framesPerSecond;
  let [bytes, changes, isSlowEnough] = [0, 0, false];
  for (let frame = 0; frame < 60 * framesPerSecond; frame++) {
    const nowMs = ((frame + 1) * 1000) / framesPerSecond;
    const share = frame % gopFrames === 0 ? keySize : 1;
    const gopBytes = rate(nowMs / 1000) * gopSeconds;
    bytes += (share * gopBytes) / (gopFrames - 1 + keySize);
    const now = received.isSlowEnough(nowMs, bytes);
    if (nowMs > 3_000 && now !== isSlowEnough) changes++;
    isSlowEnough = now;
  }
  return { changes, isSlowEnough };
}

test('a camera of 4.2 Mbit/s with large key frames every two seconds is read in rounds without interruption', () => {
  const camera = { rate: () => 525_000, gopSeconds: 2, keySize: 20 };
  assert.deepEqual(decisions(camera), { changes: 0, isSlowEnough: true });
});

test('a camera around the limit does not alternate', () => {
  const rate = (second: number) => (Math.floor(second / 5) % 2 === 0 ? 560_000 : 590_000);
  assert.deepEqual(decisions({ rate, gopSeconds: 1, keySize: 1 }), { changes: 0, isSlowEnough: false });
});

test('a camera above the limit is read immediately, also one that becomes so, and in rounds again later', () => {
  const fast = { rate: () => 650_000, gopSeconds: 2, keySize: 10 };
  assert.deepEqual(decisions(fast), { changes: 0, isSlowEnough: false });
  const faster = { ...fast, rate: (second: number) => (second < 30 ? 400_000 : 800_000) };
  assert.deepEqual(decisions(faster), { changes: 1, isSlowEnough: false });
  const slower = { ...fast, rate: (second: number) => (second < 30 ? 800_000 : 400_000) };
  assert.deepEqual(decisions(slower), { changes: 1, isSlowEnough: true });
});

test('the first second is read immediately', () => {
  const received = new ReceiveRate(5_000, 1_000);
  assert.equal(received.isSlowEnough(5_999, 1_000), false);
  assert.equal(received.isSlowEnough(6_000, 101_000), true);
});
