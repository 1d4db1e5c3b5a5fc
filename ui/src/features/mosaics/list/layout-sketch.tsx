import type { MosaicLayout } from '@vidette/contract/entities';
import { StreamStill } from '../../streams/stream-still.tsx';
import classes from './mosaics.module.css';

/** The layout of a mosaic's first page in small, with a snapshot of each stream. */
export function LayoutSketch({ layout }: { layout: MosaicLayout }) {
  const { columns, rows, cells } = layout;
  return (
    <span
      className={classes.sketch}
      style={{
        gridTemplateColumns: `repeat(${columns}, 1fr)`,
        gridTemplateRows: `repeat(${rows}, 1fr)`,
      }}
      aria-hidden="true"
    >
      {cells
        .filter(({ page }) => page === 0)
        .map(({ x, y, width, height, stream }) => (
          <span
            key={`${x} ${y}`}
            className={classes.cell}
            data-filled={stream !== null}
            style={{
              gridColumn: `${x + 1} / span ${width}`,
              gridRow: `${y + 1} / span ${height}`,
            }}
          >
            {stream !== null && <StreamStill uid={stream} />}
          </span>
        ))}
    </span>
  );
}
