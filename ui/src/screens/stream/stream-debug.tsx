import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { streamLogsQuery, streamStatsQuery } from '../../api/streams.ts';
import { Fact, Facts } from '../../components/facts.tsx';
import { StreamStatus } from '../../components/stream-status.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import classes from './stream.module.css';

/** The figures of a stream as it runs, and its log as it comes. */
export function StreamDebugScreen() {
  const i18n = useI18n();
  const { uid } = useParams({ from: '/stream/$uid' });
  const { data: stats } = useQuery(streamStatsQuery(uid));
  const { data: log, dataUpdatedAt } = useQuery(streamLogsQuery(uid));
  return (
    <>
      {stats && (
        <Facts>
          <Fact label={i18n.t('stream.info.state')}>
            <StreamStatus status={stats.status} /> ·{' '}
            {i18n.duration(Math.max(0, Math.round((dataUpdatedAt - stats.statusSince) / 1000) * 1000))}
          </Fact>
          <Fact label={i18n.t('debug.frames')}>{i18n.number(stats.videoFrames)}</Fact>
          <Fact label={i18n.t('debug.keyFrames')}>{i18n.number(stats.keyFrames)}</Fact>
          <Fact label={i18n.t('debug.damaged')}>{i18n.number(stats.damagedFrames)}</Fact>
          <Fact label={i18n.t('debug.lost')}>{i18n.number(stats.lostPackets)}</Fact>
          <Fact label={i18n.t('debug.bytes')}>{i18n.bytes(stats.bytes)}</Fact>
          <Fact label={i18n.t('debug.attempts')}>{i18n.number(stats.attempts)}</Fact>
        </Facts>
      )}
      <h2 className={classes.logTitle}>{i18n.t('debug.log')}</h2>
      {log?.items.length === 0 && <p className={classes.logEmpty}>{i18n.t('debug.log.empty')}</p>}
      {log && log.items.length > 0 && (
        <ol className={classes.log} aria-label={i18n.t('debug.log')}>
          {log.items.toReversed().map((line) => (
            <li key={line.id}>
              <time dateTime={new Date(line.time).toISOString()}>{i18n.dateTime(line.time)}</time>
              <span className={classes.level} data-level={line.level}>
                {line.level}
              </span>
              <span>{line.message}</span>
            </li>
          ))}
        </ol>
      )}
    </>
  );
}
