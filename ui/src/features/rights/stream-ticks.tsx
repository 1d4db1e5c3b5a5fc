import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import type { ListedStream } from '@vidette/contract/entities';
import { useEffect, useRef, useState } from 'react';
import { searchValues } from '../../api/search-values.ts';
import { SearchField } from '../../components/search-field.tsx';
import { textOf } from '../../page/failures.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { loadStreamsBetween } from '../streams/streams-api.ts';
import { useInView } from '../streams/use-in-view.ts';
import type { RightsLinesPicker } from './rights-editor.tsx';
import classes from './rights.module.css';

const typingMs = 200;

/** Rows that are drawn at first; twice as many each time the end of the drawn ones is in sight. */
const rowsAtFirst = 200;

/** A list of all streams by tag, where those that the user may watch are ticked. */
export function StreamTicks({ lines }: { readonly lines: RightsLinesPicker }) {
  const i18n = useI18n();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, typingMs);
  const { data, error } = useQuery({
    queryKey: ['streams', 'ticks', search],
    queryFn: ({ signal }) =>
      loadStreamsBetween({ groupType: 'tag', searchingValues: searchValues(search) }, 0, Infinity, signal),
    placeholderData: keepPreviousData,
    meta: { isHandled: true },
  });
  return (
    <fieldset className={classes.ticks}>
      <legend>{i18n.t('rights.streams')}</legend>
      <SearchField label={i18n.t('streams.search')} value={typed} onChange={setTyped} />
      {error && !data && <p className={classes.empty}>{textOf(error, i18n)}</p>}
      {data?.length === 0 && <p className={classes.empty}>{i18n.t('streams.nothing.title')}</p>}
      {data && data.length > 0 && <TickGroups key={search} items={data} lines={lines} />}
    </fieldset>
  );
}

/** All streams in a box that scrolls; the rows far below are drawn as the user gets there. */
function TickGroups({
  items,
  lines,
}: {
  readonly items: readonly ListedStream[];
  readonly lines: RightsLinesPicker;
}) {
  const i18n = useI18n();
  const [drawn, setDrawn] = useState(rowsAtFirst);
  const groups = groupsOf(items);
  const isTagged = [...groups.keys()].some((group) => group !== null);
  return (
    <div className={classes.tickGroups}>
      <TickAll name={i18n.t('streams.pick.all')} streams={eachOnce(items)} lines={lines} />
      {[...groupsOf(items.slice(0, drawn))].map(([group, rows]) => (
        <TickGroup
          key={group ?? ''}
          name={isTagged ? (group ?? i18n.t('streams.untagged')) : undefined}
          streams={groups.get(group) ?? rows}
          rows={rows}
          lines={lines}
        />
      ))}
      {drawn < items.length && <ListEnd key={drawn} onSeen={() => setDrawn(2 * drawn)} />}
    </div>
  );
}

/** The end of the drawn rows. */
function ListEnd({ onSeen }: { readonly onSeen: () => void }) {
  const mark = useRef<HTMLDivElement>(null);
  const isInView = useInView(mark);
  useEffect(() => {
    if (isInView) onSeen();
  }, [isInView, onSeen]);
  return <div ref={mark} className={classes.listEnd} />;
}

/** By tag; the streams without any are last. */
function groupsOf(items: readonly ListedStream[]): ReadonlyMap<string | null, readonly ListedStream[]> {
  return Map.groupBy(items, ({ group }) => group);
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
  /** Those that are drawn. */
  readonly rows: readonly ListedStream[];
}

/** The streams with one tag. */
function TickGroup({ name, streams, rows, lines }: TickGroupProps) {
  const ticks = rows.map((stream) => (
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
