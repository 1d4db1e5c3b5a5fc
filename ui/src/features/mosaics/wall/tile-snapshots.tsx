import { useCallback } from 'react';
import { loadArchiveSnapshot, loadStreamSnapshot } from '../../streams/streams-api.ts';
import { FreshSnapshot } from '../../../components/fresh-snapshot.tsx';
import type { WallTile } from '../../../playback/wall/wall-tile.ts';

interface TileSnapshotsProps {
  readonly tile: WallTile;
  readonly uid: string;
  readonly isArchive: boolean;
}

const LIVE_EVERY_MS = 5_000;
const ARCHIVE_EVERY_MS = 2_000;
const WIDTH_PX = 640;

/**
 * Video that this browser can't play, as snapshots made by the server: the newest, or those of the archive's
 * moment.
 */
export function TileSnapshots({ tile, uid, isArchive }: TileSnapshotsProps) {
  const load = useCallback(
    (signal: AbortSignal) => {
      const { momentMs } = tile;
      return momentMs === undefined
        ? loadStreamSnapshot(uid, WIDTH_PX, signal)
        : loadArchiveSnapshot(uid, Math.round(momentMs), WIDTH_PX, signal);
    },
    [tile, uid],
  );
  return <FreshSnapshot load={load} everyMs={isArchive ? ARCHIVE_EVERY_MS : LIVE_EVERY_MS} />;
}
