import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WallBudget, type TileLoad } from './wall-budget.ts';

/**
 * A wall on a machine that can decode `capacity` tiles; returns the number of moving tiles at the end of each
 * second.
 */
function run(
  budget: WallBudget,
  options: { tiles: number; capacity: number; seconds: number; startMs?: number },
): number[] {
  const { tiles, capacity, seconds, startMs = 0 } = options;
  let moving: ReadonlySet<string> = new Set();
  const counts: number[] = [];
  for (let second = 0; second < seconds; second++) {
    const excess = Math.max(0, moving.size - capacity) / Math.max(1, moving.size);
    const loads = Array.from({ length: tiles }, (_, at): TileLoad => {
      const id = `t${at}`;
      const isMoving = moving.has(id);
      const frames = isMoving ? 25 : 0;
      return { id, pixels: 1000 - at, isEnlarged: false, isMoving, frames, dropped: frames * excess };
    });
    const paintMs = 16 + 100 * excess;
    moving = budget.decide({ tiles: loads, paintMs, nowMs: startMs + second * 1000 });
    counts.push(moving.size);
  }
  return counts;
}

test('all tiles move within seconds if the machine can decode them, and never fewer than the first few', () => {
  const counts = run(new WallBudget(), { tiles: 36, capacity: 100, seconds: 20 });
  assert.equal(counts[0], 4);
  assert.equal(counts.at(-1), 36);
  assert.ok(counts.every((count, at) => at === 0 || count >= (counts[at - 1] ?? 0)));
});

test('on a machine that can decode 15 of 36 tiles it stays near that, and is rarely strained', () => {
  const counts = run(new WallBudget(), { tiles: 36, capacity: 15, seconds: 600 });
  const late = counts.slice(30);
  assert.ok(
    late.every((count) => count >= 10 && count <= 17),
    String(late),
  );
  const strained = late.filter((count) => count > 15).length;
  assert.ok(strained < late.length * 0.1, `${strained} of ${late.length}`);
});

test('the number rises again when the machine has more capacity', () => {
  const budget = new WallBudget();
  run(budget, { tiles: 36, capacity: 6, seconds: 120 });
  const counts = run(budget, { tiles: 36, capacity: 30, seconds: 1200, startMs: 120_000 });
  assert.ok((counts.at(-1) ?? 0) > 12, String(counts.at(-1)));
});

test('the enlarged tile has priority, then the largest', () => {
  const budget = new WallBudget();
  const tile = (id: string, pixels: number, isEnlarged = false): TileLoad => ({
    id,
    pixels,
    isEnlarged,
    isMoving: false,
    frames: 0,
    dropped: 0,
  });
  const tiles = [tile('a', 1), tile('b', 5), tile('c', 4), tile('d', 3), tile('e', 2), tile('f', 0, true)];
  assert.deepEqual([...budget.decide({ tiles, paintMs: 16, nowMs: 0 })].sort(), ['b', 'c', 'd', 'f']);
});

test('dropped frames of a tile or two are not significant; slow paints alone are', () => {
  const moving = (frames: number, dropped: number): TileLoad[] =>
    Array.from({ length: 4 }, (_, at) => ({
      id: `t${at}`,
      pixels: 1,
      isEnlarged: false,
      isMoving: true,
      frames,
      dropped,
    }));
  const budget = new WallBudget();
  assert.equal(budget.decide({ tiles: moving(4, 2), paintMs: 16, nowMs: 0 }).size, 4);
  assert.equal(budget.decide({ tiles: moving(25, 0), paintMs: 100, nowMs: 5000 }).size, 3);
  assert.equal(budget.decide({ tiles: moving(25, 0), paintMs: 200, nowMs: 10_000 }).size, 2);
});
