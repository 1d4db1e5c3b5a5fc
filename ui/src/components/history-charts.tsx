import type { History } from '@vidette/contract/entities';
import { useI18n } from '../i18n/i18n-context.tsx';
import type { I18n, MessageKey } from '../i18n/i18n.ts';
import { HistoryChart } from './history-chart.tsx';
import classes from './history-chart.module.css';

const names: Readonly<Record<string, MessageKey>> = {
  cpu: 'stats.cpu',
  memory: 'stats.memory',
  eventLoopDelay: 'stats.eventLoopDelay',
  streamsRunning: 'stats.streamsRunning',
  viewers: 'stats.viewers',
  received: 'stats.received',
  sent: 'stats.sent',
  frames: 'stats.frames',
  damagedFrames: 'stats.damagedFrames',
  lostPackets: 'stats.lostPackets',
  writeLatency: 'stats.writeLatency',
};

interface HistoryChartsProps {
  readonly histories: readonly History[];
  /** By the name of a metric: more than this is too much. */
  readonly limits?: Readonly<Record<string, number>>;
}

/** Charts of the metrics that the page has a label for; nothing before there are two moments. */
export function HistoryCharts({ histories, limits = {} }: HistoryChartsProps) {
  const i18n = useI18n();
  const known = histories.flatMap(({ name, ...history }) => {
    const label = names[name];
    return label && history.values.length > 1 ? { name, label, ...history } : [];
  });
  if (known.length === 0) return <p className={classes.none}>{i18n.t('stats.soon')}</p>;
  return (
    <div className={classes.charts}>
      {known.map(({ name, label, unit, times, values }) => (
        <HistoryChart
          key={name}
          label={i18n.t(label)}
          times={times}
          values={values}
          limit={limits[name]}
          words={(value) => valueText(value, unit, i18n)}
        />
      ))}
    </div>
  );
}

function valueText(value: number, unit: string, i18n: I18n): string {
  if (unit === 'B') return i18n.bytes(value);
  if (unit === '%') return i18n.number(value / 100, { style: 'percent', maximumFractionDigits: 1 });
  if (unit === 'bit/s') {
    return i18n.t('rate.bits', { amount: i18n.number(value / 1e6, { maximumFractionDigits: 2 }) });
  }
  if (unit === 'ms') {
    if (value >= 1_000) return i18n.duration(value);
    return i18n.number(value, { style: 'unit', unit: 'millisecond', maximumFractionDigits: 1 });
  }
  return i18n.number(value, { maximumFractionDigits: 2 });
}
