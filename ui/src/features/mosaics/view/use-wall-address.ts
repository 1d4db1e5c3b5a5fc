import type { MosaicLayout, WatchedMosaic } from '@vidette/contract/entities';
import { useCallback, useEffect, useState } from 'react';
import type { ArchiveWall } from '../../../playback/wall/archive-wall.ts';
import type { Wall } from '../../../playback/wall/wall.ts';
import { pageCount } from '../grid/grid.ts';
import { momentOf, type MosaicSearch, type SearchChange } from './mosaic-search.ts';
import { useRotation } from './use-rotation.ts';

/** Changes the address in place; a function receives the current one. */
export type ChangeAddress = (changes: SearchChange | ((old: MosaicSearch) => SearchChange)) => void;

/** The part of a wall's state that is in the address. */
export interface WallAddress {
  /** The visible page, from 0, and the number of pages. */
  readonly page: number;
  readonly pages: number;
  readonly isKiosk: boolean;
  /** The moment of the archive, ms since the epoch; undefined for live. */
  readonly startMs: number | undefined;
  readonly change: ChangeAddress;
}

/** The state of a wall in the address: a link leads to the same page and moment. */
export function wallAddress(layout: MosaicLayout, search: MosaicSearch, change: ChangeAddress): WallAddress {
  const pages = pageCount(layout);
  return {
    page: Math.min(pages, search.page ?? 1) - 1,
    pages,
    isKiosk: search.kiosk === true,
    startMs: momentOf(search),
    change,
  };
}

/** The archive of a wall while it is open, and how its moment is written to the address. */
export function useWallArchive(wall: Wall | undefined, change: ChangeAddress) {
  const [archive, setArchive] = useState<ArchiveWall>();
  const takeArchive = useCallback(
    (made: ArchiveWall | undefined) => {
      setArchive(made);
      wall?.setArchive(made);
    },
    [wall],
  );
  const goLive = useCallback(() => change({ t: undefined }), [change]);
  // A moment that arrives late must not reopen the archive.
  const noteMoment = useCallback(
    (utcMs: number) => change(({ t }) => (t === undefined ? {} : { t: utcMs })),
    [change],
  );
  return { archive, takeArchive, goLive, noteMoment };
}

/** Turns the pages: automatically while live, until the user does. */
export function useTurning(
  { rotationSeconds }: Pick<WatchedMosaic, 'rotationSeconds'>,
  { page, pages, startMs, change }: WallAddress,
  archive: ArchiveWall | undefined,
) {
  const turnBy = useCallback(
    (by = 1) => {
      const next = ((page + by + pages) % pages) + 1;
      // The next page continues at the same moment.
      change(archive ? { page: next, t: Math.round(archive.shared.utcMs) } : { page: next });
    },
    [change, page, pages, archive],
  );
  const rotation = useRotation(pages, startMs === undefined ? rotationSeconds : 0, turnBy);
  const turn = (by: 1 | -1) => {
    rotation.setTurning(false);
    turnBy(by);
  };
  return { turn, rotation };
}

/** Leaves the kiosk on Escape. */
export function useKioskKey(isKiosk: boolean, change: ChangeAddress): void {
  useEffect(() => {
    if (!isKiosk) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) change({ kiosk: undefined });
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [isKiosk, change]);
}
