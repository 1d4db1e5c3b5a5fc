import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReplyOf } from '@vidette/contract/client';
import type { Stream } from '@vidette/contract/entities';
import { streamLogsQuery, streamStatsQuery, useStream } from '../streams-api.ts';
import { Fact, Facts } from '../../../components/facts.tsx';
import { HistoryCharts } from '../../../components/history-charts.tsx';
import { Loaded } from '../../../components/loaded.tsx';
import { LogLines } from '../../../components/log-lines.tsx';
import { StreamStatus } from '../stream-status.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { useParams } from '../../../routing/react/router-context.tsx';
import { OutagesTable } from './outages-table.tsx';
import { SourceReport } from './source-report.tsx';
import { StreamVerdict } from './stream-verdict.tsx';
import classes from './stream.module.css';

/**
 * A stream's health [R2.9]: whether video arrives and why not, its outages, its source's report, current and recent
 * metrics, and its live log.
 */
export function StreamDebugScreen() {
  const i18n = useI18n();
  const queryClient = useQueryClient();
  const { uid } = useParams({ from: '/stream/$uid' });
  const { data: stream } = useStream(uid);
  const stats = useQuery(streamStatsQuery(uid));
  const log = useQuery(streamLogsQuery(queryClient, uid));
  return (
    <>
      <Loaded query={stats} skeletonPx={320}>
        {(figures) => (
          <>
            {stream && <StreamVerdict stream={stream} stats={figures} askedMs={stats.dataUpdatedAt} />}
            <h2 className={classes.title}>{i18n.t('debug.outages')}</h2>
            <OutagesTable outages={figures.outages} nowMs={stats.dataUpdatedAt} />
            {stream?.canEdit && (
              <>
                <h2 className={classes.title}>{i18n.t('debug.source')}</h2>
                <SourceReport uid={uid} source={stream.streamSource} />
              </>
            )}
            <h2 className={classes.title}>{i18n.t('debug.now')}</h2>
            <Figures stream={stream} stats={figures} askedMs={stats.dataUpdatedAt} />
            <h2 className={classes.title}>{i18n.t('debug.lately')}</h2>
            <HistoryCharts histories={figures.histories} />
          </>
        )}
      </Loaded>
      <h2 className={classes.title}>{i18n.t('debug.log')}</h2>
      <Loaded query={log} skeletonPx={160}>
        {(lines) =>
          lines.length === 0 ? (
            <p className={classes.logEmpty}>{i18n.t('debug.log.empty')}</p>
          ) : (
            <LogLines label={i18n.t('debug.log')} lines={lines} />
          )
        }
      </Loaded>
    </>
  );
}

interface FiguresProps {
  readonly stream: Stream | undefined;
  readonly stats: ReplyOf<'getStreamStats'>;
  /** When they were read, ms since the epoch. */
  readonly askedMs: number;
}

function Figures({ stream, stats, askedMs }: FiguresProps) {
  const i18n = useI18n();
  const forMs = Math.max(0, Math.round((askedMs - stats.statusSince) / 1000) * 1000);
  return (
    <Facts>
      <Fact label={i18n.t('stream.info.state')}>
        <StreamStatus status={stats.status} isOnDemand={stream?.live.onDemand === true} /> ·{' '}
        {i18n.duration(forMs)}
      </Fact>
      <Fact label={i18n.t('debug.frames')}>{i18n.number(stats.videoFrames)}</Fact>
      <Fact label={i18n.t('debug.keyFrames')}>{i18n.number(stats.keyFrames)}</Fact>
      <Fact label={i18n.t('debug.damaged')}>{i18n.number(stats.damagedFrames)}</Fact>
      <Fact label={i18n.t('debug.lost')}>{i18n.number(stats.lostPackets)}</Fact>
      <Fact label={i18n.t('debug.bytes')}>{i18n.bytes(stats.bytes)}</Fact>
      {stats.attempts > 0 && <Fact label={i18n.t('debug.attempts')}>{i18n.number(stats.attempts)}</Fact>}
      <Fact label={i18n.t('debug.reconnects')}>{i18n.number(stats.reconnects)}</Fact>
    </Facts>
  );
}
