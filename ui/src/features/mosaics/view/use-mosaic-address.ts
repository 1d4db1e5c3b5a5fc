import type { WatchedMosaic } from '@vidette/contract/entities';
import { useCallback, useEffect, useState } from 'react';
import type { ArchiveWall } from '../../../playback/wall/archive-wall.ts';
import type { Wall } from '../../../playback/wall/wall.ts';
import { useNavigate, useSearch } from '../../../routing/react/router-context.tsx';
import { pageCount } from '../grid/grid.ts';
import { changedSearch, momentOf, type MosaicSearch, type SearchChange } from './mosaic-search.ts';
import { useRotation } from './use-rotation.ts';

/** Changes the address in place; a function receives the current one. */
type ChangeAddress = (changes: SearchChange | ((old: MosaicSearch) => SearchChange)) => void;

/** The part of a mosaic's state that is in the address. */
interface MosaicAddress {
  /** The visible page, from 0, and the number of pages. */
  readonly page: number;
  readonly pages: number;
  readonly isKiosk: boolean;
  /** The moment of the archive, ms since the epoch; undefined for live. */
  readonly startMs: number | undefined;
  readonly change: ChangeAddress;
}

/** The state of a mosaic in the address: a link leads to the same page and moment. */
export function useMosaicAddress({ id, layout }: WatchedMosaic): MosaicAddress {
  const navigate = useNavigate();
  const search: MosaicSearch = useSearch({ from: '/mosaic/$id' });
  const pages = pageCount(layout);
  const change = useCallback(
    (changes: Parameters<ChangeAddress>[0]) =>
      void navigate({
        to: '/mosaic/$id',
        params: { id: String(id) },
        search: (old) => changedSearch(old, typeof changes === 'function' ? changes(old) : changes),
        replace: true,
      }),
    [navigate, id],
  );
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
  { rotationSeconds }: WatchedMosaic,
  { page, pages, startMs, change }: MosaicAddress,
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
