import type { StreamStatus as Status } from '@vidette/contract/entities';
import type { ComponentProps, ReactNode } from 'react';
import { FreshPicture } from './fresh-picture.tsx';
import { RecordingMark, StreamStatus } from './stream-status.tsx';
import classes from './stream-tile.module.css';
import { Link } from '../routing/react/link.tsx';

interface StreamTileProps {
  readonly uid: string;
  readonly name: string;
  readonly status: Status;
  /** Why there is no live picture, in words. */
  readonly reason: string | null;
  readonly isRecorded: boolean;
  readonly loadPicture: (signal: AbortSignal) => Promise<Blob>;
  readonly pictureEveryMs: number;
  /** Shown while the tile is pointed at or focused. */
  readonly controls: ReactNode;
  /** The box by which the tile is picked. */
  readonly box?: ReactNode;
  readonly isPicked?: boolean;
  /** May keep a click from opening the stream. */
  readonly linkProps?: Pick<ComponentProps<'a'>, 'onClick' | 'onMouseDown'>;
}

/** A stream as a 16:9 picture with its name and state at the foot; a click opens it. */
export function StreamTile(tile: StreamTileProps) {
  const isRunning = tile.status === 'running';
  return (
    <article className={classes.tile} data-picked={tile.isPicked}>
      <Link to="/stream/$uid/view" params={{ uid: tile.uid }} className={classes.link} {...tile.linkProps}>
        <FreshPicture load={tile.loadPicture} everyMs={isRunning ? tile.pictureEveryMs : null} />
        <span className={classes.foot}>
          <span className={classes.name}>{tile.name}</span>
          <span className={classes.states}>
            <StreamStatus status={tile.status} />
            {isRunning && tile.isRecorded && <RecordingMark />}
          </span>
        </span>
        {tile.reason !== null && <span className={classes.reason}>{tile.reason}</span>}
      </Link>
      {tile.box && <div className={classes.box}>{tile.box}</div>}
      <div className={classes.controls}>{tile.controls}</div>
    </article>
  );
}

/** The place of a tile whose stream is on its way. */
export function StreamTileSkeleton() {
  return <div className={classes.tile} data-skeleton="true" />;
}
