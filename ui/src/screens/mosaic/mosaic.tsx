import { Button } from '@mantine/core';
import IconLayoutDashboard from '@tabler/icons-react/dist/esm/icons/IconLayoutDashboard.mjs';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import type { WatchedMosaic } from '@vidette/contract/entities';
import { useCallback, useEffect, useMemo, useRef } from 'react';
import { isNoMosaic, watchedMosaicQuery } from '../../api/mosaics.ts';
import { wordsOf } from '../../app/failures.ts';
import { ForbiddenScreen } from '../../app/fallback-screens.tsx';
import { usePageTitle } from '../../app/title.ts';
import { FailedState } from '../../components/failed-state.tsx';
import { PageState } from '../../components/page-state.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { pageCount } from '../../mosaic/grid.ts';
import { useWall } from '../../wall/react/use-wall.ts';
import { WallGrid } from '../../wall/react/wall-grid.tsx';
import { useFullScreen } from '../stream-view/use-full-screen.ts';
import { useTop } from '../stream-view/use-top.ts';
import { isRefused } from '../stream-view/watched-stream.ts';
import classes from './mosaic.module.css';
import { MosaicHead } from './mosaic-head.tsx';
import { changedSearch, type MosaicSearch } from './mosaic-search.ts';
import { useRotation } from './use-rotation.ts';

/** Watching a mosaic [R2.12]. */
export function MosaicScreen() {
  const i18n = useI18n();
  const { id } = useParams({ from: '/mosaic/$id' });
  const { data, error, refetch } = useQuery(watchedMosaicQuery(id));
  usePageTitle(data?.name);
  if (isNoMosaic(error)) return <Navigate to="/not-found" replace />;
  if (isRefused(error)) return <ForbiddenScreen message={wordsOf(error, i18n)} />;
  if (data) return <Stage key={data.id} mosaic={data} />;
  if (error) return <FailedState text={wordsOf(error, i18n)} onRetry={() => void refetch()} />;
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
    (changes: Parameters<typeof changedSearch>[1]) =>
      void navigate({
        to: '/mosaic/$id',
        params: { id: String(mosaic.id) },
        search: (old) => changedSearch(old, changes),
        replace: true,
        resetScroll: false,
      }),
    [navigate, mosaic.id],
  );
  const turn = useCallback(
    (by = 1) => change({ page: ((page + by + pages) % pages) + 1 }),
    [change, page, pages],
  );
  const rotation = useRotation(pages, rotationSeconds, turn);

  useEffect(() => {
    if (!isKiosk) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) change({ kiosk: undefined });
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, [isKiosk, change]);

  const names = useMemo(() => new Map(streams.map(({ uid, name }) => [uid, name])), [streams]);
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
        />
      )}
      <WallGrid
        gridRef={attachWall}
        wall={wall}
        layout={layout}
        page={page}
        label={i18n.t('mosaic.grid', { name: mosaic.name })}
        nameOf={(uid) => names.get(uid)}
        archiveOf={noArchive}
        gapCauseOf={noCause}
      />
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

const noArchive = () => undefined;
const noCause = () => undefined;
