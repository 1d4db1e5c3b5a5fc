import type { MosaicCell, MosaicLayout } from '@vidette/contract/entities';
import { limits } from '@vidette/contract/constants';

// A mosaic's grid without pixels: the position of each tile. Every function takes a layout and returns another,
// or the same one when the change is not possible. Cells of one page never overlap and never leave the grid.

/** A rectangle of the grid, in columns and rows. */
export interface Area {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Whether two areas overlap. */
export function overlaps(a: Area, b: Area): boolean {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/** The index of the cell that covers a field of a page; -1 where there is none. */
export function cellAt(layout: MosaicLayout, page: number, x: number, y: number): number {
  return layout.cells.findIndex(
    (cell) => cell.page === page && overlaps(cell, { x, y, width: 1, height: 1 }),
  );
}

/** Indexes of a page's cells in reading order: top to bottom, then left to right. */
export function inReadingOrder(layout: MosaicLayout, page: number): number[] {
  return layout.cells
    .map((cell, index) => ({ cell, index }))
    .filter(({ cell }) => cell.page === page)
    .sort((a, b) => a.cell.y - b.cell.y || a.cell.x - b.cell.x)
    .map(({ index }) => index);
}

/** The number of pages; at least one. */
export function pageCount(layout: MosaicLayout): number {
  return 1 + layout.cells.reduce((most, { page }) => Math.max(most, page), 0);
}

/** Assigns a stream to a cell, or none with `null`. */
export function fill(layout: MosaicLayout, index: number, stream: string | null): MosaicLayout {
  const cell = layout.cells[index];
  return !cell || cell.stream === stream ? layout : replaced(layout, index, { ...cell, stream });
}

/** Swaps the streams of two cells. */
export function swap(layout: MosaicLayout, a: number, b: number): MosaicLayout {
  const first = layout.cells[a];
  const second = layout.cells[b];
  if (!first || !second || a === b) return layout;
  return fill(fill(layout, a, second.stream), b, first.stream);
}

/** Removes a cell; its area becomes free. */
export function removed(layout: MosaicLayout, index: number): MosaicLayout {
  return layout.cells[index] ? { ...layout, cells: layout.cells.toSpliced(index, 1) } : layout;
}

/**
 * Moves and resizes a cell, clamped to the grid. Cells without a stream in its way are removed; if a stream is
 * in the way, nothing changes.
 */
export function placed(layout: MosaicLayout, index: number, wanted: Area): MosaicLayout {
  const cell = layout.cells[index];
  if (!cell) return layout;
  const area = heldInside(layout, wanted);
  if (sameArea(cell, area)) return layout;
  const hit = layout.cells.filter(
    (other, at) => at !== index && other.page === cell.page && overlaps(other, area),
  );
  if (hit.some(({ stream }) => stream !== null)) return layout;
  const moved = { ...cell, ...area };
  return {
    ...layout,
    cells: layout.cells
      .filter((other) => !hit.includes(other))
      .map((other) => (other === cell ? moved : other)),
  };
}

/**
 * Adds a cell at a free field: of the requested size, or smaller where others are near. The layout stays as it
 * is when the page is full.
 */
export function added(layout: MosaicLayout, page: number, stream: string | null, wanted: Area): MosaicLayout {
  const here = layout.cells.filter((cell) => cell.page === page);
  if (here.length >= limits.mosaicTilesPerPageMax || layout.cells.length >= limits.mosaicCellsMax)
    return layout;
  const area = heldInside(layout, wanted);
  const isFree = (candidate: Area) => !here.some((cell) => overlaps(cell, candidate));
  for (let { width, height } = area; width > 0 && height > 0; width--, height--) {
    const candidate = heldInside(layout, { x: area.x, y: area.y, width, height });
    if (isFree(candidate)) return { ...layout, cells: [...layout.cells, { ...candidate, page, stream }] };
  }
  return layout;
}

/** The nearest cell of the same page in a direction; -1 when there is none. */
export function neighbour(layout: MosaicLayout, index: number, dx: -1 | 0 | 1, dy: -1 | 0 | 1): number {
  const from = layout.cells[index];
  if (!from) return -1;
  let best = -1;
  let bestDistance = Infinity;
  for (const [at, cell] of layout.cells.entries()) {
    if (at === index || cell.page !== from.page) continue;
    const away = { x: middle(cell).x - middle(from).x, y: middle(cell).y - middle(from).y };
    const along = away.x * dx + away.y * dy;
    const aside = Math.abs(away.x * dy) + Math.abs(away.y * dx);
    if (along <= 0) continue;
    const distance = along + 2 * aside;
    if (distance < bestDistance) {
      best = at;
      bestDistance = distance;
    }
  }
  return best;
}

/** Removes a page; the later ones move up. */
export function withoutPage(layout: MosaicLayout, page: number): MosaicLayout {
  const cells = layout.cells
    .filter((cell) => cell.page !== page)
    .map((cell) => (cell.page > page ? { ...cell, page: cell.page - 1 } : cell));
  return { ...layout, cells };
}

/** The same layout on a grid refined by an integer factor. */
export function refined(layout: MosaicLayout, columns: number, rows: number): MosaicLayout {
  const across = columns / layout.columns;
  const down = rows / layout.rows;
  if (!Number.isInteger(across) || !Number.isInteger(down)) return layout;
  const cells = layout.cells.map((cell) => ({
    ...cell,
    x: cell.x * across,
    y: cell.y * down,
    width: cell.width * across,
    height: cell.height * down,
  }));
  return { columns, rows, cells };
}

function heldInside({ columns, rows }: MosaicLayout, wanted: Area): Area {
  const width = Math.min(columns, Math.max(1, wanted.width));
  const height = Math.min(rows, Math.max(1, wanted.height));
  const x = Math.min(columns - width, Math.max(0, wanted.x));
  const y = Math.min(rows - height, Math.max(0, wanted.y));
  return { x, y, width, height };
}

function replaced(layout: MosaicLayout, index: number, cell: MosaicCell): MosaicLayout {
  return { ...layout, cells: layout.cells.with(index, cell) };
}

function sameArea(a: Area, b: Area): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}

function middle({ x, y, width, height }: Area): { x: number; y: number } {
  return { x: x + width / 2, y: y + height / 2 };
}
