import type { MosaicCell, MosaicLayout } from '@vidette/contract/entities';
import { inReadingOrder, type Area } from './grid.ts';

/**
 * The grid of new mosaics: two, three, four, six and eight tiles in a row all fit it exactly, so that every
 * page can have its own division.
 */
export const fineGrid = 24;

/** Divisions of a page by name: large tiles, plus small ones. */
export const presets = {
  '1': even(1),
  '4': even(2),
  '9': even(3),
  '16': even(4),
  '36': even(6),
  '64': even(8),
  '1+5': around([{ x: 0, y: 0, width: 2, height: 2 }], 3),
  '1+7': around([{ x: 0, y: 0, width: 3, height: 3 }], 4),
  '2+8': around(
    [
      { x: 0, y: 0, width: 2, height: 2 },
      { x: 2, y: 0, width: 2, height: 2 },
    ],
    4,
  ),
} as const satisfies Record<string, readonly Area[]>;

export type PresetName = keyof typeof presets;

/** In the order offered to the user. */
export const presetNames: readonly PresetName[] = ['1', '4', '9', '16', '1+5', '1+7', '2+8', '36', '64'];

/** Tiles in a row or column that divide the grid of new mosaics. */
const evenCounts = [1, 2, 3, 4, 6, 8] as const;

/**
 * The smallest even division for these streams, at most 64, in their order; null leaves its tile empty. An upright screen
 * has no fewer rows than columns, any other no fewer columns than rows.
 */
export function evenLayout(streams: readonly (string | null)[], isUpright: boolean): MosaicLayout {
  const more = evenCounts.find((count) => count * count >= streams.length) ?? 8;
  const fewer = evenCounts.find((count) => count * more >= streams.length) ?? 8;
  const [columns, rows] = isUpright ? [fewer, more] : [more, fewer];
  const [width, height] = [fineGrid / columns, fineGrid / rows];
  const cells = Array.from({ length: columns * rows }, (_, at): MosaicCell => {
    const [x, y] = [(at % columns) * width, Math.floor(at / columns) * height];
    return { x, y, width, height, page: 0, stream: streams[at] ?? null };
  });
  return { columns: fineGrid, rows: fineGrid, cells };
}

/** A one-page layout without streams. */
export function emptyLayout(name: PresetName): MosaicLayout {
  const cells = presets[name].map((area): MosaicCell => ({ ...area, page: 0, stream: null }));
  return { columns: fineGrid, rows: fineGrid, cells };
}

/**
 * Applies a new division to a page; its streams fill the new cells in reading order, and streams without a cell
 * are removed. On a grid that the presets don't fit, the other pages are divided evenly, because all pages
 * share one grid.
 */
export function divided(layout: MosaicLayout, page: number, name: PresetName): MosaicLayout {
  const isFine = layout.columns === fineGrid && layout.rows === fineGrid;
  const pages = new Set(layout.cells.map((cell) => cell.page)).add(page);
  const cells = [...pages]
    .sort((a, b) => a - b)
    .flatMap((one) => {
      if (one !== page && isFine) return layout.cells.filter((cell) => cell.page === one);
      const streams = streamsOf(layout, one);
      return seated(streams, one, one === page ? name : smallestEven(streams.length));
    });
  return { columns: fineGrid, rows: fineGrid, cells };
}

/** Streams of a page in reading order. */
export function streamsOf(layout: MosaicLayout, page: number): string[] {
  return inReadingOrder(layout, page).flatMap((index) => layout.cells[index]?.stream ?? []);
}

function seated(streams: readonly string[], page: number, name: PresetName): MosaicCell[] {
  return presets[name].map((area, at) => ({ ...area, page, stream: streams[at] ?? null }));
}

function smallestEven(count: number): PresetName {
  const names = ['1', '4', '9', '16', '36'] as const;
  return names.find((name) => presets[name].length >= count) ?? '64';
}

function even(perRow: number): Area[] {
  return around([], perRow);
}

/** The large tiles, and a small one on every remaining field of a `perRow` grid. */
function around(large: readonly Area[], perRow: number): Area[] {
  const unit = fineGrid / perRow;
  const areas = [...large];
  for (let y = 0; y < perRow; y++) {
    for (let x = 0; x < perRow; x++) {
      const isTaken = large.some(
        (area) => x >= area.x && x < area.x + area.width && y >= area.y && y < area.y + area.height,
      );
      if (!isTaken) areas.push({ x, y, width: 1, height: 1 });
    }
  }
  return areas.map(({ x, y, width, height }) => ({
    x: x * unit,
    y: y * unit,
    width: width * unit,
    height: height * unit,
  }));
}
