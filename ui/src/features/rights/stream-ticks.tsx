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
  const isTagged = groups.some(([group]) => group !== null);
  return (
    <fieldset className={classes.ticks}>
      <legend>{i18n.t('rights.streams')}</legend>
      <SearchField label={i18n.t('streams.search')} value={typed} onChange={setTyped} />
      {data && items.length === 0 && <p className={classes.empty}>{i18n.t('streams.nothing.title')}</p>}
      {items.length > 0 && (
        <div className={classes.tickGroups}>
          <TickAll name={i18n.t('streams.pick.all')} streams={eachOnce(items)} lines={lines} />
          {groups.map(([group, streams]) => (
            <TickGroup
              key={group ?? ''}
              name={isTagged ? (group ?? i18n.t('streams.untagged')) : undefined}
              streams={streams}
              lines={lines}
            />
          ))}
        </div>
      )}
      {left > 0 && <p className={classes.empty}>{i18n.t('mosaicEdit.more', { count: left })}</p>}
    </fieldset>
  );
}

/** A stream with two tags is listed under both. */
function eachOnce(streams: readonly ListedStream[]): readonly ListedStream[] {
  return [...new Map(streams.map((stream) => [stream.uid, stream])).values()];
}

interface TicksProps {
  readonly streams: readonly ListedStream[];
  readonly lines: RightsLinesPicker;
}

interface TickGroupProps extends TicksProps {
  /** The tag; undefined for a list without any. */
  readonly name: string | undefined;
}

/** The streams with one tag. */
function TickGroup({ name, streams, lines }: TickGroupProps) {
  const ticks = streams.map((stream) => (
    <label key={stream.uid} className={classes.tick}>
      <input
        type="checkbox"
        checked={lines.ids.has(stream.uid)}
        onChange={(event) => setTicks(lines, [stream], event.currentTarget.checked)}
      />
      {stream.name}
    </label>
  ));
  if (name === undefined) return ticks;
  return (
    <div role="group" aria-label={name}>
      <TickAll name={name} streams={streams} lines={lines} />
      {ticks}
    </div>
  );
}

/** A box that ticks several streams. */
function TickAll({ name, streams, lines }: TicksProps & { readonly name: string }) {
  const ticked = streams.filter(({ uid }) => lines.ids.has(uid)).length;
  const isWhole = ticked === streams.length;
  return (
    <label className={classes.tickHeading}>
      <input
        type="checkbox"
        checked={isWhole}
        ref={(box) => {
          if (box) box.indeterminate = ticked > 0 && !isWhole;
        }}
        onChange={() => setTicks(lines, streams, !isWhole)}
      />
      {name}
    </label>
  );
}

function setTicks(lines: RightsLinesPicker, streams: readonly ListedStream[], isTicked: boolean): void {
  if (isTicked) lines.add(streams.map(({ uid, name }) => ({ id: uid, name })));
  else lines.remove(streams.map(({ uid }) => uid));
}
