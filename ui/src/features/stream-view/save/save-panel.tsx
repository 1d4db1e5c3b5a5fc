import { Button, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import IconX from '@tabler/icons-react/dist/esm/icons/IconX.mjs';
import { useQuery } from '@tanstack/react-query';
import type { Stream } from '@vidette/contract/entities';
import { limits } from '@vidette/contract/constants';
import { useEffect, useMemo, useRef, useState } from 'react';
import { extentQuery, useAddExport } from '../../exports/exports-api.ts';
import { useSettings } from '../../../api/session.ts';
import { textOf } from '../../../page/failures.ts';
import { SignButton } from '../../../components/sign-button.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { Zone } from '../../../timeline/zone.ts';
import type { MomentEntry } from '../../../timeline/react/moment-field.tsx';
import { Link } from '../../../routing/react/link.tsx';
import { DaysField } from './days-field.tsx';
import { DownloadText } from './download-text.tsx';
import { EndFrames } from './end-frames.tsx';
import { ExtentText } from './extent-text.tsx';
import { LengthChips } from './length-chips.tsx';
import { OthersField } from './others-field.tsx';
import classes from './save.module.css';
import { SpanFields } from './span-fields.tsx';
import { fileNameOf, problemOf, wayOf, type SaveSpan } from './span.ts';
import { useFootageDownload, type DownloadState } from './use-footage-download.ts';

interface SavePanelProps {
  readonly stream: Stream;
  /** The range selected on the timeline. */
  readonly span: SaveSpan;
  /** The present, to within some seconds. */
  readonly nowMs: number;
  readonly onSpan: (span: SaveSpan) => void;
  /** A range that was not dragged on the timeline: it is scrolled into view. */
  readonly onReveal: (span: SaveSpan) => void;
  /** The moment on screen. */
  readonly shownMs: () => number;
  readonly onClose: () => void;
}

const typingMs = 300;

/** Selects a range, shows what is recorded of it, and downloads it as a file or requests a package. */
export function SavePanel(props: SavePanelProps) {
  const { stream, span, nowMs, onSpan, onReveal } = props;
  const i18n = useI18n();
  const { playlistMaxSeconds } = useSettings();
  const zone = useMemo(() => new Zone(i18n.timeZone), [i18n.timeZone]);
  const [others, setOthers] = useState<string[]>([]);
  const [unreadable, setUnreadable] = useState<Partial<SaveSpan>>({});
  const enter = (end: keyof SaveSpan, entry: MomentEntry) => {
    // Typed over this moment: another one, from the timeline or the calendar, replaces it.
    setUnreadable({ ...unreadable, [end]: typeof entry === 'number' ? undefined : span[end] });
    if (typeof entry === 'number') onSpan({ ...span, [end]: entry });
  };
  const isUnreadable = unreadable.startMs === span.startMs || unreadable.endMs === span.endMs;
  const problem = problemOf(span, nowMs, playlistMaxSeconds * 1000);
  const { extent, isSettled, error } = useSpanExtent(stream.uid, span, problem === undefined);
  const isEmpty = others.length === 0 && extent?.durationMs === 0;
  return (
    <section className={classes.panel} aria-labelledby="save-title">
      <SaveHead onClose={props.onClose} />
      <LengthChips span={span} shownMs={props.shownMs} onSpan={onReveal} />
      <p className={classes.quiet}>{i18n.t('save.how')}</p>
      <SpanFields
        span={span}
        zone={zone}
        problem={problem}
        longestMs={playlistMaxSeconds * 1000}
        onEntry={enter}
      />
      <DaysField
        uid={stream.uid}
        zone={zone}
        nowMs={nowMs}
        maxRangeDays={Math.floor(playlistMaxSeconds / 86_400)}
        onSpan={onReveal}
      />
      <OthersField uid={stream.uid} value={others} onChange={setOthers} />
      <EndFrames uid={stream.uid} extent={problem === undefined ? extent : undefined} />
      <output className={classes.extent}>
        {problem === undefined && (
          <ExtentText
            extent={isSettled ? extent : undefined}
            askedMs={span.endMs - span.startMs}
            failure={error ? textOf(error, i18n) : undefined}
          />
        )}
      </output>
      <SaveActions
        stream={stream}
        span={span}
        others={others}
        zone={zone}
        isPossible={problem === undefined && !isEmpty && !isUnreadable}
      />
    </section>
  );
}

/** What is recorded of a range; requested once the range has not changed for a moment. */
function useSpanExtent(uid: string, { startMs, endMs }: SaveSpan, isPossible: boolean) {
  const [asked] = useDebouncedValue(`${startMs} ${endMs}`, typingMs);
  const isSettled = asked === `${startMs} ${endMs}`;
  const { data: extent, error } = useQuery({
    ...extentQuery(uid, startMs, endMs),
    enabled: isPossible && isSettled,
  });
  return { extent, isSettled, error };
}

/** The title, which has the focus when the panel opens. */
function SaveHead({ onClose }: Pick<SavePanelProps, 'onClose'>) {
  const i18n = useI18n();
  const title = useRef<HTMLHeadingElement>(null);
  useEffect(() => title.current?.focus({ preventScroll: false }), []);
  return (
    <div className={classes.head}>
      <h2 id="save-title" ref={title} tabIndex={-1}>
        {i18n.t('save.open')}
      </h2>
      <SignButton icon={IconX} label={i18n.t('action.close')} onClick={onClose} />
    </div>
  );
}

interface SaveActionsProps extends Pick<SavePanelProps, 'stream' | 'span'> {
  /** Other streams of the same range. */
  readonly others: readonly string[];
  readonly zone: Zone;
  /** Whether there is something to save. */
  readonly isPossible: boolean;
}

/** Saves in the way that the range and the streams allow, and shows the progress. */
function SaveActions({ stream, span, others, zone, isPossible }: SaveActionsProps) {
  const i18n = useI18n();
  const { archiveDownloadMaxSeconds } = useSettings();
  const [typed, setTyped] = useState('');
  const name = fileNameOf(typed);
  const download = useFootageDownload(stream.uid, zone);
  const gaps = useDeliveredGaps(stream.uid, download.state);
  const addExport = useAddExport();
  const way = wayOf(span, others.length, archiveDownloadMaxSeconds * 1000);
  const isRunning = download.state.name === 'running';
  const save = () => {
    if (way === 'download') void download.begin(span, name);
    else {
      addExport.mutate({
        streams: [stream.uid, ...others],
        startTime: span.startMs,
        endTime: span.endMs,
        name: (name ?? stream.name).slice(0, limits.nameMaxLength),
      });
    }
  };
  return (
    <>
      <TextInput
        size="sm"
        label={i18n.t('save.name')}
        placeholder={i18n.t(way === 'download' ? 'save.name.file' : 'save.name.package')}
        maxLength={limits.nameMaxLength}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {way === 'export' && (
        <p className={classes.quiet}>
          {i18n.t('save.export.why', { duration: i18n.duration(archiveDownloadMaxSeconds * 1000) })}
        </p>
      )}
      <div className={classes.actions}>
        <Button size="sm" disabled={!isPossible || isRunning} loading={addExport.isPending} onClick={save}>
          {i18n.t(way === 'download' ? 'save.download' : 'save.export')}
        </Button>
        {isRunning && (
          <Button size="sm" variant="default" onClick={download.cancel}>
            {i18n.t('save.cancel')}
          </Button>
        )}
      </div>
      <DownloadText state={download.state} gaps={gaps} />
      {addExport.isSuccess && (
        <p role="status" className={classes.queued}>
          {i18n.t('save.queued')}. <Link to="/exports">{i18n.t('save.queued.show')}</Link>
        </p>
      )}
    </>
  );
}

/** The missing parts of the range of a finished download; undefined until known. */
function useDeliveredGaps(uid: string, state: DownloadState) {
  const fetched = state.name === 'done' ? state.asked : undefined;
  const { data } = useQuery({
    ...extentQuery(uid, fetched?.startMs ?? 0, fetched?.endMs ?? 0),
    enabled: fetched !== undefined,
  });
  return data?.gaps;
}
