import { Button, Progress } from '@mantine/core';
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { textOf } from '../../../page/failures.ts';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { Interval } from '../../../timeline/intervals.ts';
import { ChangeCurve } from './change-curve.tsx';
import classes from './change-report.module.css';
import type { ChangeMark, ChangeResults } from './change-results.ts';
import type { ChangeSearch, ChangeSearchState } from './change-search.ts';
import type { FindSession, FoundFrame } from './find-session.ts';
import { FrameCanvas } from './frame-canvas.tsx';
import { missingMs } from './moment-finder.ts';
import { RegionFrame } from './region-picker.tsx';
import { regionWithin, withContext, type Region } from './region.ts';

interface ChangeReportProps {
  readonly search: ChangeSearch;
  readonly session: FindSession;
  readonly region: Region | undefined;
  /** The person wants to see a change; with what is recorded. */
  readonly onMark: (mark: ChangeMark, ranges: readonly Interval[]) => void;
}

/** What the server's search finds: its progress, the curve, and the changes with the frames before and after them. */
export function ChangeReport({ search, session, region, onMark }: ChangeReportProps) {
  const i18n = useI18n();
  const state = useSyncExternalStore(search.subscribe, search.getState);
  const { results, isRunning, error } = state;
  const { span, marks, withoutNodes } = results;
  const ranges = useRanges(session, span);
  const frames = useFrames(session, marks, region);
  const report = useRef<HTMLDivElement>(null);
  // The button that began the search is gone: the keyboard continues here.
  useEffect(() => report.current?.focus(), []);
  const onMarked = (mark: ChangeMark) => onMark(mark, ranges);
  return (
    <div ref={report} className={classes.report} tabIndex={-1}>
      {isRunning && <Working search={search} results={results} />}
      {withoutNodes.length > 0 && (
        <p className={classes.warning}>{i18n.t('find.auto.away', { nodes: withoutNodes.join(', ') })}</p>
      )}
      {span && results.steps.length > 0 && (
        <ChangeCurve
          startMs={span.startMs}
          endMs={span.endMs}
          steps={results.steps}
          marks={marks}
          ranges={ranges}
          onMark={onMarked}
        />
      )}
      <output className={classes.summary}>{!isRunning && !error && summaryOf(state, i18n)}</output>
      {error && (
        <p role="alert" className={classes.failed}>
          {textOf(error, i18n)}
        </p>
      )}
      <ol className={classes.marks}>
        {marks.map((mark, index) => (
          <li key={mark.startTime}>
            <Mark {...{ mark, index, frames, region, ranges }} onMark={onMarked} />
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The recorded ranges of the searched time; empty until they are known. */
function useRanges(session: FindSession, span: ChangeResults['span']): readonly Interval[] {
  const [ranges, setRanges] = useState<readonly Interval[]>([]);
  const { startMs, endMs } = span ?? {};
  useEffect(() => {
    if (startMs === undefined || endMs === undefined) return;
    const abort = new AbortController();
    session.ranges(startMs, endMs, abort.signal).then(setRanges, () => {
      // Aborted, or refused as the search is, which says so.
    });
    return () => abort.abort();
  }, [session, startMs, endMs]);
  return ranges;
}

function Working({ search, results }: { readonly search: ChangeSearch; readonly results: ChangeResults }) {
  const i18n = useI18n();
  const { frames, expected } = results;
  // Before the first answer nothing is known about the number of frames.
  const text =
    expected === 0
      ? i18n.t('find.auto.running')
      : i18n.t('find.auto.progress', {
          done: i18n.number(frames),
          expected: i18n.number(Math.max(frames, expected)),
        });
  return (
    <div className={classes.working}>
      <Progress
        className={classes.bar}
        value={expected > 0 ? (frames / expected) * 100 : 0}
        aria-label={i18n.t('find.auto.running')}
      />
      <span>{text}</span>
      <Button size="sm" variant="default" onClick={() => search.stop()}>
        {i18n.t('find.auto.stop')}
      </Button>
    </div>
  );
}

/** How the search ended, and what it found. */
function summaryOf({ results, isStopped }: ChangeSearchState, i18n: ReturnType<typeof useI18n>): string {
  const { end, frames, marks, unreadable } = results;
  const [first] = marks;
  return [
    first && i18n.t('find.auto.found', { count: marks.length }),
    first &&
      i18n.t('find.auto.likely', { from: i18n.dateTime(first.startTime), to: i18n.dateTime(first.endTime) }),
    isStopped && i18n.t('find.auto.stopped'),
    (end === 'frames' || end === 'time') && i18n.t('find.auto.limit'),
    end === 'replaced' && i18n.t('find.auto.replaced'),
    !first && end === 'complete' && frames > unreadable && i18n.t('find.auto.none'),
    unreadable > 0 && i18n.t('find.auto.unreadable', { count: unreadable }),
  ]
    .filter((text) => typeof text === 'string')
    .join(' ');
}

interface MarkProps {
  readonly mark: ChangeMark;
  readonly index: number;
  /** By moment. */
  readonly frames: ReadonlyMap<number, FoundFrame>;
  readonly region: Region | undefined;
  readonly ranges: readonly Interval[];
  readonly onMark: (mark: ChangeMark) => void;
}

/** A change: the frames before and after it, and when it happened. */
function Mark({ mark, index, frames, region, ranges, onMark }: MarkProps) {
  const i18n = useI18n();
  const { startTime, endTime, lasts } = mark;
  const gapMs = ranges.length > 0 ? missingMs(ranges, startTime, endTime) : 0;
  return (
    <button
      type="button"
      className={classes.mark}
      data-change-ms={endTime}
      data-lasts={lasts}
      onClick={() => onMark(mark)}
    >
      <span className={classes.pair}>
        {[startTime, endTime].map((utcMs) => (
          <Still key={utcMs} frame={frames.get(utcMs)} region={region} />
        ))}
      </span>
      <span className={classes.caption}>
        <strong>{i18n.number(index + 1)}.</strong>
        <time dateTime={new Date(endTime).toISOString()}>{i18n.dateTime(endTime)}</time>
        {!lasts && <span className={classes.quiet}>{i18n.t('find.auto.passing')}</span>}
        {gapMs > 0 && (
          <span className={classes.gap}>{i18n.t('find.gap', { duration: i18n.duration(gapMs) })}</span>
        )}
      </span>
    </button>
  );
}

/** The frames before and after each mark, as far as they are loaded: one after the other, in the order of the marks. */
function useFrames(
  session: FindSession,
  marks: readonly ChangeMark[],
  region: Region | undefined,
): ReadonlyMap<number, FoundFrame> {
  const [frames, setFrames] = useState<ReadonlyMap<number, FoundFrame>>(new Map());
  const missing = marks
    .flatMap(({ startTime, endTime }) => [startTime, endTime])
    .find((utcMs) => !frames.has(utcMs));
  useEffect(() => {
    if (missing === undefined) return;
    const abort = new AbortController();
    session
      .load([missing], region, abort.signal, (frame) =>
        setFrames((known) => new Map(known).set(frame.utcMs, frame)),
      )
      .catch(() => {
        // Aborted: a frame that can't be loaded is reported as one without an image.
      });
    return () => abort.abort();
  }, [session, missing, region]);
  return frames;
}

function Still({
  frame,
  region,
}: {
  readonly frame: FoundFrame | undefined;
  readonly region: Region | undefined;
}) {
  const i18n = useI18n();
  return (
    <span className={classes.still}>
      <FrameCanvas frame={frame} />
      {region && frame?.image && <RegionFrame region={regionWithin(region, withContext(region))} />}
      {frame && !frame.image && <span className={classes.missing}>{i18n.t('find.noFrame')}</span>}
    </span>
  );
}
