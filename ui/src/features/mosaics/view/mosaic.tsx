import { Button } from '@mantine/core';
import IconHistory from '@tabler/icons-react/dist/esm/icons/IconHistory.mjs';
import IconLayoutDashboard from '@tabler/icons-react/dist/esm/icons/IconLayoutDashboard.mjs';
import { useQuery } from '@tanstack/react-query';
import type { WatchedMosaic } from '@vidette/contract/entities';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { isNoMosaic, useRefreshMosaic, watchedMosaicQuery } from '../mosaics-api.ts';
import { textOf } from '../../../page/failures.ts';
import { ForbiddenScreen } from '../../../components/fallback-screens.tsx';
import { usePageTitle } from '../../../page/title.ts';
import { FailedState } from '../../../components/failed-state.tsx';
import { PageState } from '../../../components/page-state.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { pageCount } from '../grid/grid.ts';
import { streamsOf } from '../grid/presets.ts';
import type { ArchiveWall } from '../../../playback/wall/archive-wall.ts';
import { useWall } from '../wall/use-wall.ts';
import { WallGrid } from '../wall/wall-grid.tsx';
import { useFullScreen } from '../../../components/use-full-screen.ts';
import { useTop } from '../../../components/use-top.ts';
import { isRefused } from '../../streams/watched-stream.ts';
import { Navigate } from '../../../routing/react/navigate.tsx';
import { useNavigate, useParams, useSearch } from '../../../routing/react/router-context.tsx';
import { ArchiveDock } from './archive-dock.tsx';
import classes from './mosaic.module.css';
import { MosaicHead } from './mosaic-head.tsx';
import { changedSearch, momentOf, type MosaicSearch, type SearchChange } from './mosaic-search.ts';
import { troubleOf } from './trouble.ts';
import { useRotation } from './use-rotation.ts';

/** Without a requested moment the archive starts this long ago: everything recorded by then is available. */
const ARCHIVE_LEAD_MS = 30_000;

/** Watching a mosaic [R2.12]. */
export function MosaicScreen() {
  const i18n = useI18n();
  const { id } = useParams({ from: '/mosaic/$id' });
  const { data, error, refetch } = useQuery(watchedMosaicQuery(id));
  usePageTitle(data?.name);
  if (isNoMosaic(error)) return <Navigate to="/not-found" />;
  if (isRefused(error)) return <ForbiddenScreen message={textOf(error, i18n)} />;
  if (data) return <Stage key={data.id} mosaic={data} />;
  if (error) return <FailedState text={textOf(error, i18n)} onRetry={() => void refetch()} />;
  return <div aria-busy="true" />;
}

function Stage({ mosaic }: { mosaic: WatchedMosaic }) {
  const i18n = useI18n();
  const navigate = useNavigate();
  const search: MosaicSearch = useSearch({ from: '/mosaic/$id' });
  const stage = useRef<HTMLDivElement>(null);
  const [wall, attachWall] = useWall();
  const [isFullScreen, toggleFullScreen] = useFullScreen(stage);
  useTop(stage);
  const { layout, streams, rotationSeconds } = mosaic;
  const pages = pageCount(layout);
  const page = Math.min(pages, search.page ?? 1) - 1;
  const isKiosk = search.kiosk === true;

  const change = useCallback(
    (changes: SearchChange | ((old: MosaicSearch) => SearchChange)) =>
      void navigate({
        to: '/mosaic/$id',
        params: { id: String(mosaic.id) },
        search: (old) => changedSearch(old, typeof changes === 'function' ? changes(old) : changes),
        replace: true,
      }),
    [navigate, mosaic.id],
  );
  const startMs = momentOf(search);
  const isArchive = startMs !== undefined;
  const [archive, setArchive] = useState<ArchiveWall>();
  const takeArchive = useCallback(
    (made: ArchiveWall | undefined) => {
      setArchive(made);
      wall?.setArchive(made);
    },
    [wall],
  );
  const goLive = useCallback(() => change({ t: undefined }), [change]);
  // A late moment must not reopen the archive.
  const noteMoment = useCallback(
    (utcMs: number) => change(({ t }) => (t === undefined ? {} : { t: utcMs })),
    [change],
  );
  const turn = useCallback(
    (by = 1) => {
      const next = ((page + by + pages) % pages) + 1;
      // The next page continues at the same moment.
      change(archive ? { page: next, t: Math.round(archive.shared.utcMs) } : { page: next });
    },
    [change, page, pages, archive],
  );
  const rotation = useRotation(pages, isArchive ? 0 : rotationSeconds, turn);

  useEffect(() => {
    if (!isKiosk) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) change({ kiosk: undefined });
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [isKiosk, change]);

  const names = useMemo(() => new Map(streams.map(({ uid, name }) => [uid, name])), [streams]);
  const recorded = useMemo(() => {
    const byUid = new Map(streams.map((stream) => [stream.uid, stream]));
    // Each stream once, in the order of the tiles.
    return [...new Set(streamsOf(layout, page))].flatMap((uid) => {
      const stream = byUid.get(uid);
      return stream?.canArchive ? stream : [];
    });
  }, [streams, layout, page]);
  const gapCauseOf = useCallback(
    (uid: string) => archive?.tracks.causeAt(uid, archive.shared.utcMs),
    [archive],
  );
  const troubles = useMemo(
    () => new Map(streams.map((stream) => [stream.uid, troubleOf(stream, i18n)])),
    [streams, i18n],
  );
  const refresh = useRefreshMosaic(String(mosaic.id));
  if (streams.length === 0) {
    return (
      <PageState
        icon={IconLayoutDashboard}
        title={i18n.t('mosaic.empty.title')}
        text={i18n.t('mosaic.empty.text')}
      />
    );
  }
  return (
    <div ref={stage} className={classes.stage} data-full-screen={isFullScreen} data-kiosk={isKiosk}>
      {!isKiosk && (
        <MosaicHead
          mosaic={mosaic}
          page={page}
          pages={pages}
          rotation={rotation}
          isFullScreen={isFullScreen}
          onTurn={(by) => {
            rotation.setTurning(false);
            turn(by);
          }}
          onKiosk={() => change({ kiosk: true })}
          onFullScreen={toggleFullScreen}
        >
          <Button
            size="sm"
            variant={isArchive ? 'light' : 'default'}
            aria-pressed={isArchive}
            aria-label={i18n.t(isArchive ? 'mosaic.live.go' : 'mosaic.archive.go')}
            leftSection={<IconHistory size={16} aria-hidden="true" />}
            onClick={() => (isArchive ? goLive() : change({ t: Date.now() - ARCHIVE_LEAD_MS }))}
          >
            {i18n.t('mosaic.archive')}
          </Button>
        </MosaicHead>
      )}
      <WallGrid
        gridRef={attachWall}
        wall={wall}
        layout={layout}
        page={page}
        label={i18n.t('mosaic.grid', { name: mosaic.name })}
        nameOf={(uid) => names.get(uid)}
        gapCauseOf={gapCauseOf}
        troubleOf={(uid) => troubles.get(uid)}
        onAway={refresh}
      />
      {startMs !== undefined && (
        <ArchiveDock
          key={page}
          name={mosaic.name}
          streams={recorded}
          startMs={startMs}
          onArchive={takeArchive}
          onLive={goLive}
          onMoment={noteMoment}
          isBare={isKiosk}
        />
      )}
      {isKiosk && (
        <Button
          className={classes.leave}
          size="sm"
          variant="default"
          onClick={() => change({ kiosk: undefined })}
        >
          {i18n.t('mosaic.kiosk.leave')}
        </Button>
      )}
    </div>
  );
}
