import type { MosaicLayout } from '@vidette/contract/entities';
import { useEffect, useRef, useState, type PointerEvent, type RefObject } from 'react';
import type { MosaicEditor } from '../grid/mosaic-editor.ts';

/** The dragged item: a stream of the list, a tile held by one of its fields, or a tile's corner. */
export type Dragged =
  | { readonly kind: 'stream'; readonly uid: string; readonly name: string }
  | {
      readonly kind: 'tile';
      readonly index: number;
      readonly name: string;
      readonly gripX: number;
      readonly gripY: number;
    }
  | { readonly kind: 'corner'; readonly index: number };

/** The pointer position during a drag. */
export interface Drag {
  readonly what: Dragged;
  readonly clientX: number;
  readonly clientY: number;
  /** The field under the pointer; undefined off the grid. */
  readonly field: Field | undefined;
}

export interface Field {
  readonly x: number;
  readonly y: number;
}

/** A press that moves less than this is a click. */
const SLOP_PX = 5;

/** Dragging by mouse, pen or touch over the grid, handled alike; the editor decides what a drop means. */
export function useDrag(
  editor: MosaicEditor,
  grid: RefObject<HTMLElement | null>,
): { drag: Drag | undefined; begin: (event: PointerEvent, what: Dragged) => void } {
  const [drag, setDrag] = useState<Drag>();
  const pressed = useRef<{ what: Dragged; startX: number; startY: number; isMoving: boolean }>(undefined);

  useEffect(() => {
    const fieldAt = (event: globalThis.PointerEvent) =>
      fieldOf(grid.current?.getBoundingClientRect(), editor.getView().layout, event.clientX, event.clientY);
    const onMove = (event: globalThis.PointerEvent) => {
      const press = pressed.current;
      if (!press) return;
      const { clientX, clientY } = event;
      press.isMoving ||= Math.hypot(clientX - press.startX, clientY - press.startY) >= SLOP_PX;
      if (press.isMoving) setDrag({ what: press.what, clientX, clientY, field: fieldAt(event) });
    };
    const onUp = (event: globalThis.PointerEvent) => {
      const press = pressed.current;
      pressed.current = undefined;
      setDrag(undefined);
      const field = fieldAt(event);
      if (press?.isMoving && field) drop(editor, press.what, field);
    };
    const onGone = () => {
      pressed.current = undefined;
      setDrag(undefined);
    };
    window.addEventListener('pointermove', onMove);
    window.addEventListener('pointerup', onUp);
    window.addEventListener('pointercancel', onGone);
    return () => {
      window.removeEventListener('pointermove', onMove);
      window.removeEventListener('pointerup', onUp);
      window.removeEventListener('pointercancel', onGone);
    };
  }, [editor, grid]);

  const begin = (event: PointerEvent, what: Dragged) => {
    if (event.button !== 0) return;
    pressed.current = { what, startX: event.clientX, startY: event.clientY, isMoving: false };
  };
  return { drag, begin };
}

function drop(editor: MosaicEditor, what: Dragged, field: Field): void {
  switch (what.kind) {
    case 'stream':
      editor.show(what.uid, field);
      return;
    case 'tile':
      editor.drop(what.index, field, { x: what.gripX, y: what.gripY });
      return;
    case 'corner': {
      const cell = editor.getView().layout.cells[what.index];
      if (cell) editor.resize(what.index, field.x - cell.x + 1, field.y - cell.y + 1);
    }
  }
}

/** The field of the grid at a point of the window. */
export function fieldOf(
  rect: Pick<DOMRect, 'left' | 'top' | 'width' | 'height'> | undefined,
  { columns, rows }: Pick<MosaicLayout, 'columns' | 'rows'>,
  clientX: number,
  clientY: number,
): Field | undefined {
  if (!rect || rect.width === 0 || rect.height === 0) return undefined;
  const x = Math.floor(((clientX - rect.left) / rect.width) * columns);
  const y = Math.floor(((clientY - rect.top) / rect.height) * rows);
  return x >= 0 && y >= 0 && x < columns && y < rows ? { x, y } : undefined;
}
