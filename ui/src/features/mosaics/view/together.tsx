import { useMediaQuery } from '@mantine/hooks';
import { useQueries } from '@tanstack/react-query';
import type { Stream } from '@vidette/contract/entities';
import { useCallback, useMemo } from 'react';
import { textOf } from '../../../page/failures.ts';
import { usePageTitle } from '../../../page/title.ts';
import { FailedState } from '../../../components/failed-state.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { useNavigate, useSearch } from '../../../routing/react/router-context.tsx';
import { readTogether } from '../../streams/together.ts';
import { evenLayout } from '../grid/presets.ts';
import { togetherQuery, useRefreshTogether } from '../mosaics-api.ts';
import { changedSearch } from './mosaic-search.ts';
import { SaveMosaic } from './save-mosaic.tsx';
import { wallAddress, type ChangeAddress } from './use-wall-address.ts';
import { WallStage } from './wall-stage.tsx';

/** Streams that were selected in the list, as a wall that is not saved [R2.12]. */
export function TogetherScreen() {
  const i18n = useI18n();
  const { streams: listed = '' } = useSearch({ from: '/wall' });
  const uids = useMemo(() => readTogether(listed), [listed]);
  const answers = useQueries({ queries: uids.map(togetherQuery) });
  const name = i18n.t('mosaics.streams', { count: uids.length });
  usePageTitle(name);
  if (answers.some(({ isPending }) => isPending)) return <div aria-busy="true" />;
  const failed = answers.find(({ data, error }) => data === undefined && error);
  if (failed?.error) {
    const retry = () => answers.forEach(({ refetch }) => void refetch());
    return <FailedState text={textOf(failed.error, i18n)} onRetry={retry} />;
  }
  return <Together key={listed} name={name} streams={answers.map(({ data }) => data ?? null)} />;
}

interface TogetherProps {
  readonly name: string;
  /** In the order of the tiles; null for one that the viewer may not watch. */
  readonly streams: readonly (Stream | null)[];
}

function Together({ name, streams }: TogetherProps) {
  const navigate = useNavigate();
  const isUpright = useMediaQuery('(orientation: portrait)', undefined, { getInitialValueInEffect: false });
  const uids = streams.map((stream) => stream?.uid ?? null);
  const change = useCallback<ChangeAddress>(
    (changes) =>
      void navigate({
        to: '/wall',
        search: ({ streams: listed = '', ...old }) => ({
          ...changedSearch(old, typeof changes === 'function' ? changes(old) : changes),
          streams: listed,
        }),
        replace: true,
      }),
    [navigate],
  );
  const wall = {
    name,
    layout: evenLayout(uids, isUpright),
    streams: streams.flatMap((stream) => stream ?? []),
    rotationSeconds: 0,
  };
  const address = wallAddress(wall.layout, useSearch({ from: '/wall' }), change);
  const onAway = useRefreshTogether();
  return (
    <WallStage
      wall={wall}
      address={address}
      onAway={onAway}
      action={<SaveMosaic layout={wall.layout} startMs={address.startMs} />}
    />
  );
}
