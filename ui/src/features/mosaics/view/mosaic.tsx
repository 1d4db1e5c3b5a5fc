import { useQuery } from '@tanstack/react-query';
import type { WatchedMosaic } from '@vidette/contract/entities';
import { useCallback } from 'react';
import { isNoMosaic, useRefreshMosaic, watchedMosaicQuery } from '../mosaics-api.ts';
import { textOf } from '../../../page/failures.ts';
import { ForbiddenScreen } from '../../../components/fallback-screens.tsx';
import { usePageTitle } from '../../../page/title.ts';
import { FailedState } from '../../../components/failed-state.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { isRefused } from '../../streams/watched-stream.ts';
import { Navigate } from '../../../routing/react/navigate.tsx';
import { useNavigate, useParams, useSearch } from '../../../routing/react/router-context.tsx';
import { MosaicSettingsLink } from './mosaic-settings-link.tsx';
import { changedSearch } from './mosaic-search.ts';
import { wallAddress, type ChangeAddress } from './use-wall-address.ts';
import { WallStage } from './wall-stage.tsx';

/** Watching a mosaic [R2.12]. */
export function MosaicScreen() {
  const i18n = useI18n();
  const { id } = useParams({ from: '/mosaic/$id' });
  const { data, error, refetch } = useQuery(watchedMosaicQuery(id));
  usePageTitle(data?.name);
  if (isNoMosaic(error)) return <Navigate to="/not-found" />;
  if (isRefused(error)) return <ForbiddenScreen message={textOf(error, i18n)} />;
  if (data) return <WatchedWall key={data.id} mosaic={data} />;
  if (error) return <FailedState text={textOf(error, i18n)} onRetry={() => void refetch()} />;
  return <div aria-busy="true" />;
}

function WatchedWall({ mosaic }: { mosaic: WatchedMosaic }) {
  const { id, layout, meta } = mosaic;
  const navigate = useNavigate();
  const change = useCallback<ChangeAddress>(
    (changes) =>
      void navigate({
        to: '/mosaic/$id',
        params: { id: String(id) },
        search: (old) => changedSearch(old, typeof changes === 'function' ? changes(old) : changes),
        replace: true,
      }),
    [navigate, id],
  );
  const address = wallAddress(layout, useSearch({ from: '/mosaic/$id' }), change);
  const onAway = useRefreshMosaic(String(id));
  return (
    <WallStage
      wall={mosaic}
      address={address}
      onAway={onAway}
      action={meta.canAdmin && <MosaicSettingsLink id={id} />}
    />
  );
}
