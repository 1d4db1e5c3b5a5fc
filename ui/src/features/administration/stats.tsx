import { useQuery } from '@tanstack/react-query';
import type { ReplyOf } from '@vidette/contract/client';
import { EnginesTable } from './engines-table.tsx';
import { serverStatsQuery } from './administration-api.ts';
import { codeText } from '../../components/code-text.ts';
import { Fact, Facts } from '../../components/facts.tsx';
import { HistoryCharts } from '../../components/history-charts.tsx';
import { Loaded } from '../../components/loaded.tsx';
import { overloadText } from '../../components/overload-text.ts';
import { recordedShareText } from '../../components/recorded-share-text.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n } from '../../i18n/i18n.ts';
import classes from './administration.module.css';

/** The server's metrics, now and over the last hour. */
export function StatsScreen() {
  const query = useQuery(serverStatsQuery);
  return (
    <Loaded query={query} skeletonPx={320}>
      {({ now, histories }) => (
        <>
          <NowFacts stats={now} />
          {now.engines.length > 0 && (
            <div className={classes.engines}>
              <EnginesTable engines={now.engines} />
            </div>
          )}
          <div className={classes.charts}>
            <HistoryCharts histories={histories} />
          </div>
        </>
      )}
    </Loaded>
  );
}

function NowFacts({ stats: data }: { stats: ReplyOf<'getSystemStats'> }) {
  const i18n = useI18n();
  return (
    <Facts>
      <Fact label={i18n.t('stats.uptime')}>{i18n.duration(Math.round(data.uptimeSeconds) * 1000)}</Fact>
      <Fact label={i18n.t('stats.streams')}>
        {i18n.t('stats.streams.running', {
          running: i18n.number(data.streamsRunning),
          total: i18n.number(data.streams),
        })}
      </Fact>
      <Fact label={i18n.t('stats.viewers')}>{i18n.number(data.viewers)}</Fact>
      <Fact label={i18n.t('stats.archive')}>{i18n.bytes(data.archiveBytes)}</Fact>
      <Fact label={i18n.t('recorded.label')}>{recordedShareText(data.recorded, i18n)}</Fact>
      <Fact label={i18n.t('stats.disk')}>{diskText(data, i18n)}</Fact>
      {data.far && <Fact label={i18n.t('stats.far')}>{farText(data.far, i18n)}</Fact>}
      <Fact label={i18n.t('stats.cpu')}>
        {i18n.number(data.cpuPercent / 100, { style: 'percent', maximumFractionDigits: 1 })}
      </Fact>
      <Fact label={i18n.t('stats.memory')}>{i18n.bytes(data.memoryBytes)}</Fact>
      <Fact label={i18n.t('stats.overload')}>
        {overloadText(data.overload.level, i18n) || i18n.t('stats.overload.none')}
      </Fact>
    </Facts>
  );
}

function diskText(stats: ReplyOf<'getSystemStats'>, i18n: I18n): string {
  if (stats.diskFreeBytes === null || stats.diskTotalBytes === null) return i18n.t('stats.disk.unknown');
  return i18n.t('stats.disk.free', {
    free: i18n.bytes(stats.diskFreeBytes),
    total: i18n.bytes(stats.diskTotalBytes),
  });
}

/** Stored amounts, queues and problems. */
function farText(far: NonNullable<ReplyOf<'getSystemStats'>['far']>, i18n: I18n): string {
  const { name, bytes, waitingBytes, problem } = far;
  const parts = [i18n.t('stats.far.well', { size: i18n.bytes(bytes), name })];
  if (waitingBytes > 0) parts.push(i18n.t('stats.far.waiting', { size: i18n.bytes(waitingBytes) }));
  if (problem) {
    const reason = codeText(problem.code, i18n);
    parts.push(i18n.t('stats.far.trouble', { reason, time: i18n.dateTime(problem.since) }));
  }
  return parts.join('; ');
}
