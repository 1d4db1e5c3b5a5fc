import { Button, Skeleton } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import IconCloudX from '@tabler/icons-react/dist/esm/icons/IconCloudX.mjs';
import IconSearchOff from '@tabler/icons-react/dist/esm/icons/IconSearchOff.mjs';
import { lazy, Suspense, useMemo, useState } from 'react';
import type { StreamFilter } from '../streams-api.ts';
import { useUser } from '../../../api/session.ts';
import { textOf } from '../../../page/failures.ts';
import { Delayed } from '../../../components/delayed.tsx';
import { PageState } from '../../../components/page-state.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { defaultChoices, loadChoices, saveChoices, type StreamsChoices } from './choices.ts';
import { NoStreams } from './no-streams.tsx';
import { searchValues } from '../../../api/search-values.ts';
import { StreamsBody } from './streams-body.tsx';
import { StreamsHeader } from './streams-header.tsx';
import classes from './streams.module.css';
import { usePicking } from './use-picking.ts';
import { useStreamList } from './use-stream-list.ts';

const PickedBar = lazy(() => import('./picked-bar.tsx').then((module) => ({ default: module.PickedBar })));

const searchDelayMs = 200;

/** All streams [R2.1, R2.26]: a wall of fresh snapshots or a table, as the user last chose. */
export function StreamsScreen() {
  const i18n = useI18n();
  const user = useUser();
  const [choices, setChoices] = useState(() => loadChoices(localStorage));
  const [pages, setPages] = useState<readonly number[]>([1]);
  const [search] = useDebouncedValue(choices.search, searchDelayMs);
  const { isGrouped, onlyAvailable, sortType } = choices;
  const filter = useMemo(
    (): StreamFilter => ({
      groupType: isGrouped ? 'tag' : 'none',
      sortType,
      onlyAvailable,
      searchingValues: searchValues(search),
    }),
    [isGrouped, onlyAvailable, sortType, search],
  );
  const list = useStreamList(filter, pages);
  const picking = usePicking(filter, list.total ?? 0);
  const change = (changes: Partial<StreamsChoices>) => {
    const next = { ...choices, ...changes };
    setChoices(next);
    saveChoices(localStorage, next);
  };
  // An administrator may edit every stream; waiting for the list would make the controls move.
  const isForAll = user?.isAdmin === true && list.total === undefined && list.error === null;
  const isNarrowed = onlyAvailable || filter.searchingValues?.length !== 0;

  const content = () => {
    if (list.error) {
      return (
        <PageState
          isInline
          icon={IconCloudX}
          title={i18n.t('state.failed.title')}
          text={textOf(list.error, i18n)}
          action={
            <Button size="sm" variant="default" onClick={list.retry}>
              {i18n.t('action.retry')}
            </Button>
          }
        />
      );
    }
    if (list.total === undefined) return <StreamsSkeleton />;
    if (list.total === 0 && !isNarrowed) return <NoStreams />;
    if (list.total === 0) {
      return (
        <PageState
          isInline
          icon={IconSearchOff}
          title={i18n.t('streams.nothing.title')}
          text={i18n.t(onlyAvailable ? 'streams.nothing.available' : 'streams.nothing.search')}
          action={
            <Button
              size="sm"
              variant="default"
              onClick={() => change({ search: defaultChoices.search, onlyAvailable: false })}
            >
              {i18n.t('streams.nothing.showAll')}
            </Button>
          }
        />
      );
    }
    return (
      <StreamsBody
        list={list}
        total={list.total}
        isGrouped={isGrouped}
        view={choices.view}
        picking={picking}
        onPages={(wanted) => {
          if (wanted.join() !== pages.join()) setPages(wanted);
        }}
      />
    );
  };
  return (
    <>
      <StreamsHeader
        choices={choices}
        total={isGrouped ? undefined : list.total}
        onChange={change}
        picking={isForAll || list.isChangeable || picking.isOn ? picking : null}
      />
      {content()}
      {picking.isOn && (
        <Suspense>
          <PickedBar picking={picking} />
        </Suspense>
      )}
    </>
  );
}

function StreamsSkeleton() {
  return (
    <Delayed>
      <div className={classes.skeletons} aria-busy="true">
        {Array.from({ length: 8 }, (_, index) => (
          <Skeleton key={index} className={classes.skeleton} radius={6} />
        ))}
      </div>
    </Delayed>
  );
}
