import type { MosaicCell } from '@vidette/contract/entities';
import { useEffect, useRef, type KeyboardEvent, type PointerEvent, type RefObject } from 'react';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { inReadingOrder, neighbour } from '../grid/grid.ts';
import type { MosaicEditor, MosaicEditorView } from '../grid/mosaic-editor.ts';
import { EditorTile } from './editor-tile.tsx';
import classes from './mosaic-edit.module.css';
import { fieldOf, type Drag, type Dragged } from './use-drag.ts';

interface EditorGridProps {
  readonly editor: MosaicEditor;
  readonly view: MosaicEditorView;
  readonly gridRef: RefObject<HTMLDivElement | null>;
  /** Undefined for a stream that the user may not watch. */
  readonly nameOf: (uid: string) => string | undefined;
  readonly drag: Drag | undefined;
  readonly onGrab: (event: PointerEvent, what: Dragged) => void;
}

const directions: Readonly<Record<string, readonly [-1 | 0 | 1, -1 | 0 | 1]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** The edited page, as a grid of tiles that are dragged, resized and reached by keyboard. */
export function EditorGrid({ editor, view, gridRef, nameOf, drag, onGrab }: EditorGridProps) {
  const i18n = useI18n();
  const { layout, page, chosen } = view;
  const order = inReadingOrder(layout, page);
  const { onKeyDown, releaseKeys, faceRef } = useGridKeys(editor, view);
  const nameAt = ({ stream }: MosaicCell) =>
    stream === null ? undefined : (nameOf(stream) ?? i18n.t('mosaicEdit.cell.unknown'));
  const onPointerDown = (event: PointerEvent, index: number) => {
    releaseKeys();
    const cell = layout.cells[index];
    const field = fieldOf(gridRef.current?.getBoundingClientRect(), layout, event.clientX, event.clientY);
    editor.choose(index);
    const name = cell && nameAt(cell);
    if (!cell || name === undefined || !field) return;
    onGrab(event, { kind: 'tile', index, name, gripX: field.x - cell.x, gripY: field.y - cell.y });
  };
  return (
    <div
      ref={gridRef}
      role="group"
      aria-label={i18n.t('mosaicEdit.grid')}
      className={classes.grid}
      data-dragging={drag !== undefined}
      style={{
        gridTemplateColumns: `repeat(${layout.columns}, minmax(0, 1fr))`,
        gridTemplateRows: `repeat(${layout.rows}, minmax(0, 1fr))`,
      }}
    >
      {order.map((index) => {
        const cell = layout.cells[index];
        if (!cell) return null;
        return (
          <EditorTile
            key={`${cell.x} ${cell.y}`}
            faceRef={(element) => faceRef(element, index)}
            cell={cell}
            widthShare={cell.width / layout.columns}
            name={nameAt(cell)}
            isChosen={chosen === index}
            isReachable={chosen === undefined ? index === order[0] : chosen === index}
            isTarget={isUnder(drag, cell)}
            onKeyDown={(event) => onKeyDown(event, index)}
            onPointerDown={(event) => onPointerDown(event, index)}
            onFocus={() => {
              if (chosen !== index) editor.choose(index);
            }}
            onClear={() => editor.clear(index)}
            onCorner={(event) => onGrab(event, { kind: 'corner', index })}
          />
        );
      })}
      {drag?.what.kind === 'corner' && drag.field && (
        <SizePreview view={view} index={drag.what.index} field={drag.field} />
      )}
    </div>
  );
}

/** The keys of the tiles; the focus follows a tile that they move. */
function useGridKeys(editor: MosaicEditor, { layout, chosen }: MosaicEditorView) {
  const faces = useRef(new Map<number, HTMLElement>());
  const hasKeys = useRef(false);
  useEffect(() => {
    if (hasKeys.current && chosen !== undefined) faces.current.get(chosen)?.focus();
  }, [chosen, layout]);
  const onKeyDown = (event: KeyboardEvent, index: number) => {
    const direction = directions[event.key];
    hasKeys.current = true;
    if (direction && event.altKey) editor.move(index, ...direction);
    else if (direction && event.shiftKey) {
      const cell = layout.cells[index];
      if (cell) editor.resize(index, cell.width + direction[0], cell.height + direction[1]);
    } else if (direction) {
      const next = neighbour(layout, index, ...direction);
      if (next >= 0) editor.choose(next);
    } else if (event.key === 'Delete' || event.key === 'Backspace') editor.clear(index);
    else return;
    event.preventDefault();
  };
  return {
    onKeyDown,
    /** The pointer is in use now. */
    releaseKeys: () => {
      hasKeys.current = false;
    },
    faceRef: (element: HTMLElement | null, index: number) => {
      if (element) faces.current.set(index, element);
      else faces.current.delete(index);
    },
  };
}

/** Whether what is dragged would be dropped on the cell. */
function isUnder(drag: Drag | undefined, { x, y, width, height }: MosaicCell): boolean {
  if (!drag?.field || drag.what.kind === 'corner') return false;
  const { field } = drag;
  return field.x >= x && field.x < x + width && field.y >= y && field.y < y + height;
}

function SizePreview({
  view,
  index,
  field,
}: {
  readonly view: MosaicEditorView;
  readonly index: number;
  readonly field: { readonly x: number; readonly y: number };
}) {
  const cell = view.layout.cells[index];
  if (!cell) return null;
  const endX = Math.max(cell.x + 1, field.x + 1);
  const endY = Math.max(cell.y + 1, field.y + 1);
  return (
    <div
      className={classes.sizePreview}
      style={{ gridColumn: `${cell.x + 1} / ${endX + 1}`, gridRow: `${cell.y + 1} / ${endY + 1}` }}
    />
  );
}
