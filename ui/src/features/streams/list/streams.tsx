import { Button, Skeleton } from '@mantine/core';
import IconCloudX from '@tabler/icons-react/dist/esm/icons/IconCloudX.mjs';
import { Suspense, useCallback, useState } from 'react';
import { useUser } from '../../../api/session.ts';
import { textOf } from '../../../page/failures.ts';
import { closeFirstSteps, hasFirstSteps } from '../../../page/first-steps.ts';
import { Delayed } from '../../../components/delayed.tsx';
import { PageState } from '../../../components/page-state.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { StreamsBody } from './streams-body.tsx';
import { StreamsHeader } from './streams-header.tsx';
import classes from './streams.module.css';
import { usePicking, type Picking } from './use-picking.ts';
import { useStreamFilters, type StreamFilters } from './use-stream-filters.ts';
import { useStreamList, type StreamList } from './use-stream-list.ts';
import { lazyPart } from '../../../page/lazy-part.ts';

const FailedStrip = lazyPart(() => import('./failed-strip.tsx').then((module) => module.FailedStrip));
const FirstStepsBar = lazyPart(() => import('./first-steps-bar.tsx').then((module) => module.FirstStepsBar));
const NothingFound = lazyPart(() => import('./nothing-found.tsx').then((module) => module.NothingFound));
const NoStreams = lazyPart(() => import('./no-streams.tsx').then((module) => module.NoStreams));
const PickedBar = lazyPart(() => import('./picked-bar.tsx').then((module) => module.PickedBar));

/** All streams [R2.1, R2.26]: a wall of fresh snapshots or a table, as the user last chose. */
export function StreamsScreen() {
  const user = useUser();
  const filters = useStreamFilters();
  const [pages, setPages] = useState<readonly number[]>([1]);
  const showPages = useCallback(
    (wanted: readonly number[]) => setPages((now) => (wanted.join() === now.join() ? now : wanted)),
    [],
  );
  const list = useStreamList(filters.filter, pages);
  const picking = usePicking(filters.filter, list.total ?? 0);
  const [hasSteps, setSteps] = useState(() => user?.isAdmin === true && hasFirstSteps(localStorage));
  const closeSteps = () => {
    closeFirstSteps(localStorage);
    setSteps(false);
  };
  return (
    <>
      {hasSteps && (
        <Suspense fallback={<div className={classes.steps} />}>
          <FirstStepsBar onClose={closeSteps} />
        </Suspense>
      )}
      <StreamsHeader
        choices={filters.choices}
        total={filters.choices.isGrouped ? undefined : list.total}
        onChange={filters.change}
        picking={list.total === 0 && !picking.isOn ? null : picking}
      />
      {hasFailedStrip(list, filters) && (
        <Suspense>
          <FailedStrip failed={list.failed} onShowAll={() => filters.change({ sortType: 'status' })} />
        </Suspense>
      )}
      <StreamsContent list={list} filters={filters} picking={picking} onPages={showPages} />
      {picking.isOn && (
        <Suspense>
          <PickedBar picking={picking} mayChange={user?.isAdmin === true || list.isChangeable} />
        </Suspense>
      )}
    </>
  );
}

/** A list without a single stream that works says it all itself, and so does one that was narrowed on purpose. */
function hasFailedStrip({ failed, total }: StreamList, { isNarrowed }: StreamFilters): boolean {
  return failed.length > 0 && total !== undefined && failed.length < total && !isNarrowed;
}

interface StreamsContentProps {
  readonly list: StreamList;
  readonly filters: StreamFilters;
  readonly picking: Picking;
  readonly onPages: (pages: readonly number[]) => void;
}

/** The streams, or why there are none. */
function StreamsContent({ list, filters, picking, onPages }: StreamsContentProps) {
  if (list.error) return <ListFailed error={list.error} onRetry={list.retry} />;
  if (list.total === undefined) return <StreamsSkeleton />;
  if (list.total === 0)
    return <Suspense>{filters.isNarrowed ? <NothingFound filters={filters} /> : <NoStreams />}</Suspense>;
  return (
    <StreamsBody
      list={list}
      total={list.total}
      choices={filters.choices}
      onChoose={filters.change}
      picking={picking}
      onPages={onPages}
    />
  );
}

function ListFailed({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const i18n = useI18n();
  return (
    <PageState
      isInline
      icon={IconCloudX}
      title={i18n.t('state.failed.title')}
      text={textOf(error, i18n)}
      action={
        <Button size="sm" variant="default" onClick={onRetry}>
          {i18n.t('action.retry')}
        </Button>
      }
    />
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
