import { useState, type PointerEvent } from 'react';
import { useI18n } from '../i18n/i18n-context.tsx';
import classes from './history-chart.module.css';

const width = 320;
const height = 72;

interface HistoryChartProps {
  readonly label: string;
  /** Oldest first, one per value, at least two; ms since the epoch. */
  readonly times: readonly number[];
  readonly values: readonly number[];
  /** More than this is too much: shown as a line, to which the chart reaches in any case. */
  readonly limit?: number | undefined;
  readonly words: (value: number) => string;
}

/** A metric over recent time: the line, its maximum, and its current value, or the value under the pointer. */
export function HistoryChart({ label, times, values, limit, words }: HistoryChartProps) {
  const i18n = useI18n();
  const [pointed, setPointed] = useState<number | null>(null);
  const most = Math.max(0, ...values);
  const first = times[0] ?? 0;
  const last = times.at(-1) ?? 0;
  const span = Math.max(1, last - first);
  const xOf = (timeMs: number) => ((timeMs - first) / span) * width;
  const top = Math.max(most, limit ?? 0);
  const yOf = (value: number) => height - 1 - (top === 0 ? 0 : (value / top) * (height - 2));
  const points = values.map((value, at) => `${xOf(times[at] ?? first).toFixed(1)},${yOf(value).toFixed(1)}`);
  const shown = pointed === null ? values.length - 1 : Math.min(pointed, values.length - 1);
  const point = ({ clientX, currentTarget }: PointerEvent<SVGElement>) => {
    const { left, width: shownPx } = currentTarget.getBoundingClientRect();
    setPointed(nearest(times, first + ((clientX - left) / Math.max(1, shownPx)) * span));
  };
  return (
    <figure className={classes.chart}>
      <figcaption className={classes.caption}>
        <span className={classes.label}>{label}</span>
        <span className={classes.value}>{words(values[shown] ?? 0)}</span>
      </figcaption>
      <svg
        viewBox={`0 0 ${width} ${height}`}
        preserveAspectRatio="none"
        aria-hidden="true"
        onPointerMove={point}
        onPointerLeave={() => setPointed(null)}
      >
        <polygon points={`0,${height} ${points.join(' ')} ${width},${height}`} />
        <polyline points={points.join(' ')} />
        {limit !== undefined && (
          <line className={classes.limit} x1="0" x2={width} y1={yOf(limit)} y2={yOf(limit)} />
        )}
        {pointed !== null && (
          <line x1={xOf(times[shown] ?? first)} x2={xOf(times[shown] ?? first)} y1="0" y2={height} />
        )}
      </svg>
      <div className={classes.foot}>
        <span>{i18n.time(first)}</span>
        {pointed === null ? (
          <span title={i18n.t('stats.chart.most.why')}>
            {i18n.t('stats.chart.most', { value: words(most) })}
          </span>
        ) : (
          <span>{i18n.time(times[shown] ?? first)}</span>
        )}
        <span>{i18n.time(last)}</span>
      </div>
      {limit !== undefined && (
        <p className={classes.legend} title={i18n.t('stats.chart.limit.why')}>
          {i18n.t('stats.chart.limit', { value: words(limit) })}
        </p>
      )}
    </figure>
  );
}

/** Index of the moment nearest to another. */
function nearest(times: readonly number[], timeMs: number): number {
  let best = 0;
  for (const [at, time] of times.entries()) {
    if (Math.abs(time - timeMs) < Math.abs((times[best] ?? 0) - timeMs)) best = at;
  }
  return best;
}
