import classes from './history-chart.module.css';

const width = 320;
const height = 72;

interface HistoryChartProps {
  readonly label: string;
  /** Oldest first, as many as there are values; ms since the epoch. */
  readonly times: readonly number[];
  readonly values: readonly number[];
  readonly words: (value: number) => string;
}

/** A figure over its recent time: the line, what it is now, and the most it was. */
export function HistoryChart({ label, times, values, words }: HistoryChartProps) {
  const most = Math.max(0, ...values);
  const first = times[0] ?? 0;
  const span = Math.max(1, (times.at(-1) ?? 0) - first);
  const points = values.map((value, index) => {
    const x = (((times[index] ?? first) - first) / span) * width;
    const y = height - 1 - (most === 0 ? 0 : (value / most) * (height - 2));
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  return (
    <figure className={classes.chart}>
      <figcaption className={classes.caption}>
        <span className={classes.label}>{label}</span>
        <span>{words(values.at(-1) ?? 0)}</span>
      </figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
        <polyline points={points.join(' ')} />
      </svg>
      <span className={classes.most}>↑ {words(most)}</span>
    </figure>
  );
}
