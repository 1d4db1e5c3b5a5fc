import { limits } from '@vidette/contract/constants';
import type { MosaicLayout } from '@vidette/contract/entities';
import {
  added,
  cellAt,
  fill,
  inReadingOrder,
  neighbour,
  pageCount,
  placed,
  refined,
  removed,
  swap,
  withoutPage,
  type Area,
} from './grid.ts';
import { divided, fineGrid, presets, type PresetName } from './presets.ts';

/** The state to render; a new value on each change. */
export interface MosaicEditorView {
  readonly layout: MosaicLayout;
  /** The visible page, from 0. */
  readonly page: number;
  /** Includes empty pages. */
  readonly pages: number;
  /** Index of the selected cell; undefined when none is. */
  readonly chosen: number | undefined;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  /** Differs from the layout opened or saved last. */
  readonly isChanged: boolean;
}

interface EditorState {
  readonly layout: MosaicLayout;
  readonly page: number;
  readonly pages: number;
}

const STEPS_LIMIT = 200;

/**
 * A mosaic's layout while a user edits it: selection and undo. Independent of pixels and React; points are
 * fields of the grid.
 */
export class MosaicEditor {
  readonly #listeners = new Set<() => void>();
  #now: EditorState;
  #undone: EditorState[] = [];
  #done: EditorState[] = [];
  #saved: MosaicLayout;
  #chosen: number | undefined;
  #view: MosaicEditorView;

  constructor(layout: MosaicLayout) {
    const fine = refined(layout, fineGrid, fineGrid);
    this.#now = { layout: fine, page: 0, pages: pageCount(fine) };
    this.#saved = fine;
    this.#view = this.#compose();
  }

  readonly getView = (): MosaicEditorView => this.#view;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Selects a cell, or none. */
  choose(index: number | undefined): void {
    this.#chosen = index !== undefined && this.#now.layout.cells[index] ? index : undefined;
    this.#changed();
  }

  /** Applies a new division to the visible page. */
  divide(name: PresetName): void {
    const layout = divided(this.#now.layout, this.#now.page, name);
    if (layout.cells.length > limits.mosaicCellsMax) return;
    this.#step({ layout });
    this.choose(undefined);
  }

  /**
   * Places a stream: in the cell at a field, or in a new one there; without a field in the selected cell, the
   * first empty one, or wherever there is room. Then selects the next empty cell, ready for the next stream.
   */
  show(stream: string, at?: { readonly x: number; readonly y: number }): void {
    const { layout, page } = this.#now;
    const order = inReadingOrder(layout, page);
    const index = at
      ? cellAt(layout, page, at.x, at.y)
      : (this.#chosen ?? order.find((one) => layout.cells[one]?.stream === null) ?? -1);
    if (index >= 0) this.#step({ layout: fill(layout, index, stream) });
    else this.#step({ layout: this.#withNew(stream, at) });
    const next = inReadingOrder(this.#now.layout, page).find(
      (one) => this.#now.layout.cells[one]?.stream === null,
    );
    this.choose(next);
  }

  /**
   * Drops a dragged cell on a field: it swaps places with the cell there, or moves so that `grip` is on that
   * field.
   */
  drop(
    index: number,
    at: { readonly x: number; readonly y: number },
    grip: { readonly x: number; readonly y: number },
  ): void {
    const { layout, page } = this.#now;
    const cell = layout.cells[index];
    if (!cell) return;
    const there = cellAt(layout, page, at.x, at.y);
    if (there >= 0 && there !== index) {
      this.#step({ layout: swap(layout, index, there) });
      this.choose(there);
      return;
    }
    this.#place(index, { ...cell, x: at.x - grip.x, y: at.y - grip.y });
  }

  /** One keyboard step: swaps with the neighbour, or moves to an empty area. */
  move(index: number, dx: -1 | 0 | 1, dy: -1 | 0 | 1): void {
    const { layout } = this.#now;
    const cell = layout.cells[index];
    if (!cell) return;
    const moved = placed(layout, index, { ...cell, x: cell.x + dx, y: cell.y + dy });
    if (moved !== layout && moved.cells.length === layout.cells.length) {
      this.#step({ layout: moved });
      return;
    }
    const there = neighbour(layout, index, dx, dy);
    if (there < 0) return;
    this.#step({ layout: swap(layout, index, there) });
    this.choose(there);
  }

  /** Resizes a cell from its upper left corner, as far as no other stream is in the way. */
  resize(index: number, width: number, height: number): void {
    const cell = this.#now.layout.cells[index];
    if (!cell) return;
    const { columns, rows } = this.#now.layout;
    const most = { width: Math.min(width, columns - cell.x), height: Math.min(height, rows - cell.y) };
    this.#place(index, { x: cell.x, y: cell.y, ...most });
  }

  /** Clears a cell; removes an empty one. */
  clear(index: number): void {
    const { layout } = this.#now;
    const cell = layout.cells[index];
    if (!cell) return;
    if (cell.stream !== null) this.#step({ layout: fill(layout, index, null) });
    else {
      this.#step({ layout: removed(layout, index) });
      this.choose(undefined);
    }
  }

  /** Opens a page, from 0. */
  turnTo(page: number): void {
    this.#now = { ...this.#now, page: Math.min(this.#now.pages - 1, Math.max(0, page)) };
    this.choose(undefined);
  }

  /** Adds a page with the division of the visible one, and opens it. */
  addPage(name: PresetName): void {
    const { layout, pages } = this.#now;
    if (pages >= limits.mosaicPagesMax) return;
    if (layout.cells.length + presets[name].length > limits.mosaicCellsMax) return;
    this.#step({ layout: divided(layout, pages, name), pages: pages + 1, page: pages });
    this.choose(undefined);
  }

  /** Removes the visible page; the last one can't be removed. */
  removePage(): void {
    const { layout, page, pages } = this.#now;
    if (pages === 1) return;
    const left = pages - 1;
    this.#step({ layout: withoutPage(layout, page), pages: left, page: Math.min(page, left - 1) });
    this.choose(undefined);
  }

  undo(): void {
    this.#go(this.#done, this.#undone);
  }

  redo(): void {
    this.#go(this.#undone, this.#done);
  }

  /** Marks the current layout as saved. */
  noteSaved(): void {
    this.#saved = this.#now.layout;
    this.#changed();
  }

  #place(index: number, area: Area): void {
    const cell = this.#now.layout.cells[index];
    const layout = placed(this.#now.layout, index, area);
    this.#step({ layout });
    // The change may have removed empty cells before it.
    if (cell) this.choose(cellAt(layout, cell.page, area.x, area.y));
  }

  #withNew(stream: string, at: { readonly x: number; readonly y: number } | undefined): MosaicLayout {
    const { layout, page } = this.#now;
    const unit = Math.max(1, Math.round(layout.columns / 4));
    if (at) return added(layout, page, stream, { ...at, width: unit, height: unit });
    for (let y = 0; y < layout.rows; y++) {
      for (let x = 0; x < layout.columns; x++) {
        if (cellAt(layout, page, x, y) >= 0) continue;
        return added(layout, page, stream, { x, y, width: unit, height: unit });
      }
    }
    return layout;
  }

  #step(change: Partial<EditorState>): void {
    const next = { ...this.#now, ...change };
    if (next.layout === this.#now.layout && next.pages === this.#now.pages) return;
    this.#done.push(this.#now);
    if (this.#done.length > STEPS_LIMIT) this.#done.shift();
    this.#undone = [];
    this.#now = next;
    this.#changed();
  }

  #go(from: EditorState[], to: EditorState[]): void {
    const step = from.pop();
    if (!step) return;
    to.push(this.#now);
    this.#now = step;
    this.choose(undefined);
  }

  #compose(): MosaicEditorView {
    return {
      ...this.#now,
      chosen: this.#chosen,
      canUndo: this.#done.length > 0,
      canRedo: this.#undone.length > 0,
      isChanged: this.#now.layout !== this.#saved,
    };
  }

  #changed(): void {
    this.#view = this.#compose();
    for (const listener of this.#listeners) listener();
  }
}
