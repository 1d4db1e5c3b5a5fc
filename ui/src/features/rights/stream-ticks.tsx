import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { limits } from '@vidette/contract/constants';
import type { ListedStream } from '@vidette/contract/entities';
import { useState } from 'react';
import { api } from '../../api/api.ts';
import { searchValues } from '../../api/search-values.ts';
import { SearchField } from '../../components/search-field.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { RightsLinesPicker } from './rights-editor.tsx';
import classes from './rights.module.css';

const typingMs = 200;

/** A list of all streams by tag, where those that the user may watch are ticked. */
export function StreamTicks({ lines }: { readonly lines: RightsLinesPicker }) {
  const i18n = useI18n();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, typingMs);
  const { data } = useQuery({
    queryKey: ['streams', 'ticks', search],
    queryFn: ({ signal }) =>
      api.listStreams(
        { query: { groupType: 'tag', searchingValues: searchValues(search), pageSize: limits.pageSizeMax } },
        { signal },
      ),
    placeholderData: keepPreviousData,
    meta: { isHandled: true },
  });
  const items = data?.items ?? [];
  const left = (data?.total ?? 0) - items.length;
  const groups = [...Map.groupBy(items, ({ group }) => group)];
  return (
    <fieldset className={classes.ticks}>
      <legend>{i18n.t('rights.streams')}</legend>
      <SearchField label={i18n.t('streams.search')} value={typed} onChange={setTyped} />
      {data && items.length === 0 && <p className={classes.empty}>{i18n.t('streams.nothing.title')}</p>}
      <div className={classes.tickGroups}>
        {groups.map(([group, streams]) => (
          <TickGroup
            key={group ?? ''}
            name={group}
            isOnly={groups.length === 1}
            streams={streams}
            lines={lines}
          />
        ))}
      </div>
      {left > 0 && <p className={classes.empty}>{i18n.t('mosaicEdit.more', { count: left })}</p>}
    </fieldset>
  );
}

interface TickGroupProps {
  /** The tag; null for streams without one. */
  readonly name: string | null;
  readonly isOnly: boolean;
  readonly streams: readonly ListedStream[];
  readonly lines: RightsLinesPicker;
}

/** The streams with one tag, and a box that ticks all of them. */
function TickGroup({ name, isOnly, streams, lines }: TickGroupProps) {
  const i18n = useI18n();
  const ticked = streams.filter(({ uid }) => lines.ids.has(uid)).length;
  const isWhole = ticked === streams.length;
  const set = (some: readonly ListedStream[], isTicked: boolean) =>
    isTicked
      ? lines.add(some.map(({ uid, name: streamName }) => ({ id: uid, name: streamName })))
      : lines.remove(some.map(({ uid }) => uid));
  const heading = isOnly && name === null ? i18n.t('streams.pick.all') : (name ?? i18n.t('streams.untagged'));
  return (
    <div role="group" aria-label={heading}>
      <label className={classes.tickHeading}>
        <input
          type="checkbox"
          checked={isWhole}
          ref={(box) => {
            if (box) box.indeterminate = ticked > 0 && !isWhole;
          }}
          onChange={() => set(streams, !isWhole)}
        />
        {heading}
      </label>
      {streams.map((stream) => (
        <label key={stream.uid} className={classes.tick}>
          <input
            type="checkbox"
            checked={lines.ids.has(stream.uid)}
            onChange={(event) => set([stream], event.currentTarget.checked)}
          />
          {stream.name}
        </label>
      ))}
    </div>
  );
}
