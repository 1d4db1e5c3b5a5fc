import { frameCells, frameColumns, frameRows, thumbnailBytes } from '../ffmpeg/thumbnail-layout.ts';
import type { FrameRegion } from '../ffmpeg/protocol.ts';

/** A key frame that is compared. */
export interface ComparedFrame {
  readonly timeMs: number;
  readonly thumbnail: Uint8Array;
}

/** Two key frames of the same view, as thumbnails (`thumbnail-layout.ts`). */
export type ChangeOf = (one: Uint8Array, other: Uint8Array) => number;

/** A region that leaves fewer cells of the frame outside says nothing about the rest of the frame. */
const outsideLeastCells = frameCells / 8;
/** Darker and flatter frames are not amplified: there noise would be all that is left, levels of brightness. */
const deviationLeast = 8;

interface Brightness {
  readonly mean: number;
  readonly deviation: number;
}

/**
 * Compares a region of two frames. Clouds, dusk and the switch to infrared change the whole frame, so brightness and
 * contrast are taken from the rest of it, and the region has changed only as far as it differs more than the rest.
 * Without a rest, the region's own brightness and contrast are used.
 */
export function changeOf(region: FrameRegion): ChangeOf {
  const outside = cellsOutside(region);
  const inside = Array.from({ length: thumbnailBytes - frameCells }, (_, index) => frameCells + index);
  const reference = outside.length >= outsideLeastCells ? outside : undefined;
  return (one, other) => {
    const [light, otherLight] = [
      brightnessOf(one, reference ?? inside),
      brightnessOf(other, reference ?? inside),
    ];
    const differenceIn = (cells: readonly number[]) => difference(one, light, other, otherLight, cells);
    return Math.max(0, differenceIn(inside) - (reference ? differenceIn(reference) : 0));
  };
}

/** The cells of the whole frame that do not touch the region. */
function cellsOutside({ left, top, width, height }: FrameRegion): number[] {
  const touches = (cell: number, count: number, start: number, size: number) =>
    (cell + 1) / count > start && cell / count < start + size;
  return Array.from({ length: frameCells }, (_, index) => index).filter(
    (index) =>
      !touches(index % frameColumns, frameColumns, left, width) ||
      !touches(Math.floor(index / frameColumns), frameRows, top, height),
  );
}

function brightnessOf(thumbnail: Uint8Array, cells: readonly number[]): Brightness {
  let [sum, squares] = [0, 0];
  for (const cell of cells) {
    const value = thumbnail[cell] ?? 0;
    sum += value;
    squares += value * value;
  }
  const mean = sum / cells.length;
  return { mean, deviation: Math.max(deviationLeast, Math.sqrt(squares / cells.length - mean * mean)) };
}

/** The mean absolute difference of cells, each in standard deviations from the mean of its frame. */
function difference(
  one: Uint8Array,
  light: Brightness,
  other: Uint8Array,
  otherLight: Brightness,
  cells: readonly number[],
): number {
  let sum = 0;
  for (const cell of cells) {
    const value = ((one[cell] ?? 0) - light.mean) / light.deviation;
    sum += Math.abs(value - ((other[cell] ?? 0) - otherLight.mean) / otherLight.deviation);
  }
  return sum / cells.length;
}
