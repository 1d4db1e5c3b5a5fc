import { Button, MultiSelect, NativeSelect } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { MessageKey } from '../../i18n/i18n.ts';
import { MomentField, type MomentEntry } from '../../timeline/react/moment-field.tsx';
import type { Zone } from '../../timeline/zone.ts';
import { streamTagsQuery } from '../streams/streams-api.ts';
import { togetherMax, writeTogether } from '../streams/together.ts';
import { camerasQuery } from '../events/events-api.ts';
import { digestSearch, lastNight, type DigestSearch, type DigestSpan } from './digest-search.ts';
import classes from './digest.module.css';

interface DigestFieldsProps {
  readonly span: DigestSpan;
  readonly uids: readonly string[];
  readonly search: DigestSearch;
  readonly zone: Zone;
  /** On a phone the fields are hidden until they are wanted; the spans are always there. */
  readonly isOpen: boolean;
  readonly onChange: (search: DigestSearch) => void;
}

const hourMs = 3_600_000;

const chips: readonly (readonly [MessageKey, (nowMs: number, zone: Zone) => DigestSpan])[] = [
  ['digest.night', lastNight],
  ['digest.day', (nowMs) => ({ fromMs: nowMs - 24 * hourMs, toMs: nowMs })],
  ['digest.hour', (nowMs) => ({ fromMs: nowMs - hourMs, toMs: nowMs })],
];

/** The span, and the cameras by name or tag; each takes effect when it is changed. */
export function DigestFields({ span, uids, search, zone, isOpen, onChange }: DigestFieldsProps) {
  const i18n = useI18n();
  const { data: cameras = [] } = useQuery(camerasQuery);
  const { data: tags } = useQuery(streamTagsQuery);
  const known = new Set(cameras.map(({ uid }) => uid));
  const change = (part: Readonly<Record<string, unknown>>) => onChange(digestSearch({ ...search, ...part }));
  const changeSpan = ({ fromMs, toMs }: DigestSpan) => change({ from: fromMs, to: toMs });
  return (
    <div className={classes.fields} data-open={isOpen}>
      <div className={classes.chips} role="group" aria-label={i18n.t('digest.span')}>
        {chips.map(([label, spanOf]) => (
          <Button
            key={label}
            size="compact-sm"
            variant="default"
            onClick={() => changeSpan(spanOf(Date.now(), zone))}
          >
            {i18n.t(label)}
          </Button>
        ))}
      </div>
      <SpanEnds span={span} zone={zone} onSpan={changeSpan} />
      <MultiSelect
        withScrollArea={false}
        size="sm"
        label={i18n.t('digest.cameras')}
        placeholder={uids.length === 0 ? i18n.t('events.all') : ''}
        data={[
          ...cameras.map(({ uid, name }) => ({ value: uid, label: name })),
          ...uids.filter((uid) => !known.has(uid)).map((uid) => ({ value: uid, label: uid })),
        ]}
        value={[...uids]}
        maxValues={togetherMax}
        searchable
        clearable
        clearButtonProps={{ 'aria-label': i18n.t('audit.clear') }}
        onChange={(chosen) => change({ streams: writeTogether(chosen) })}
      />
      <NativeSelect
        size="sm"
        label={i18n.t('events.filter.tag')}
        value={search.tag ?? ''}
        data={[
          { value: '', label: i18n.t('events.all') },
          ...(tags?.items ?? []).map(({ name }) => ({ value: name, label: name })),
        ]}
        onChange={(event) => change({ tag: event.currentTarget.value })}
      />
    </div>
  );
}

interface SpanEndsProps {
  readonly span: DigestSpan;
  readonly zone: Zone;
  readonly onSpan: (span: DigestSpan) => void;
}

/** Both ends; a span that ends before it begins is refused beside its end. */
function SpanEnds({ span, zone, onSpan }: SpanEndsProps) {
  const i18n = useI18n();
  const [isRefused, setRefused] = useState(false);
  const enter = (end: keyof DigestSpan, entry: MomentEntry) => {
    if (typeof entry !== 'number' || entry === span[end]) return;
    const next = { ...span, [end]: entry };
    setRefused(next.fromMs >= next.toMs);
    if (next.fromMs < next.toMs) onSpan(next);
  };
  return (
    <>
      <MomentField
        label={i18n.t('save.from')}
        ms={span.fromMs}
        zone={zone}
        onEntry={(entry) => enter('fromMs', entry)}
      />
      <MomentField
        label={i18n.t('save.to')}
        ms={span.toMs}
        zone={zone}
        error={isRefused ? i18n.t('save.order') : undefined}
        onEntry={(entry) => enter('toMs', entry)}
      />
    </>
  );
}
