import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState, type PointerEvent } from 'react';
import { StreamStill } from '../../streams/stream-still.tsx';
import { streamsPageQuery } from '../../streams/streams-api.ts';
import { textOf } from '../../../page/failures.ts';
import { SearchField } from '../../../components/search-field.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { searchValues } from '../../../api/search-values.ts';
import classes from './mosaic-edit.module.css';
import type { Dragged } from './use-drag.ts';

interface StreamPaletteProps {
  readonly used: ReadonlySet<string>;
  readonly onPick: (uid: string, name: string) => void;
  readonly onGrab: (event: PointerEvent, what: Dragged) => void;
}

const typingMs = 200;

/** The streams that can be added to the mosaic: searched, clicked or dragged. */
export function StreamPalette({ used, onPick, onGrab }: StreamPaletteProps) {
  const i18n = useI18n();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, typingMs);
  const filter = {
    groupType: 'none',
    sortType: 'name',
    onlyAvailable: false,
    searchingValues: searchValues(search),
  } as const;
  const { data, error } = useQuery(
    streamsPageQuery({ ...filter, searchingValues: [...filter.searchingValues] }, 1),
  );
  const items = data?.items ?? [];
  const [last, setLast] = useState<string>();
  const more = data ? data.total - data.items.length : 0;
  return (
    <section className={classes.palette} aria-label={i18n.t('mosaicEdit.streams')}>
      <h2 className={classes.paletteTitle}>{i18n.t('mosaicEdit.streams')}</h2>
      <p className={classes.quiet}>{i18n.t('mosaicEdit.streams.help')}</p>
      <SearchField label={i18n.t('mosaicEdit.search')} value={typed} onChange={setTyped} />
      {error && <p className={classes.quiet}>{textOf(error, i18n)}</p>}
      {data?.total === 0 && <p className={classes.quiet}>{i18n.t('streams.nothing.title')}</p>}
      <ul className={classes.paletteList}>
        {items.map(({ uid, name }) => (
          <li key={uid}>
            <button
              type="button"
              className={classes.paletteItem}
              onClick={({ shiftKey }) => {
                for (const one of streamsUpTo(items, shiftKey ? last : undefined, uid))
                  onPick(one.uid, one.name);
                setLast(uid);
              }}
              onPointerDown={(event) => onGrab(event, { kind: 'stream', uid, name })}
            >
              <span className={classes.paletteStill}>
                <StreamStill uid={uid} />
              </span>
              <span className={classes.paletteName}>{name}</span>
              {used.has(uid) && <span className={classes.quiet}>{i18n.t('mosaicEdit.inUse')}</span>}
            </button>
          </li>
        ))}
      </ul>
      {more > 0 && <p className={classes.quiet}>{i18n.t('mosaicEdit.more', { count: more })}</p>}
    </section>
  );
}

interface PaletteStream {
  readonly uid: string;
  readonly name: string;
}

/** The chosen stream, or all after `last` up to it, in the order of the list. */
function streamsUpTo(
  streams: readonly PaletteStream[],
  last: string | undefined,
  chosen: string,
): readonly PaletteStream[] {
  const to = streams.findIndex(({ uid }) => uid === chosen);
  const from = last === undefined ? -1 : streams.findIndex(({ uid }) => uid === last);
  if (from === -1 || from === to) return streams.slice(to, to + 1);
  return from < to ? streams.slice(from + 1, to + 1) : streams.slice(to, from);
}
