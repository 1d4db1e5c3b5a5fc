import { useCallback, useEffect, useState, useSyncExternalStore, type RefCallback } from 'react';
import { openWall } from '../../../playback/wall/browser-wall.ts';
import type { Wall } from '../../../playback/wall/wall.ts';
import type { TileSnapshot } from '../../../playback/wall/tile-snapshot.ts';
import type { WallTile } from '../../../playback/wall/wall-tile.ts';

/**
 * A wall that exists as long as the element with the returned ref; it is notified when the page is hidden and
 * when the network is back.
 */
export function useWall(): readonly [Wall | undefined, RefCallback<HTMLElement>] {
  const [wall, setWall] = useState<Wall>();
  const attach = useCallback(() => {
    const made = openWall();
    const onVisibility = () => made.setVisible(document.visibilityState === 'visible');
    const onOnline = () => made.wake();
    document.addEventListener('visibilitychange', onVisibility);
    window.addEventListener('online', onOnline);
    setWall(made);
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      window.removeEventListener('online', onOnline);
      setWall(undefined);
      made.dispose();
    };
  }, []);
  return [wall, attach];
}

/** One tile of a wall, for the video element with the returned ref; notified of its size and visibility. */
export function useWallTile(options: {
  readonly wall: Wall | undefined;
  readonly id: string;
  readonly uid: string;
  readonly isEnlarged: boolean;
  /** Another tile is enlarged in front of it. */
  readonly isCovered: boolean;
}): readonly [WallTile | undefined, RefCallback<HTMLVideoElement>] {
  const { wall, id, uid, isEnlarged, isCovered } = options;
  const [tile, setTile] = useState<WallTile>();
  const attach = useCallback(
    (video: HTMLVideoElement | null) => {
      if (!wall || !video) return undefined;
      const made = wall.add({ id, uid, video });
      const sight = { isInSight: false, widthPx: 0, heightPx: 0 };
      const intersections = new IntersectionObserver((entries) => {
        sight.isInSight = entries.at(-1)?.isIntersecting ?? false;
        made.setSight({ ...sight });
      });
      const sizes = new ResizeObserver(([entry]) => {
        if (!entry) return;
        sight.widthPx = Math.round(entry.contentRect.width * window.devicePixelRatio);
        sight.heightPx = Math.round(entry.contentRect.height * window.devicePixelRatio);
        made.setSight({ ...sight });
      });
      intersections.observe(video);
      sizes.observe(video);
      setTile(made);
      return () => {
        intersections.disconnect();
        sizes.disconnect();
        setTile(undefined);
        wall.remove(made);
      };
    },
    [wall, id, uid],
  );
  useEffect(
    () => tile?.setPlace(isEnlarged ? 'enlarged' : isCovered ? 'covered' : 'among others'),
    [tile, isEnlarged, isCovered],
  );
  return [tile, attach];
}

/** The state of a tile; re-renders on each change. */
export function useTileSnapshot(tile: WallTile): TileSnapshot {
  return useSyncExternalStore(tile.subscribe, tile.getSnapshot);
}
