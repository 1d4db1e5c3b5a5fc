import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestClock } from '../../playback/test-clock.ts';
import { beginning, type PlayerSnapshot, type Speed } from '../../playback/state.ts';
import type { ClipPlayer } from '../stream-view/media/clip-player.ts';
import type { DigestPart } from '@vidette/contract/digest-plan';
import { DigestPlayer, type Slot } from './digest-player.ts';

/** A player whose frames arrive as the test says. */
class FakePlayer implements ClipPlayer {
  readonly uid: string;
  snapshot: PlayerSnapshot = { ...beginning(1), mode: 'archive', state: { name: 'connecting' } };
  utcMs: number | undefined;
  isSeeking = false;
  isPaused = false;
  isDisposed = false;
  speed: Speed = 1;

  constructor(uid: string) {
    this.uid = uid;
  }

  readonly getSnapshot = () => this.snapshot;
  seek(utcMs: number): void {
    this.utcMs = utcMs;
  }
  play(): void {
    this.isPaused = false;
  }
  pause(): void {
    this.isPaused = true;
  }
  setSpeed(speed: Speed): void {
    this.speed = speed;
  }
  wake(): void {}
  dispose(): void {
    this.isDisposed = true;
  }

  shows(utcMs: number): void {
    this.utcMs = utcMs;
    this.snapshot = { ...this.snapshot, state: { name: 'playing' } };
  }
}

const clip = (uid: string, fromMs: number, toMs: number) =>
  ({ type: 'clip', uid, name: uid, fromMs, toMs, entries: [] }) as unknown as DigestPart;
const gap = {
  type: 'gap',
  uid: 'a',
  name: 'a',
  fromMs: 2_000,
  toMs: 3_000,
  entries: [],
} as unknown as DigestPart;

function start(parts: readonly DigestPart[]) {
  const clock = new TestClock();
  const opened: FakePlayer[] = [];
  const slots: Slot[] = [];
  const open = (uid: string, slot: Slot) => {
    const player = new FakePlayer(uid);
    opened.push(player);
    slots.push(slot);
    return player;
  };
  const digest = new DigestPlayer({ parts, speed: 4, clock, open, first: 0, second: 1 });
  return { clock, opened, slots, digest };
}

test('the next clip is loaded while the current one plays, and follows it without another request', () => {
  const { clock, opened, slots, digest } = start([clip('a', 1_000, 2_000), clip('b', 5_000, 6_000)]);
  const [a, b] = opened;
  assert.ok(a && b);
  assert.deepEqual([a.uid, b.uid, b.isPaused, slots[0] !== slots[1]], ['a', 'b', true, true]);
  assert.deepEqual([a.speed, a.isPaused], [4, false]);
  a.shows(2_000);
  clock.advance(100);
  assert.deepEqual([digest.getSnapshot().place, digest.getSnapshot().slot], [1, slots[1]]);
  assert.deepEqual([a.isPaused, b.isPaused, b.speed, opened.length], [true, false, 4, 2]);
  b.shows(6_000);
  clock.advance(100);
  assert.equal(digest.getSnapshot().state, 'ended');
  digest.goTo(0);
  assert.deepEqual([a.utcMs, a.isPaused, digest.getSnapshot().place], [1_000, false, 0]);
  digest.dispose();
  assert.deepEqual([a.isDisposed, b.isDisposed], [true, true]);
});

test('a gap is said for a moment, between the clips', () => {
  const { clock, opened, digest } = start([clip('a', 1_000, 2_000), gap, clip('a', 3_000, 4_000)]);
  opened[0]?.shows(2_000);
  clock.advance(100);
  assert.deepEqual([digest.getSnapshot().place, digest.utcMs, opened[0]?.isPaused], [1, 2_000, true]);
  clock.advance(1_600);
  assert.equal(digest.getSnapshot().place, 2);
});

test('a clip that fails, can’t be decoded or does not arrive is left out, and that is said', () => {
  const { clock, opened, digest } = start([clip('a', 1_000, 2_000), clip('b', 5_000, 6_000)]);
  clock.advance(15_200);
  assert.equal(digest.getSnapshot().failure, 'silent');
  clock.advance(2_100);
  const { place, failure } = digest.getSnapshot();
  assert.deepEqual([place, failure], [1, undefined]);
  const [, b] = opened;
  assert.ok(b);
  b.snapshot = { ...b.snapshot, state: { name: 'unsupported', codec: 'H.265' } };
  clock.advance(100);
  assert.equal(digest.getSnapshot().failure, 'unsupported');
  clock.advance(2_100);
  assert.equal(digest.getSnapshot().state, 'ended');
});

test('while paused, time does not count, and another clip stays paused', () => {
  const { clock, opened, digest } = start([clip('a', 1_000, 2_000), clip('b', 5_000, 6_000)]);
  digest.toggle();
  clock.advance(60_000);
  assert.deepEqual([digest.getSnapshot().state, digest.getSnapshot().failure], ['paused', undefined]);
  digest.goTo(1);
  assert.deepEqual([digest.getSnapshot().place, opened[1]?.isPaused], [1, true]);
  digest.toggle();
  assert.equal(opened[1]?.isPaused, false);
  digest.goTo(0);
  assert.equal(digest.getSnapshot().place, 0);
});
