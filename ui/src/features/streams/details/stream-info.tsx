import { useQuery } from '@tanstack/react-query';
import type { ReplyOf } from '@vidette/contract/client';
import type { ArchiveStats, Stream } from '@vidette/contract/entities';
import { archiveStatsQuery, streamStatsQuery, useStream } from '../streams-api.ts';
import { recordedShareText } from '../../../components/recorded-share-text.ts';
import { Fact, Facts } from '../../../components/facts.tsx';
import { StreamStatus } from '../stream-status.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { I18n } from '../../../i18n/i18n.ts';
import { depthText } from '../../../components/depth-text.ts';
import { useReason } from '../use-reason.ts';
import { runningTrackText } from '../form/track-text.ts';
import { useParams } from '../../../routing/react/router-context.tsx';
import { PendingLoss } from './pending-loss.tsx';
import { useShownShare } from './share-api.ts';
import { SharePanel } from './share-panel.tsx';

/** A stream's properties and state. */
export function StreamInfoScreen() {
  const { uid } = useParams({ from: '/stream/$uid' });
  const { data: stream } = useStream(uid);
  const shownShare = useShownShare(uid);
  if (!stream) return null;
  return (
    <>
      <PendingLoss stream={stream} />
      <StreamFacts stream={stream} />
      {stream.canShare && <SharePanel stream={stream} shown={shownShare} />}
    </>
  );
}

function StreamFacts({ stream }: { stream: Stream }) {
  const i18n = useI18n();
  const { data: stats, dataUpdatedAt: askedMs } = useQuery(streamStatsQuery(stream.uid));
  const { data: recorded } = useQuery({ ...archiveStatsQuery(stream.uid), enabled: stream.canArchive });
  const reason = useReason(stream);
  return (
    <Facts>
      <Fact label={i18n.t('stream.info.state')}>
        <StreamStatus status={stream.status} isOnDemand={stream.live.onDemand} />
      </Fact>
      {reason !== null && <Fact label={i18n.t('stream.info.reason')}>{reason}</Fact>}
      {stream.status === 'failed' && stats && <FailureFacts stats={stats} askedMs={askedMs} />}
      <Fact label={i18n.t('stream.source')}>{stream.streamSource}</Fact>
      {stats && stats.tracks.length > 0 && (
        <Fact label={i18n.t('stream.info.tracks')}>{tracksText(stats, i18n)}</Fact>
      )}
      {stats && <Fact label={i18n.t('stream.info.viewers')}>{i18n.number(stats.viewers)}</Fact>}
      {recorded && <Fact label={i18n.t('stream.info.archive')}>{recordedText(recorded, i18n)}</Fact>}
      {recorded?.recorded && (
        <Fact label={i18n.t('recorded.label')}>{recordedShareText(recorded.recorded, i18n)}</Fact>
      )}
      {recorded && recorded.bitrate > 0 && (
        <Fact label={i18n.t('stream.info.bitrate')}>
          {i18n.t('rate.bits', {
            amount: i18n.number(recorded.bitrate / 1e6, { maximumFractionDigits: 2 }),
          })}
        </Fact>
      )}
      <Fact label={i18n.t('stream.info.depth')}>
        {stream.archive.isEnable ? depthText(stream.archive.depthHours, i18n) : i18n.t('streams.archive.off')}
      </Fact>
      <Fact label={i18n.t('stream.tags')}>{stream.tags.join(', ') || i18n.t('stream.tags.none')}</Fact>
      <Fact label={i18n.t('stream.location')}>{stream.location.name || i18n.t('profile.none')}</Fact>
      <Fact label={i18n.t('stream.info.added')}>
        {stream.createdBy === null
          ? i18n.dateTime(stream.createdAt)
          : i18n.t('stream.info.addedBy', { time: i18n.dateTime(stream.createdAt), name: stream.createdBy })}
      </Fact>
      <Fact label={i18n.t('stream.info.uid')}>{stream.uid}</Fact>
    </Facts>
  );
}

/** Since when a camera has failed, and when it is tried again. */
function FailureFacts({ stats, askedMs }: { stats: ReplyOf<'getStreamStats'>; askedMs: number }) {
  const i18n = useI18n();
  const forMs = wholeSeconds(askedMs - stats.statusSince);
  const inMs = stats.nextAttempt === null ? 0 : wholeSeconds(stats.nextAttempt - askedMs);
  return (
    <>
      <Fact label={i18n.t('stream.info.since')}>
        {i18n.t('stream.info.sinceFor', {
          time: i18n.dateTime(stats.statusSince),
          duration: i18n.duration(forMs),
        })}
      </Fact>
      <Fact label={i18n.t('stream.info.next')}>
        {inMs === 0
          ? i18n.t('stream.info.nextNow')
          : i18n.t('stream.info.nextIn', { duration: i18n.duration(inMs) })}
      </Fact>
    </>
  );
}

/** Not negative, even if the clocks of the browser and the server differ. */
function wholeSeconds(ms: number): number {
  return Math.max(0, Math.round(ms / 1000) * 1000);
}

function tracksText({ tracks }: ReplyOf<'getStreamStats'>, i18n: I18n): string {
  return tracks.map((track) => runningTrackText(track, i18n)).join('; ');
}

function recordedText(stats: ArchiveStats, i18n: I18n): string {
  const { withoutNodes } = stats;
  if (!withoutNodes) return footageText(stats, i18n);
  const without = i18n.t('stream.info.withoutNodes', { nodes: withoutNodes.join(', ') });
  return `${footageText(stats, i18n)}; ${without}`;
}

function footageText(stats: ArchiveStats, i18n: I18n): string {
  if (stats.startTime === null) return i18n.t('stream.info.nothing');
  const { bytes, farBytes, importedBytes = 0 } = stats;
  const all = i18n.t('stream.info.recorded', {
    duration: i18n.duration(stats.durationMs),
    size: i18n.bytes(bytes),
    start: i18n.dateTime(stats.startTime),
  });
  const places = [all];
  if (farBytes > 0) {
    const near = bytes - farBytes - importedBytes;
    places.push(i18n.t('stream.info.far', { far: i18n.bytes(farBytes), near: i18n.bytes(near) }));
  }
  if (importedBytes > 0) places.push(i18n.t('stream.info.imported', { size: i18n.bytes(importedBytes) }));
  return places.join('; ');
}
