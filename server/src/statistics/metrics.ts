import type { Registry } from 'prom-client';
import type { Archive } from '../archive/archive.ts';
import type { StreamManager } from '../engine/stream-manager.ts';
import type { Live } from '../live/live.ts';
import type { HealthMonitor } from '../system/health.ts';
import type { LicenseService } from '../system/license.ts';
import type { Tunnel } from '../tunnel/tunnel.ts';
import type { Statistics } from './statistics.ts';

/** The sources of the metrics. */
export interface MetricsSources {
  readonly streamManager: Pick<StreamManager, 'size' | 'streams'>;
  readonly live: Pick<Live, 'audience'>;
  readonly statistics: Pick<Statistics, 'now' | 'reconnectsOf'>;
  readonly health: Pick<HealthMonitor, 'disk'>;
  readonly license: Pick<LicenseService, 'isExpired'>;
  readonly archive: Pick<Archive, 'health' | 'continuity'>;
  readonly tunnel: Pick<Tunnel, 'isUp' | 'traffic'>;
  /** The settings in force for media processes. */
  readonly confinement: string;
}

/** All metrics of this server; the library is loaded on first use. */
export async function newRegistry(sources: MetricsSources): Promise<Registry> {
  const { collectDefaultMetrics, Counter, Gauge, Registry } = await import('prom-client');
  const { streamManager, live, statistics, health, license, archive, tunnel } = sources;
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  const gauge = (name: string, help: string, read: () => number | Promise<number>) =>
    new Gauge({
      name,
      help,
      registers,
      async collect() {
        this.set(await read());
      },
    });
  new Gauge({
    name: 'vidette_media_confinement',
    help: 'Confinement of media processes: files (includes network), network, or none',
    labelNames: ['level'],
    registers,
  }).set({ level: sources.confinement }, 1);
  gauge('vidette_streams', 'Streams that this server runs', () => streamManager.size);
  gauge('vidette_archive_bytes', 'Bytes of all recordings', () => archive.health.totalBytes);
  gauge('vidette_archive_disk_free_bytes', 'Free bytes on the archive disk', async () => {
    return (await health.disk())?.freeBytes ?? Number.NaN;
  });
  gauge('vidette_archive_disk_total_bytes', 'Total bytes of the archive disk', async () => {
    return (await health.disk())?.totalBytes ?? Number.NaN;
  });
  gauge('vidette_archive_undeletable_files', 'Files of old recordings that can’t be deleted', () => {
    return archive.health.retention.undeletable?.files ?? 0;
  });
  gauge('vidette_archive_undeletable_bytes', 'Bytes of old recordings that can’t be deleted', () => {
    return archive.health.retention.undeletable?.bytes ?? 0;
  });
  gauge(
    'vidette_archive_early_deleted_bytes',
    'Bytes deleted before their depth to free space, since the start',
    () => {
      return archive.health.retention.early?.bytes ?? 0;
    },
  );
  gauge(
    'vidette_archive_clock_ahead_seconds',
    'How far the clock is ahead of the recordings; 0 is normal',
    () => {
      return (archive.health.retention.clockAheadMs ?? 0) / 1_000;
    },
  );
  gauge('vidette_event_loop_delay_seconds', 'Longest event loop delay within ten seconds', async () => {
    return (await statistics.now()).eventLoopDelayMs / 1_000;
  });
  gauge(
    'vidette_write_latency_seconds',
    'Time from a complete GOP to its catalog row, of the slowest stream',
    async () => {
      return (await statistics.now()).writeLatencyMs / 1_000;
    },
  );
  gauge(
    'vidette_overload_level',
    'How many kinds of work wait so that recording continues; 0 is normal',
    async () => {
      return (await statistics.now()).overload.level;
    },
  );
  gauge('vidette_license_valid', '1 while the license is valid', () => (license.isExpired ? 0 : 1));
  gauge('vidette_tunnel_up', '1 while a relay listens for this server', () => (tunnel.isUp ? 1 : 0));
  gauge(
    'vidette_tunnel_received_bytes',
    'Bytes received from clients through the tunnel',
    () => tunnel.traffic.receivedBytes,
  );
  gauge(
    'vidette_tunnel_sent_bytes',
    'Bytes sent to clients through the tunnel',
    () => tunnel.traffic.sentBytes,
  );

  new Gauge({
    name: 'vidette_recorded_ratio',
    help: 'Recorded share of the time that should have been recorded',
    labelNames: ['window'],
    registers,
    collect() {
      const { day, month } = archive.continuity.sum;
      this.reset();
      if (day.share !== null) this.set({ window: '24h' }, day.share);
      if (month.share !== null) this.set({ window: '30d' }, month.share);
    },
  });

  const labelNames = ['stream'] as const;
  const ofStreams = { labelNames, registers };
  // The first stream metric fills all of them in one pass: metrics are collected in order of registration.
  const up = new Gauge({
    name: 'vidette_stream_up',
    help: '1 while frames arrive',
    ...ofStreams,
    collect: () => fillOfStreams(),
  });
  const viewers = new Gauge({ name: 'vidette_stream_viewers', help: 'Live viewers', ...ofStreams });
  const recordedRatio = new Gauge({
    name: 'vidette_stream_recorded_ratio',
    help: 'Recorded share of the time that should have been recorded',
    labelNames: ['stream', 'window'],
    registers,
  });
  const counter = (name: string, help: string) => new Counter({ name, help, ...ofStreams });
  const received = counter('vidette_stream_received_bytes_total', 'Bytes of video and audio received');
  const frames = counter('vidette_stream_frames_total', 'Video frames received');
  const damaged = counter('vidette_stream_damaged_frames_total', 'Video frames of which parts were lost');
  const lost = counter('vidette_stream_lost_packets_total', 'Packets from the source that never arrived');
  const sent = counter('vidette_stream_sent_bytes_total', 'Bytes sent to viewers');
  const recorded = counter('vidette_stream_recorded_bytes_total', 'Bytes written to the archive');
  const reconnects = counter('vidette_stream_reconnects_total', 'Reconnections to the source');

  function fillOfStreams(): void {
    const metrics = [up, viewers, received, frames, damaged, lost, sent, recorded, reconnects];
    for (const metric of metrics) metric.reset();
    recordedRatio.reset();
    for (const running of streamManager.streams()) {
      const labels = { stream: running.settings.uid };
      const { counters, recorder } = running.report;
      const audience = live.audience(running.stream);
      const shares = archive.continuity.known(running.settings.uid);
      if (shares && shares.day.share !== null)
        recordedRatio.set({ ...labels, window: '24h' }, shares.day.share);
      if (shares && shares.month.share !== null)
        recordedRatio.set({ ...labels, window: '30d' }, shares.month.share);
      up.set(labels, running.state.status === 'running' ? 1 : 0);
      viewers.set(labels, audience.viewers);
      received.inc(labels, counters.bytes);
      frames.inc(labels, counters.videoSamples);
      damaged.inc(labels, counters.damagedSamples);
      lost.inc(labels, counters.lostPackets);
      sent.inc(labels, audience.bytesSent);
      recorded.inc(labels, recorder?.bytes ?? 0);
      reconnects.inc(labels, statistics.reconnectsOf(running.settings.uid));
    }
  }
  return registry;
}
