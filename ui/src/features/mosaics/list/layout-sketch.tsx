import type { MosaicLayout } from '@vidette/contract/entities';
import classes from './mosaics.module.css';

/** The layout of a mosaic's first page as a small drawing. */
export function LayoutSketch({ layout }: { layout: MosaicLayout }) {
  const { columns, rows, cells } = layout;
  return (
    <svg
      viewBox={`0 0 ${columns * 16} ${rows * 9}`}
      preserveAspectRatio="none"
      className={classes.sketch}
      aria-hidden="true"
    >
      {cells
        .filter(({ page }) => page === 0)
        .map(({ x, y, width, height, stream }) => (
          <rect
            key={`${x} ${y}`}
            x={x * 16}
            y={y * 9}
            width={width * 16}
            height={height * 9}
            data-filled={stream !== null}
            vectorEffect="non-scaling-stroke"
          />
        ))}
    </svg>
  );
}
