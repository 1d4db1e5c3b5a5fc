import { useQuery } from '@tanstack/react-query';
import type { ReplyOf } from '@vidette/contract/client';
import { EnginesTable } from './engines-table.tsx';
import { serverStatsQuery } from './administration-api.ts';
import { StatsVerdicts } from './stats-verdicts.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { HistoryCharts } from '../../components/history-charts.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import classes from './administration.module.css';
import { eventLoopDelayMaxMs, writeLatencyMaxMs } from './stats-limits.ts';

type Stats = ReplyOf<'getSystemStats'>;

/** What limits a server first. */
const mainCharts: readonly string[] = ['cpu', 'memory', 'eventLoopDelay', 'writeLatency'];

/** The server: whether all is well, in sentences; what limits it, over the last hour; and details. */
export function StatsScreen() {
  const i18n = useI18n();
  const query = useQuery(serverStatsQuery);
  return (
    <Loaded query={query} skeletonPx={320}>
      {({ now, histories }) => (
        <>
          <StatsVerdicts stats={now} />
          <HistoryCharts
            histories={histories.filter(({ name }) => mainCharts.includes(name))}
            limits={limitsOf(now)}
          />
          <details className={classes.details}>
            <summary>{i18n.t('stats.details')}</summary>
            <NowFacts stats={now} />
            {now.engines.length > 0 && <EnginesTable engines={now.engines} />}
            <HistoryCharts histories={histories.filter(({ name }) => !mainCharts.includes(name))} />
          </details>
        </>
      )}
    </Loaded>
  );
}

function limitsOf({ cores, memoryLimitBytes }: Stats): Readonly<Record<string, number>> {
  return {
    cpu: cores * 100,
    memory: memoryLimitBytes,
    eventLoopDelay: eventLoopDelayMaxMs,
    writeLatency: writeLatencyMaxMs,
  };
}

/** What is in no sentence and in no chart. */
function NowFacts({ stats }: { stats: Stats }) {
  const i18n = useI18n();
  return (
    <Facts>
      <Fact label={i18n.t('stats.uptime')}>{i18n.duration(Math.round(stats.uptimeSeconds) * 1000)}</Fact>
      <Fact label={i18n.t('stats.archive')}>{i18n.bytes(stats.archiveBytes)}</Fact>
    </Facts>
  );
}
