import { useCallback } from 'react';
import { loadArchivePicture, loadStreamPicture } from '../../api/streams.ts';
import { FreshPicture } from '../../components/fresh-picture.tsx';
import type { WallTile } from '../wall-tile.ts';

interface TilePicturesProps {
  readonly tile: WallTile;
  readonly uid: string;
  readonly isArchive: boolean;
}

const LIVE_EVERY_MS = 5_000;
const ARCHIVE_EVERY_MS = 2_000;
const WIDTH_PX = 640;

/** What this browser can't play, as pictures that the server made: the newest, or those of the archive's moment. */
export function TilePictures({ tile, uid, isArchive }: TilePicturesProps) {
  const load = useCallback(
    (signal: AbortSignal) => {
      const { momentMs } = tile;
      return momentMs === undefined
        ? loadStreamPicture(uid, WIDTH_PX, signal)
        : loadArchivePicture(uid, Math.round(momentMs), WIDTH_PX, signal);
    },
    [tile, uid],
  );
  return <FreshPicture load={load} everyMs={isArchive ? ARCHIVE_EVERY_MS : LIVE_EVERY_MS} />;
}
