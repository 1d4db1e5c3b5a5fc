import { Button, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { journalKinds } from '@vidette/contract/constants';
import { useMemo, useState } from 'react';
import { SearchField } from '../../components/search-field.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { MomentField } from '../../timeline/react/moment-field.tsx';
import { Zone } from '../../timeline/zone.ts';
import { streamTagsQuery } from '../streams/streams-api.ts';
import { journalKindName } from './entry-text.ts';
import { camerasQuery } from './events-api.ts';
import { eventsSearch, type EventsSearch } from './events-search.ts';
import classes from './events.module.css';
import { readTimeOfDay, writeTimeOfDay } from './time-of-day.ts';

interface EventFiltersProps {
  /** Without the chosen event. */
  readonly search: EventsSearch;
  readonly onChange: (search: EventsSearch) => void;
}

/** Filters by words, camera, tag, kind, time of day and date; each takes effect when it is changed. */
export function EventFilters({ search, onChange }: EventFiltersProps) {
  const i18n = useI18n();
  const { data: cameras } = useQuery(camerasQuery);
  const { data: tags } = useQuery(streamTagsQuery);
  const change = (name: keyof EventsSearch, value: string | number | undefined) =>
    onChange(eventsSearch({ ...search, [name]: value }));
  const select = (name: 'camera' | 'tag' | 'kind') => ({
    size: 'sm' as const,
    label: i18n.t(`events.filter.${name}`),
    value: search[name] ?? '',
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      change(name, event.currentTarget.value),
  });
  const any = { value: '', label: i18n.t('events.all') };
  return (
    <div className={classes.filters} role="group" aria-label={i18n.t('events.filters', { count: 0 })}>
      <WordsField value={search.q} onWords={(words) => change('q', words)} />
      <NativeSelect
        {...select('camera')}
        data={[any, ...(cameras ?? []).map(({ uid, name }) => ({ value: uid, label: name }))]}
      />
      <NativeSelect
        {...select('tag')}
        data={[any, ...(tags?.items ?? []).map(({ name }) => ({ value: name, label: name }))]}
      />
      <NativeSelect
        {...select('kind')}
        data={[any, ...journalKinds.map((kind) => ({ value: kind, label: journalKindName(kind, i18n) }))]}
      />
      <div className={classes.times} role="group" aria-label={i18n.t('events.filter.times')}>
        <TimeField
          label={i18n.t('events.filter.from')}
          value={search.from}
          onTime={(time) => change('from', time)}
        />
        <TimeField
          label={i18n.t('events.filter.until')}
          value={search.until}
          onTime={(time) => change('until', time)}
        />
      </div>
      <BeforeField ms={search.before} onMoment={(ms) => change('before', ms)} />
      <Button
        size="sm"
        variant="default"
        disabled={Object.keys(search).length === 0}
        onClick={() => onChange({})}
      >
        {i18n.t('audit.clear')}
      </Button>
    </div>
  );
}

interface WordsFieldProps {
  readonly value: string | undefined;
  readonly onWords: (words: string) => void;
}

/** A query is sent when the user pauses. */
const TYPING_MS = 300;

/** Words of the note, the details or the camera's name. */
function WordsField({ value, onWords }: WordsFieldProps) {
  const i18n = useI18n();
  /** Not yet in the address. */
  const [typed, setTyped] = useState<string>();
  const commit = useDebouncedCallback((words: string) => {
    setTyped(undefined);
    onWords(words);
  }, TYPING_MS);
  return (
    <SearchField
      className={classes.words}
      label={i18n.t('events.filter.words')}
      value={typed ?? value ?? ''}
      onChange={(words) => {
        setTyped(words);
        commit(words);
      }}
    />
  );
}

interface BeforeFieldProps {
  /** UTC ms. */
  readonly ms: number | undefined;
  readonly onMoment: (ms: number | undefined) => void;
}

/** The list begins before this moment. */
function BeforeField({ ms, onMoment }: BeforeFieldProps) {
  const i18n = useI18n();
  const zone = useMemo(() => new Zone(i18n.timeZone), [i18n.timeZone]);
  return (
    <div className={classes.date}>
      <MomentField
        label={i18n.t('events.filter.before')}
        ms={ms}
        zone={zone}
        isOptional
        onEntry={(entry) => {
          if (entry !== 'unreadable') onMoment(entry === 'empty' ? undefined : entry);
        }}
      />
    </div>
  );
}

interface TimeFieldProps {
  readonly label: string;
  readonly value: string | undefined;
  /** Called with a time such as `22:00`, or with undefined for an empty field. */
  readonly onTime: (time: string | undefined) => void;
}

/** A time of day as text, read on Enter or when the field loses the focus. */
function TimeField({ label, value, onTime }: TimeFieldProps) {
  const i18n = useI18n();
  const [typed, setTyped] = useState<string>();
  const minute = typed === undefined ? undefined : readTimeOfDay(typed);
  const [isRefused, setRefused] = useState(false);
  const commit = () => {
    if (typed === undefined) return;
    const isEmpty = typed.trim() === '';
    setRefused(!isEmpty && minute === undefined);
    if (!isEmpty && minute === undefined) return;
    setTyped(undefined);
    onTime(minute === undefined ? undefined : writeTimeOfDay(minute));
  };
  return (
    <TextInput
      size="sm"
      label={label}
      placeholder="22:00"
      maxLength={8}
      autoComplete="off"
      inputMode="numeric"
      value={typed ?? value ?? ''}
      error={isRefused ? i18n.t('events.filter.time') : undefined}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onBlur={commit}
      onKeyDown={(event) => {
        if (event.key === 'Enter') commit();
      }}
    />
  );
}
