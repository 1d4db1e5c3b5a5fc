import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  frameCells,
  frameColumns,
  frameRows,
  regionColumns,
  regionRows,
  thumbnailBytes,
} from '../ffmpeg/thumbnail-layout.ts';
import { changeOf } from './frame-change.ts';

const region = { left: 0.5, top: 0.5, width: 0.25, height: 0.25 };
const whole = { left: 0, top: 0, width: 1, height: 1 };

/** A thumbnail of a picture, given as the luma at a place of the frame. */
function thumbnailOf(luma: (x: number, y: number) => number, of = region): Uint8Array {
  const thumbnail = new Uint8Array(thumbnailBytes);
  for (let index = 0; index < thumbnailBytes; index++) {
    const cell = index - frameCells;
    const [x, y] =
      index < frameCells
        ? [
            ((index % frameColumns) + 0.5) / frameColumns,
            (Math.floor(index / frameColumns) + 0.5) / frameRows,
          ]
        : [
            of.left + (((cell % regionColumns) + 0.5) / regionColumns) * of.width,
            of.top + ((Math.floor(cell / regionColumns) + 0.5) / regionRows) * of.height,
          ];
    thumbnail[index] = Math.max(0, Math.min(255, Math.round(luma(x, y))));
  }
  return thumbnail;
}

const yard = (x: number, y: number) => 60 + 100 * ((Math.floor(x * 9) + Math.floor(y * 7)) % 2);
const isThere = (x: number, y: number) => x > 0.55 && x < 0.7 && y > 0.55 && y < 0.7;
const withThing = (x: number, y: number) => (isThere(x, y) ? 230 : yard(x, y));

test('a thing that disappears from the region is a change, by day and by night', () => {
  const change = changeOf(region);
  assert.equal(change(thumbnailOf(yard), thumbnailOf(yard)), 0);
  const byDay = change(thumbnailOf(yard), thumbnailOf(withThing));
  const dim = (luma: typeof yard) => (x: number, y: number) => 10 + luma(x, y) / 4;
  const atDusk = change(thumbnailOf(yard), thumbnailOf(dim(withThing)));
  assert.ok(byDay > 0.4, String(byDay));
  assert.ok(Math.abs(atDusk - byDay) < 0.05, `${atDusk} against ${byDay}`);
});

test('daylight, noise and another look of the whole frame are no change of a region', () => {
  const change = changeOf(region);
  const bright = thumbnailOf((x, y) => 40 + yard(x, y) * 0.8);
  const noisy = thumbnailOf((x, y) => yard(x, y) + ((x * 7919 + y * 104_729) % 5) - 2);
  // Infrared: what was dark is bright, everywhere.
  const infrared = thumbnailOf((x, y) => 255 - yard(x, y));
  assert.ok(change(thumbnailOf(yard), bright) < 0.02);
  assert.ok(change(thumbnailOf(yard), noisy) < 0.05);
  assert.ok(change(thumbnailOf(yard), infrared) < 0.2);
});

test('a light that is switched on in the region is a change', () => {
  const lit = (x: number, y: number) =>
    x > 0.5 && x < 0.75 && y > 0.5 && y < 0.75 ? yard(x, y) + 80 : yard(x, y);
  assert.ok(changeOf(region)(thumbnailOf(yard), thumbnailOf(lit)) > 0.8);
});

test('a region of the whole frame is compared by its own brightness', () => {
  const change = changeOf(whole);
  const bright = thumbnailOf((x, y) => 40 + yard(x, y) * 0.8, whole);
  assert.ok(change(thumbnailOf(yard, whole), bright) < 0.02);
  assert.ok(
    change(
      thumbnailOf(yard, whole),
      thumbnailOf((x, y) => 255 - yard(x, y), whole),
    ) > 1,
  );
});
