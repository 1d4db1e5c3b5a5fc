import type { History } from '@vidette/contract/entities';
import { HistoryChart } from '../../components/history-chart.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n, MessageKey } from '../../i18n/i18n.ts';
import classes from './administration.module.css';

const names: Readonly<Record<string, MessageKey>> = {
  cpu: 'stats.cpu',
  memory: 'stats.memory',
  eventLoopDelay: 'stats.eventLoopDelay',
  streamsRunning: 'stats.streamsRunning',
  viewers: 'stats.viewers',
  received: 'stats.received',
  sent: 'stats.sent',
  damagedFrames: 'stats.damagedFrames',
  lostPackets: 'stats.lostPackets',
  writeLatency: 'stats.writeLatency',
};

/** The server's figures over the last hour, those that the page has a name for. */
export function StatsCharts({ histories }: { histories: readonly History[] }) {
  const i18n = useI18n();
  return (
    <div className={classes.charts}>
      {histories.map(({ name, unit, times, values }) => {
        const label = names[name];
        return (
          label &&
          values.length > 1 && (
            <HistoryChart
              key={name}
              label={i18n.t(label)}
              times={times}
              values={values}
              words={(value) => valueWords(value, unit, i18n)}
            />
          )
        );
      })}
    </div>
  );
}

function valueWords(value: number, unit: string, i18n: I18n): string {
  if (unit === 'B') return i18n.bytes(value);
  if (unit === '%') return i18n.number(value / 100, { style: 'percent', maximumFractionDigits: 1 });
  if (unit === 'bit/s') {
    return i18n.t('rate.bits', { amount: i18n.number(value / 1e6, { maximumFractionDigits: 2 }) });
  }
  if (unit === 'ms') {
    return i18n.number(value, { style: 'unit', unit: 'millisecond', maximumFractionDigits: 1 });
  }
  return i18n.number(value, { maximumFractionDigits: 2 });
}
