import type { StreamStatus as Status } from '@vidette/contract/entities';
import {
  Suspense,
  useEffect,
  useRef,
  useState,
  type ComponentProps,
  type PointerEvent,
  type ReactNode,
} from 'react';
import { OLD_MS, SnapshotAge, StillImage, type FreshStill } from '../../components/fresh-snapshot.tsx';
import { Delayed } from '../../components/delayed.tsx';
import { LastFrameText } from '../../components/last-frame-text.tsx';
import { useIsServerLost } from '../../page/page-context.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { PublicMark, StreamStatus } from './stream-status.tsx';
import classes from './stream-tile.module.css';
import { useStreamStill } from './use-stream-still.ts';
import { Link } from '../../routing/react/link.tsx';
import { lazyPart } from '../../page/lazy-part.ts';

interface StreamTileProps {
  readonly uid: string;
  readonly name: string;
  readonly status: Status;
  /** It connects when it is opened. */
  readonly isOnDemand: boolean;
  /** Why there is no live video, as text. */
  readonly reason: string | null;
  readonly isRecorded: boolean;
  readonly isPublic?: boolean;
  /** Shown while the tile is hovered or focused. */
  readonly controls: ReactNode;
  /** The checkbox that selects the tile. */
  readonly box?: ReactNode;
  readonly isPicked?: boolean;
  /** May prevent a click from opening the stream. */
  readonly linkProps?: Pick<ComponentProps<'a'>, 'onClick' | 'onMouseDown'>;
}

const HoverVideo = lazyPart(() => import('./hover-video.tsx').then((module) => module.HoverVideo));

const stillOptions = { widthPx: 640, everyMs: 5_000, oldAfterMs: OLD_MS };

/**
 * A stream as a 16:9 snapshot with its name at the bottom, and its state where it is not normal. It plays live
 * while the mouse rests on it; a click opens it.
 */
export function StreamTile(tile: StreamTileProps) {
  const i18n = useI18n();
  const isRunning = tile.status === 'running';
  const isServerLost = useIsServerLost();
  const still = useStreamStill(tile.uid, tile.status, stillOptions);
  const isCurrent = isRunning && !isServerLost && still.source !== null && !still.old;
  const [isHovered, pointer] = useHover();
  return (
    <article className={classes.tile} data-picked={tile.isPicked} {...pointer}>
      <Link to="/stream/$uid/view" params={{ uid: tile.uid }} className={classes.link} {...tile.linkProps}>
        <StillImage still={still} />
        {tile.reason === null && <SnapshotAge still={still} />}
        {isHovered && isRunning && !isServerLost && (
          <Suspense>
            <HoverVideo uid={tile.uid} />
          </Suspense>
        )}
        <span className={classes.foot} data-status={isCurrent ? 'running' : undefined}>
          <span className={classes.name} title={tile.name}>
            {tile.name}
          </span>
          <span className={classes.states}>
            <TileStatus tile={tile} still={still} />
            {isCurrent && !tile.isRecorded && <span>{i18n.t('streams.notRecorded')}</span>}
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

/** A mouse that only crosses a tile starts nothing, ms. */
const REST_MS = 400;

/** Whether the mouse rests on an element, and the handlers of that element. */
function useHover() {
  const [isHovered, setHovered] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const pointer = {
    onPointerEnter: ({ pointerType }: PointerEvent) => {
      if (pointerType === 'mouse') timer.current = setTimeout(() => setHovered(true), REST_MS);
    },
    onPointerLeave: () => {
      clearTimeout(timer.current);
      setHovered(false);
    },
  };
  return [isHovered, pointer] as const;
}

interface TileStatusProps {
  readonly tile: Pick<StreamTileProps, 'status' | 'isOnDemand'>;
  readonly still: FreshStill;
}

/** The stream's state; nothing while it is running and its snapshot is current, or while the tile says that it waits to be opened. */
function TileStatus({ tile: { status, isOnDemand }, still }: TileStatusProps) {
  const i18n = useI18n();
  const isServerLost = useIsServerLost();
  if (isOnDemand && status === 'pending' && !isServerLost) return null;
  if (status !== 'running' || isServerLost) return <StreamStatus status={status} />;
  if (still.source === null)
    return (
      <Delayed>
        <span>{i18n.t(still.isDeferred ? 'streams.picture.deferred' : 'streams.picture.none')}</span>
      </Delayed>
    );
  return null;
}

/** The placeholder of a tile whose stream is loading. */
export function StreamTileSkeleton() {
  return <div className={classes.tile} data-skeleton="true" />;
}
