import { Skeleton } from '@mantine/core';
import IconCloudX from '@tabler/icons-react/dist/esm/icons/IconCloudX.mjs';
import { useQuery } from '@tanstack/react-query';
import type { ReplyOf } from '@vidette/contract/client';
import { serverStatsQuery } from '../../api/administration.ts';
import { wordsOf } from '../../app/failures.ts';
import { Delayed } from '../../components/delayed.tsx';
import { Fact, Facts } from '../../components/facts.tsx';
import { PageState } from '../../components/page-state.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n } from '../../i18n/i18n.ts';
import { StatsCharts } from './stats-charts.tsx';

/** How the server is doing, now and over the last hour. */
export function StatsScreen() {
  const i18n = useI18n();
  const { data: stats, error } = useQuery(serverStatsQuery);
  const data = stats?.now;
  if (error && !data) {
    return (
      <PageState
        isInline
        icon={IconCloudX}
        title={i18n.t('state.failed.title')}
        text={wordsOf(error, i18n)}
      />
    );
  }
  if (!stats || !data) {
    return (
      <Delayed>
        <Skeleton height={320} radius={10} />
      </Delayed>
    );
  }
  return (
    <>
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
      <Fact label={i18n.t('stats.disk')}>{diskWords(data, i18n)}</Fact>
      <Fact label={i18n.t('stats.cpu')}>
        {i18n.number(data.cpuPercent / 100, { style: 'percent', maximumFractionDigits: 1 })}
      </Fact>
      <Fact label={i18n.t('stats.memory')}>{i18n.bytes(data.memoryBytes)}</Fact>
    </Facts>
      <StatsCharts histories={stats.histories} />
    </>
  );
}

function diskWords(stats: ReplyOf<'getSystemStats'>, i18n: I18n): string {
  if (stats.diskFreeBytes === null || stats.diskTotalBytes === null) return i18n.t('stats.disk.unknown');
  return i18n.t('stats.disk.free', {
    free: i18n.bytes(stats.diskFreeBytes),
    total: i18n.bytes(stats.diskTotalBytes),
  });
}
