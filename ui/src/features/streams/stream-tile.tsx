import type { StreamStatus as Status } from '@vidette/contract/entities';
import type { ComponentProps, ReactNode } from 'react';
import {
  OLD_MS,
  SnapshotAge,
  StillImage,
  useFreshStill,
  type FreshStill,
  type LoadSnapshot,
} from '../../components/fresh-snapshot.tsx';
import { Delayed } from '../../components/delayed.tsx';
import { LastFrameText } from '../../components/last-frame-text.tsx';
import { useIsServerLost } from '../../page/page-context.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { PublicMark, RecordingMark, StatusMark, StreamStatus } from './stream-status.tsx';
import classes from './stream-tile.module.css';
import { Link } from '../../routing/react/link.tsx';

interface StreamTileProps {
  readonly uid: string;
  readonly name: string;
  readonly status: Status;
  /** Why there is no live video, as text. */
  readonly reason: string | null;
  readonly isRecorded: boolean;
  readonly isPublic?: boolean;
  readonly loadSnapshot: LoadSnapshot;
  readonly snapshotEveryMs: number;
  /** Shown while the tile is hovered or focused. */
  readonly controls: ReactNode;
  /** The checkbox that selects the tile. */
  readonly box?: ReactNode;
  readonly isPicked?: boolean;
  /** May prevent a click from opening the stream. */
  readonly linkProps?: Pick<ComponentProps<'a'>, 'onClick' | 'onMouseDown'>;
}

/** A stream as a 16:9 snapshot with its name and state at the bottom; a click opens it. */
export function StreamTile(tile: StreamTileProps) {
  const isRunning = tile.status === 'running';
  const isServerLost = useIsServerLost();
  // Without the server no snapshot is current.
  const oldAfterMs = isServerLost ? 0 : OLD_MS;
  const still = useFreshStill(tile.loadSnapshot, isRunning ? tile.snapshotEveryMs : null, oldAfterMs);
  return (
    <article className={classes.tile} data-picked={tile.isPicked}>
      <Link to="/stream/$uid/view" params={{ uid: tile.uid }} className={classes.link} {...tile.linkProps}>
        <StillImage still={still} />
        {tile.reason === null && <SnapshotAge still={still} />}
        <span className={classes.foot}>
          <span className={classes.name}>{tile.name}</span>
          <span className={classes.states}>
            <TileStatus status={tile.status} still={still} />
            {isRunning && tile.isRecorded && <RecordingMark />}
            {tile.isPublic && <PublicMark />}
          </span>
        </span>
        {tile.reason !== null && (
          <span className={classes.reason}>
            <span>{tile.reason}</span>
            {still.old && <LastFrameText {...still.old} />}
          </span>
        )}
      </Link>
      {tile.box && <div className={classes.box}>{tile.box}</div>}
      <div className={classes.controls}>{tile.controls}</div>
    </article>
  );
}

/** The stream's state; it may say that the stream is live only next to a current snapshot. */
function TileStatus({ status, still }: { readonly status: Status; readonly still: FreshStill }) {
  const i18n = useI18n();
  const isServerLost = useIsServerLost();
  if (status !== 'running' || isServerLost) return <StreamStatus status={status} />;
  if (still.source === null)
    return (
      <Delayed>
        <span>{i18n.t(still.isDeferred ? 'streams.picture.deferred' : 'streams.picture.none')}</span>
      </Delayed>
    );
  return still.old ? null : <StatusMark status="running" />;
}

/** The placeholder of a tile whose stream is loading. */
export function StreamTileSkeleton() {
  return <div className={classes.tile} data-skeleton="true" />;
}
