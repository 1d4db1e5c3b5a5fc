import { Button, MultiSelect, Progress, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Stream } from '@vidette/contract/entities';
import { limits } from '@vidette/contract/constants';
import { useMemo, useState } from 'react';
import { archivedStreamsQuery, extentQuery, recordedDaysQuery, useAddExport } from '../../../api/exports.ts';
import { useSettings } from '../../../api/session.ts';
import { wordsOf } from '../../../app/failures.ts';
import { CalendarField } from '../../../components/calendar/calendar-field.tsx';
import { monthAfter } from '../../../components/calendar/days.ts';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { Zone } from '../../../timeline/zone.ts';
import { localText, parseLocal } from '../local-time.ts';
import { ExtentWords } from './extent-words.tsx';
import classes from './save.module.css';
import { dayOf, dayStartMs, problemOf, spanOfDays, wayOf, type Span } from './span.ts';
import { useFootageDownload } from './use-footage-download.ts';

interface SavePanelProps {
  readonly stream: Stream;
  readonly start: Span;
}

const typingMs = 300;
const monthsInSight = 3;

/** Chooses a span, says what is recorded of it, and fetches it as a file or has a package made. */
export function SavePanel({ stream, start }: SavePanelProps) {
  const i18n = useI18n();
  const { archiveDownloadMaxSeconds, playlistMaxSeconds } = useSettings();
  const zone = useMemo(() => new Zone(i18n.timeZone), [i18n.timeZone]);
  const [nowMs] = useState(() => Date.now());
  const [from, setFrom] = useState(() => localText(start.startMs, zone));
  const [to, setTo] = useState(() => localText(start.endMs, zone));
  const [others, setOthers] = useState<string[]>([]);
  const span = {
    startMs: parseLocal(from, zone) ?? Number.NaN,
    endMs: parseLocal(to, zone) ?? Number.NaN,
  };
  const problem = problemOf(span, nowMs, playlistMaxSeconds * 1000);
  const isWhole = !Number.isNaN(span.startMs) && !Number.isNaN(span.endMs);
  const [asked] = useDebouncedValue(`${span.startMs} ${span.endMs}`, typingMs);
  const isSettled = asked === `${span.startMs} ${span.endMs}`;
  const canAsk = isWhole && problem === undefined;
  const { data: extent, error } = useQuery({
    ...extentQuery(stream.uid, span.startMs, span.endMs),
    enabled: canAsk && isSettled,
  });
  const download = useFootageDownload(stream.uid, zone);
  const addExport = useAddExport();
  const way = wayOf(span, others.length, archiveDownloadMaxSeconds * 1000);
  const isEmpty = others.length === 0 && extent?.durationMs === 0;
  const save = () => {
    if (way === 'download') void download.begin(span);
    else {
      addExport.mutate({
        streams: [stream.uid, ...others],
        startTime: span.startMs,
        endTime: span.endMs,
        name: stream.name.slice(0, limits.nameMaxLength),
      });
    }
  };
  return (
    <div className={classes.panel}>
      <div className={classes.fields}>
        <TextInput
          type="datetime-local"
          step={1}
          size="sm"
          label={i18n.t('save.from')}
          value={from}
          error={problem === 'future' ? i18n.t('save.future') : undefined}
          onChange={(event) => setFrom(event.currentTarget.value)}
        />
        <TextInput
          type="datetime-local"
          step={1}
          size="sm"
          label={i18n.t('save.to')}
          value={to}
          error={
            problem === 'order'
              ? i18n.t('save.order')
              : problem === 'tooLong'
                ? i18n.t('save.tooLong', { duration: i18n.duration(playlistMaxSeconds * 1000) })
                : undefined
          }
          onChange={(event) => setTo(event.currentTarget.value)}
        />
      </div>
      <DaysField
        uid={stream.uid}
        zone={zone}
        nowMs={nowMs}
        maxRangeDays={Math.floor(playlistMaxSeconds / 86_400)}
        onSpan={(days) => {
          setFrom(localText(days.startMs, zone));
          setTo(localText(days.endMs, zone));
        }}
      />
      <OthersField uid={stream.uid} value={others} onChange={setOthers} />
      <output className={classes.extent}>
        {canAsk && (
          <ExtentWords
            extent={isSettled ? extent : undefined}
            askedMs={span.endMs - span.startMs}
            failure={error ? wordsOf(error, i18n) : undefined}
          />
        )}
      </output>
      {way === 'export' && (
        <p className={classes.quiet}>
          {i18n.t('save.export.why', { duration: i18n.duration(archiveDownloadMaxSeconds * 1000) })}
        </p>
      )}
      <div className={classes.actions}>
        <Button
          size="sm"
          disabled={!canAsk || isEmpty || download.state.name === 'running'}
          loading={addExport.isPending}
          onClick={save}
        >
          {i18n.t(way === 'download' ? 'save.download' : 'save.export')}
        </Button>
        {download.state.name === 'running' && (
          <Button size="sm" variant="default" onClick={download.cancel}>
            {i18n.t('save.cancel')}
          </Button>
        )}
      </div>
      <DownloadWords state={download.state} />
      {addExport.isSuccess && (
        <p role="status">
          {i18n.t('save.queued')}. <Link to="/exports">{i18n.t('save.queued.show')}</Link>
        </p>
      )}
    </div>
  );
}

interface DaysFieldProps {
  readonly uid: string;
  readonly zone: Zone;
  readonly nowMs: number;
  readonly maxRangeDays: number;
  readonly onSpan: (span: Span) => void;
}

/** Whole days, those with footage marked [R5.3]. */
function DaysField({ uid, zone, nowMs, maxRangeDays, onSpan }: DaysFieldProps) {
  const i18n = useI18n();
  const today = dayOf(nowMs, zone);
  const [first, setFirst] = useState(monthAfter(today, 1 - monthsInSight));
  const { data } = useQuery(
    recordedDaysQuery(
      uid,
      dayStartMs(first, zone),
      Math.min(nowMs, dayStartMs(monthAfter(first, monthsInSight), zone)),
      Math.round(zone.offsetMs(nowMs) / 60_000),
    ),
  );
  return (
    <details className={classes.days}>
      <summary>{i18n.t('save.days')}</summary>
      <CalendarField
        label={i18n.t('save.calendar')}
        min="2000-01-01"
        max={today}
        months={monthsInSight}
        maxRangeDays={maxRangeDays}
        marked={new Set(data?.days)}
        markedWords={i18n.t('calendar.recorded')}
        onMonths={([month]) => month !== undefined && setFirst(month)}
        onPeriod={(period) => onSpan(spanOfDays(period, zone, nowMs))}
      />
    </details>
  );
}

interface OthersFieldProps {
  readonly uid: string;
  readonly value: string[];
  readonly onChange: (uids: string[]) => void;
}

/** Streams beside the one on screen whose archive the person may watch. */
function OthersField({ uid, value, onChange }: OthersFieldProps) {
  const i18n = useI18n();
  const { data } = useQuery(archivedStreamsQuery);
  const choices = (data ?? [])
    .filter((stream) => stream.uid !== uid)
    .map((stream) => ({ value: stream.uid, label: stream.name }));
  if (choices.length === 0) return null;
  return (
    <MultiSelect
      size="sm"
      label={i18n.t('save.others')}
      placeholder={value.length === 0 ? i18n.t('save.others.none') : ''}
      data={choices}
      value={value}
      maxValues={limits.exportStreamsMax - 1}
      searchable
      clearable
      comboboxProps={{ withinPortal: true }}
      onChange={onChange}
    />
  );
}

function DownloadWords({ state }: { state: ReturnType<typeof useFootageDownload>['state'] }) {
  const i18n = useI18n();
  switch (state.name) {
    case 'idle':
      return null;
    case 'running': {
      const { doneBytes, totalBytes } = state.progress;
      const text = i18n.t('save.progress', { done: i18n.bytes(doneBytes), total: i18n.bytes(totalBytes) });
      return (
        <div className={classes.progress}>
          <Progress
            value={totalBytes > 0 ? (doneBytes / totalBytes) * 100 : 0}
            aria-label={i18n.t('save.download')}
          />
          <span>{text}</span>
        </div>
      );
    }
    case 'failed':
      return (
        <p role="alert" className={classes.failed}>
          {i18n.t('save.failed')}. {wordsOf(state.error, i18n)}
        </p>
      );
    case 'done': {
      const { asked, delivered } = state;
      const missingMs = asked.endMs - asked.startMs - delivered.durationMs;
      return (
        <div role="status">
          <p>
            {i18n.t('save.done', {
              from: i18n.dateTime(delivered.startMs),
              to: i18n.dateTime(delivered.endMs),
              duration: i18n.duration(delivered.durationMs),
              size: i18n.bytes(delivered.bytes),
            })}
          </p>
          <p className={classes.quiet}>
            {i18n.t('save.done.asked', {
              from: i18n.dateTime(asked.startMs),
              to: i18n.dateTime(asked.endMs),
            })}{' '}
            {missingMs >= 1000 && i18n.t('save.missing', { duration: i18n.duration(missingMs) })}
          </p>
          {delivered.endsEarly && (
            <p>{i18n.t('save.done.early', { time: i18n.dateTime(delivered.endMs) })}</p>
          )}
        </div>
      );
    }
  }
}
