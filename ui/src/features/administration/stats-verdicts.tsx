import { Skeleton } from '@mantine/core';
import IconAlertTriangle from '@tabler/icons-react/dist/esm/icons/IconAlertTriangle.mjs';
import IconCircleCheck from '@tabler/icons-react/dist/esm/icons/IconCircleCheck.mjs';
import { useQuery } from '@tanstack/react-query';
import type { ReplyOf } from '@vidette/contract/client';
import { failedStreamsMax } from '@vidette/contract/constants';
import type { HealthWarning } from '@vidette/contract/health';
import type { ReactNode } from 'react';
import { healthQuery } from '../../api/health.ts';
import { codeText } from '../../components/code-text.ts';
import { overloadText } from '../../components/overload-text.ts';
import { recordedShareText } from '../../components/recorded-share-text.ts';
import { warningText } from '../../components/warning-text.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n } from '../../i18n/i18n.ts';
import { Link } from '../../routing/react/link.tsx';
import { streamSummaryQuery } from '../streams/streams-api.ts';
import classes from './administration.module.css';
import { eventLoopDelayMaxMs, writeLatencyMaxMs } from './stats-limits.ts';

type Stats = ReplyOf<'getSystemStats'>;

/** In sentences, whether streams have video, are recorded, and whether disk and machine suffice. */
export function StatsVerdicts({ stats }: { stats: Stats }) {
  const i18n = useI18n();
  const { data: health } = useQuery(healthQuery);
  const warnings = health?.warnings ?? [];
  return (
    <ul className={classes.verdicts}>
      <StreamsVerdict stats={stats} />
      <RecordingVerdict stats={stats} warnings={warnings} />
      <DiskVerdict stats={stats} warnings={warnings} />
      {stats.far && <Verdict isWell={stats.far.problem === null}>{farText(stats.far, i18n)}</Verdict>}
      <LoadVerdict stats={stats} />
    </ul>
  );
}

function Verdict({ isWell, children }: { isWell: boolean; children: ReactNode }) {
  const Sign = isWell ? IconCircleCheck : IconAlertTriangle;
  return (
    <li className={classes.verdict} data-well={isWell}>
      <Sign size={20} stroke={1.6} aria-hidden="true" />
      <div>{children}</div>
    </li>
  );
}

function StreamsVerdict({ stats: { streams, streamsFailed, failed } }: { stats: Stats }) {
  const i18n = useI18n();
  if (streamsFailed === 0)
    return <Verdict isWell>{i18n.t('stats.verdict.streams', { count: streams })}</Verdict>;
  return (
    <Verdict isWell={false}>
      {i18n.t('stats.verdict.dark', { count: streamsFailed })}
      <NamedStreams total={streamsFailed}>
        {failed.map(({ uid, since }) => (
          <NamedStream key={uid} uid={uid} since={since} hasReason />
        ))}
      </NamedStreams>
    </Verdict>
  );
}

/** The first streams of a verdict, and how many there are besides. */
function NamedStreams({ total, children }: { readonly total: number; readonly children: ReactNode[] }) {
  const i18n = useI18n();
  const others = total - children.length;
  return (
    <ul className={classes.failed}>
      {children}
      {others > 0 && <li>{i18n.t('stats.verdict.others', { count: others })}</li>}
    </ul>
  );
}

interface NamedStreamProps {
  readonly uid: string;
  readonly since: number | null;
  readonly hasReason?: boolean;
}

/** A stream with a link to its health, since when it is as the verdict says, and why. */
function NamedStream({ uid, since, hasReason = false }: NamedStreamProps) {
  const i18n = useI18n();
  const { data: stream, isPending } = useQuery(streamSummaryQuery(uid));
  return (
    <li>
      <Link to="/stream/$uid/debug" params={{ uid }}>
        {isPending ? (
          <Skeleton display="inline-block" width="6rem" height="0.875rem" />
        ) : (
          (stream?.name ?? uid)
        )}
      </Link>
      {since !== null && ` ${i18n.t('stats.verdict.since', { time: i18n.dateTime(since) })}`}
      {hasReason && stream?.failureReason && <span className={classes.reason}>{stream.failureReason}</span>}
    </li>
  );
}

interface WarnedProps {
  readonly stats: Stats;
  readonly warnings: readonly HealthWarning[];
}

function RecordingVerdict({ stats: { streamsRecorded, recorded }, warnings }: WarnedProps) {
  const i18n = useI18n();
  const idle = warnings.filter(({ code }) => code === 'stream-not-recording');
  return (
    <Verdict isWell={idle.length === 0}>
      {idle.length === 0
        ? i18n.t('stats.verdict.recorded', { count: streamsRecorded })
        : i18n.t('stats.verdict.notRecorded', { count: idle.length })}
      {idle.length > 0 && (
        <NamedStreams total={idle.length}>
          {idle.slice(0, failedStreamsMax).map(({ subject, since = null }) => (
            <NamedStream key={subject} uid={subject ?? ''} since={since} />
          ))}
        </NamedStreams>
      )}
      {streamsRecorded > 0 && (
        <p className={classes.reason}>
          {i18n.t('recorded.label')} · {recordedShareText(recorded, i18n)}
        </p>
      )}
    </Verdict>
  );
}

const ofDisk: readonly HealthWarning['code'][] = [
  'archive-disk-usage',
  'archive-disk-missing',
  'archive-write-failed',
  'archive-deletes-early',
  'archive-undeletable',
  'data-disk-full',
];

function DiskVerdict({ stats, warnings }: WarnedProps) {
  const i18n = useI18n();
  const problems = warnings.filter(({ code }) => ofDisk.includes(code));
  return (
    <Verdict isWell={problems.length === 0}>
      {diskText(stats, i18n)}
      {problems.map((warning) => (
        <p key={warning.code} className={classes.reason}>
          {warningText(warning, i18n)}
        </p>
      ))}
    </Verdict>
  );
}

function diskText({ diskFreeBytes, diskTotalBytes }: Stats, i18n: I18n): string {
  if (diskFreeBytes === null || diskTotalBytes === null) return i18n.t('stats.verdict.diskUnknown');
  return i18n.t('stats.verdict.disk', {
    free: i18n.bytes(diskFreeBytes),
    total: i18n.bytes(diskTotalBytes),
  });
}

/** Whether work waits, by intent or because the event loop or the disk is slow. */
function LoadVerdict({ stats: { overload, eventLoopDelayMs, writeLatencyMs } }: { stats: Stats }) {
  const i18n = useI18n();
  if (overload.level > 0)
    return (
      <Verdict isWell={false}>
        {i18n.t('stats.verdict.overload', { work: overloadText(overload.level, i18n) })}
      </Verdict>
    );
  if (writeLatencyMs > writeLatencyMaxMs)
    return (
      <Verdict isWell={false}>
        {i18n.t('stats.verdict.slowDisk', { duration: i18n.duration(writeLatencyMs) })}
      </Verdict>
    );
  if (eventLoopDelayMs > eventLoopDelayMaxMs)
    return (
      <Verdict isWell={false}>
        {i18n.t('stats.verdict.slow', { duration: i18n.duration(eventLoopDelayMs) })}
      </Verdict>
    );
  return <Verdict isWell>{i18n.t('stats.verdict.keepsUp')}</Verdict>;
}

/** Stored amounts, queues and problems. */
function farText(far: NonNullable<Stats['far']>, i18n: I18n): string {
  const { name, bytes, waitingBytes, problem } = far;
  const parts = [`${i18n.t('stats.far')}: ${i18n.t('stats.far.well', { size: i18n.bytes(bytes), name })}`];
  if (waitingBytes > 0) parts.push(i18n.t('stats.far.waiting', { size: i18n.bytes(waitingBytes) }));
  if (problem) {
    const reason = codeText(problem.code, i18n);
    parts.push(i18n.t('stats.far.trouble', { reason, time: i18n.dateTime(problem.since) }));
  }
  return parts.join('; ');
}
