import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { ChangeStep } from '@vidette/contract/archive-changes';
import type { Interval } from '../../../timeline/intervals.ts';
import classes from './change-report.module.css';
import type { ChangeMark } from './change-results.ts';

interface ChangeCurveProps {
  /** The searched time, UTC ms. */
  readonly startMs: number;
  readonly endMs: number;
  readonly steps: readonly ChangeStep[];
  readonly marks: readonly ChangeMark[];
  /** What is recorded of it; empty until that is known. */
  readonly ranges: readonly Interval[];
  readonly onMark: (mark: ChangeMark) => void;
}

/** Units of the drawing, which is stretched to its box. */
const WIDTH = 1000;
const HEIGHT = 100;
/** A span of minutes in a month would be invisible. */
const LEAST_WIDTH = 1.5;
/** Numbers need as much. */
const NEAR = 25;
/** Smaller changes don't fill the height: they are noise. */
const FULL_LEAST = 0.4;

/** How much changed over the searched time, above a strip of what is recorded. The list below it has the same marks. */
export function ChangeCurve({ startMs, endMs, steps, marks, ranges, onMark }: ChangeCurveProps) {
  const i18n = useI18n();
  const at = (ms: number) => ((ms - startMs) / Math.max(1, endMs - startMs)) * WIDTH;
  const full = steps.reduce((most, { change }) => Math.max(most, change), FULL_LEAST);
  const label = i18n.t('find.auto.curve', {
    from: i18n.dateTime(startMs),
    to: i18n.dateTime(endMs),
  });
  return (
    <div className={classes.curve}>
      <div className={classes.plot}>
        <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
          {steps.map(({ startTime, endTime, change }) => {
            const height = (change / full) * HEIGHT;
            const width = Math.max(LEAST_WIDTH, at(endTime) - at(startTime));
            return (
              <rect
                key={startTime}
                className={classes.step}
                x={Math.min(WIDTH - width, at(startTime))}
                y={HEIGHT - height}
                width={width}
                height={height}
              />
            );
          })}
        </svg>
        {marks.map((mark, index) => (
          <button
            key={mark.startTime}
            type="button"
            // The list has the same buttons for the keyboard.
            tabIndex={-1}
            aria-hidden="true"
            className={classes.flag}
            style={{ left: `${at(mark.endTime) / (WIDTH / 100)}%` }}
            title={i18n.dateTime(mark.endTime)}
            onClick={() => onMark(mark)}
          >
            {/* Of flags side by side the one of the larger change has its number. */}
            {marks
              .slice(0, index)
              .every((other) => Math.abs(at(other.endTime) - at(mark.endTime)) > NEAR) && (
              <span className={classes.number}>{i18n.number(index + 1)}</span>
            )}
          </button>
        ))}
      </div>
      <RecordedStrip ranges={ranges} shareAt={(ms) => at(ms) / WIDTH} />
      <div className={classes.axis} aria-hidden="true">
        <span>{i18n.dateTime(startMs)}</span>
        <span>{i18n.date(startMs) === i18n.date(endMs) ? i18n.time(endMs) : i18n.dateTime(endMs)}</span>
      </div>
    </div>
  );
}

interface RecordedStripProps {
  readonly ranges: readonly Interval[];
  /** Of the width, 0 to 1. */
  readonly shareAt: (ms: number) => number;
}

/** Which of the searched time is recorded. */
function RecordedStrip({ ranges, shareAt }: RecordedStripProps) {
  const percent = (share: number) => `${share * 100}%`;
  return (
    <div className={classes.recorded} aria-hidden="true">
      {ranges.map(({ startMs, endMs }) => (
        <span
          key={startMs}
          style={{ left: percent(shareAt(startMs)), width: percent(shareAt(endMs) - shareAt(startMs)) }}
        />
      ))}
    </div>
  );
}
