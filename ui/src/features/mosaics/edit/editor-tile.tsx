import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import type { MosaicCell } from '@vidette/contract/entities';
import { addressOf } from '@vidette/contract/routes';
import type { KeyboardEvent, PointerEvent, Ref } from 'react';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import classes from './mosaic-edit.module.css';

interface EditorTileProps {
  readonly faceRef: Ref<HTMLDivElement>;
  readonly cell: MosaicCell;
  /** Of the mosaic's width, 0 to 1. */
  readonly widthShare: number;
  /** Undefined when it is empty. */
  readonly name: string | undefined;
  readonly isChosen: boolean;
  /** In the Tab order; arrow keys reach the others. */
  readonly isReachable: boolean;
  /** The dragged item would be dropped here. */
  readonly isTarget: boolean;
  readonly onKeyDown: (event: KeyboardEvent) => void;
  readonly onPointerDown: (event: PointerEvent) => void;
  readonly onFocus: () => void;
  readonly onClear: () => void;
  readonly onCorner: (event: PointerEvent) => void;
}

/** The server scales to any width; few different ones are requested. */
const stillWidthsPx = [320, 640, 1280, 1920];

/** One tile of the edited page: its stream's snapshot and name, a remove button, and a resize handle. */
export function EditorTile({ faceRef, ...tile }: EditorTileProps) {
  const i18n = useI18n();
  const { cell, name } = tile;
  const { x, y, width, height } = cell;
  const label =
    name === undefined
      ? i18n.t('mosaicEdit.cell.empty', { width, height })
      : i18n.t('mosaicEdit.cell', { name, width, height });
  return (
    <div
      className={classes.cell}
      style={{ gridColumn: `${x + 1} / span ${width}`, gridRow: `${y + 1} / span ${height}` }}
      data-chosen={tile.isChosen}
      data-target={tile.isTarget}
      data-filled={name !== undefined}
    >
      <div
        ref={faceRef}
        role="button"
        tabIndex={tile.isReachable ? 0 : -1}
        aria-label={label}
        aria-pressed={tile.isChosen}
        className={classes.cellFace}
        onKeyDown={tile.onKeyDown}
        onPointerDown={tile.onPointerDown}
        onFocus={tile.onFocus}
      >
        {name === undefined ? (
          <span className={classes.cellHint}>{i18n.t('mosaicEdit.cell.hint')}</span>
        ) : (
          <>
            <Still uid={cell.stream} widthShare={tile.widthShare} />
            <span className={classes.cellName}>{name}</span>
          </>
        )}
      </div>
      <button
        type="button"
        tabIndex={-1}
        className={classes.cellClear}
        aria-label={
          name === undefined ? i18n.t('mosaicEdit.cell.remove') : i18n.t('mosaicEdit.cell.clear', { name })
        }
        onClick={tile.onClear}
      >
        <IconX size={14} aria-hidden="true" />
      </button>
      <div
        className={classes.corner}
        title={i18n.t('mosaicEdit.resize')}
        onPointerDown={(event) => {
          event.stopPropagation();
          tile.onCorner(event);
        }}
      />
    </div>
  );
}

function Still({ uid, widthShare }: { uid: string | null; widthShare: number }) {
  if (uid === null) return null;
  return (
    <img
      className={classes.still}
      // The mosaic takes about three quarters of a wide window.
      sizes={`${Math.ceil(widthShare * 75)}vw`}
      srcSet={stillWidthsPx
        .map((width) => `${addressOf('getStreamPicture', { uid }, { width })} ${width}w`)
        .join(', ')}
      alt=""
      draggable={false}
      onError={(event) => event.currentTarget.remove()}
    />
  );
}
