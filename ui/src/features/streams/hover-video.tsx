import { useCallback, useState, useSyncExternalStore } from 'react';
import { openWall } from '../../playback/wall/browser-wall.ts';
import { emptyTile, type TileSnapshot } from '../../playback/wall/tile-snapshot.ts';
import type { WallTile } from '../../playback/wall/wall-tile.ts';
import classes from './stream-tile.module.css';

/** The live video of a stream over its snapshot, which stays visible until the video plays. */
export function HoverVideo({ uid }: { uid: string }) {
  const [tile, setTile] = useState<WallTile>();
  const attach = useCallback(
    (video: HTMLVideoElement | null) => {
      if (!video) return undefined;
      const wall = openWall();
      const made = wall.add({ id: uid, uid, video });
      const { width, height } = video.getBoundingClientRect();
      const scale = window.devicePixelRatio;
      made.setSight({
        isInSight: true,
        widthPx: Math.round(width * scale),
        heightPx: Math.round(height * scale),
      });
      setTile(made);
      return () => {
        setTile(undefined);
        wall.dispose();
      };
    },
    [uid],
  );
  const { state } = useSyncExternalStore<TileSnapshot>(
    tile?.subscribe ?? noChanges,
    tile?.getSnapshot ?? (() => emptyTile),
  );
  return (
    <video
      ref={attach}
      className={classes.video}
      muted
      playsInline
      aria-hidden="true"
      data-hover-video={state.name}
    />
  );
}

const noChanges = () => () => undefined;
