import { availableParallelism } from 'node:os';
import { failedStreamsMax } from '@vidette/contract/constants';
import type { Archive } from '../archive/archive.ts';
import type { ObjectStorageStatus } from '../archive/object-storage/object-storage.ts';
import type { Cancel, Clock } from '../base/clock.ts';
import type { LoadLevel } from '../base/load-level.ts';
import { memoryLimit } from '../base/memory-limit.ts';
import type { Live } from '../live/live.ts';
import type { EngineView } from '../engine/engine-processes.ts';
import type { StreamManager } from '../engine/stream-manager.ts';
import { EventLoopWatch } from '../system/event-loop-watch.ts';
import type { HealthMonitor } from '../system/health.ts';
import { Histories, type HistoryKind, type HistoryView } from '../system/history.ts';
import type { ManagedStreamState } from '../engine/state.ts';
import { StreamMetrics, type Outage } from './stream-figures.ts';

const periodMs = 10_000;
/** An hour at ten seconds. */
const capacity = 360;

const kinds: readonly HistoryKind[] = [
  { name: 'cpu', unit: '%' },
  { name: 'memory', unit: 'B' },
  { name: 'eventLoopDelay', unit: 'ms' },
  { name: 'streamsRunning', unit: '' },
  { name: 'viewers', unit: '' },
  { name: 'received', unit: 'bit/s' },
  { name: 'sent', unit: 'bit/s' },
  { name: 'damagedFrames', unit: '1/s' },
  { name: 'lostPackets', unit: '1/s' },
  { name: 'writeLatency', unit: 'ms' },
];

export interface StatisticsOptions {
  readonly clock: Clock;
  readonly streamManager: StreamManager;
  readonly live: Live;
  readonly archive: Pick<Archive, 'health' | 'continuity'>;
  readonly health: HealthMonitor;
  readonly load: Pick<LoadLevel, 'level' | 'waiting'>;
  /** The engine processes of this server; none where streams run in this process. */
  readonly engines: () => readonly EngineView[];
}

interface FailedStream {
  readonly uid: string;
  /** When its outage began, ms since the epoch; null if that is not known. */
  readonly since: number | null;
}

/** One sample of the whole server. */
interface ServerLook {
  readonly cpuPercent: number;
  readonly eventLoopDelayMs: number;
  readonly receivedBitsPerSecond: number;
  readonly sentBitsPerSecond: number;
  readonly damagedFramesPerSecond: number;
  readonly lostPacketsPerSecond: number;
  readonly writeLatencyMs: number;
}

/**
 * Metrics of the server and of every stream that it runs: current values, and short histories for charts. All
 * are sampled together every ten seconds, however many clients request them.
 */
export class Statistics {
  readonly #options: StatisticsOptions;
  readonly #eventLoop: EventLoopWatch;
  readonly #cancel: Cancel;
  readonly #histories = new Histories(kinds, capacity);
  readonly #watches = new Map<string, StreamMetrics>();
  #lookedMs: number;
  #cpu = process.cpuUsage();
  #look: ServerLook;

  constructor(options: StatisticsOptions) {
    this.#options = options;
    this.#eventLoop = new EventLoopWatch(options.clock);
    this.#lookedMs = options.clock.monotonicMs();
    this.#look = {
      cpuPercent: 0,
      eventLoopDelayMs: 0,
      receivedBitsPerSecond: 0,
      sentBitsPerSecond: 0,
      damagedFramesPerSecond: 0,
      lostPacketsPerSecond: 0,
      writeLatencyMs: 0,
    };
    this.#cancel = options.clock.every(periodMs, () => this.#lookAtAll());
  }

  /** To be called when a stream's state has changed; outages and reconnects are derived from this. */
  noteState(uid: string, state: ManagedStreamState): void {
    const { clock, streamManager } = this.#options;
    const sinceMs = state.status === 'failed' ? streamManager.find(uid)?.report.sinceMs : undefined;
    this.#watchOf(uid).noteState(state, clock.wallMs(), sinceMs);
  }

  /** Current metrics of the server; per-second ones are from the last sample. */
  async now() {
    const { streamManager, live, archive, health, load } = this.#options;
    let streams = 0;
    let streamsRunning = 0;
    let streamsRecorded = 0;
    let viewers = 0;
    const failed: FailedStream[] = [];
    for (const { settings, state, stream } of streamManager.streams()) {
      streams++;
      if (state.status === 'running') streamsRunning++;
      if (state.status === 'failed') failed.push(this.#failed(settings.uid));
      if (settings.isRecorded && !settings.isPaused) streamsRecorded++;
      viewers += live.audience(stream).viewers;
    }
    failed.sort((a, b) => (a.since ?? 0) - (b.since ?? 0));
    const disk = await health.disk();
    return {
      uptimeSeconds: process.uptime(),
      memoryBytes: process.memoryUsage.rss(),
      cores: availableParallelism(),
      memoryLimitBytes: memoryLimit(),
      streams,
      streamsRunning,
      streamsRecorded,
      streamsFailed: failed.length,
      failed: failed.slice(0, failedStreamsMax),
      viewers,
      archiveBytes: archive.health.totalBytes,
      recorded: archive.continuity.sum,
      diskFreeBytes: disk?.freeBytes ?? null,
      diskTotalBytes: disk?.totalBytes ?? null,
      engines: this.#options.engines().map(engineView),
      overload: { level: load.level, waiting: [...load.waiting] },
      far: farView(archive.health.objectStorage),
      ...this.#look,
    };
  }

  get histories(): HistoryView[] {
    return this.#histories.views;
  }

  /** The number of reconnects of a stream, its outages, and its histories. */
  ofStream(uid: string): { reconnects: number; outages: readonly Outage[]; histories: HistoryView[] } {
    const { reconnects, outages, histories } = this.#watchOf(uid);
    return { reconnects, outages, histories: histories.views };
  }

  reconnectsOf(uid: string): number {
    return this.#watches.get(uid)?.reconnects ?? 0;
  }

  close(): void {
    this.#cancel();
    this.#eventLoop.close();
  }

  #lookAtAll(): void {
    const { clock, streamManager, live } = this.#options;
    const nowMs = clock.wallMs();
    const elapsedSeconds = Math.max(0.001, (clock.monotonicMs() - this.#lookedMs) / 1_000);
    this.#lookedMs = clock.monotonicMs();
    let received = 0;
    let sentBytes = 0;
    let damaged = 0;
    let lost = 0;
    let writeLatencyMs = 0;
    let streamsRunning = 0;
    let viewers = 0;
    for (const running of streamManager.streams()) {
      const figures = this.#watchOf(running.settings.uid).look(running, live, nowMs, elapsedSeconds);
      received += figures.receivedBitsPerSecond;
      sentBytes += figures.sentBytes;
      damaged += figures.damagedFramesPerSecond;
      lost += figures.lostPacketsPerSecond;
      writeLatencyMs = Math.max(writeLatencyMs, figures.writeLatencyMs);
      viewers += figures.viewers;
      if (running.state.status === 'running') streamsRunning++;
    }
    this.#forgetRemoved();
    const { user, system } = process.cpuUsage(this.#cpu);
    this.#cpu = process.cpuUsage();
    this.#look = {
      cpuPercent: (user + system) / 1e4 / elapsedSeconds,
      eventLoopDelayMs: this.#eventLoop.takeLongestMs(),
      receivedBitsPerSecond: received,
      sentBitsPerSecond: (sentBytes * 8) / elapsedSeconds,
      damagedFramesPerSecond: damaged,
      lostPacketsPerSecond: lost,
      writeLatencyMs,
    };
    const look = this.#look;
    this.#histories.add(nowMs, [
      look.cpuPercent,
      process.memoryUsage.rss(),
      look.eventLoopDelayMs,
      streamsRunning,
      viewers,
      look.receivedBitsPerSecond,
      look.sentBitsPerSecond,
      look.damagedFramesPerSecond,
      look.lostPacketsPerSecond,
      look.writeLatencyMs,
    ]);
  }

  #failed(uid: string): FailedStream {
    const outage = this.#watches.get(uid)?.outages.at(-1);
    return { uid, since: outage?.endMs === null ? outage.startMs : null };
  }

  #watchOf(uid: string): StreamMetrics {
    let watch = this.#watches.get(uid);
    if (!watch) this.#watches.set(uid, (watch = new StreamMetrics()));
    return watch;
  }

  #forgetRemoved(): void {
    for (const uid of this.#watches.keys()) {
      if (!this.#options.streamManager.find(uid)) this.#watches.delete(uid);
    }
  }
}

function engineView({ index, isConnected, streams, losses, cpuPercent, vitals }: EngineView) {
  return {
    index,
    isResponding: isConnected,
    streams,
    cpuPercent,
    memoryBytes: vitals?.memoryBytes ?? 0,
    eventLoopDelayMs: vitals?.eventLoopDelayMs ?? 0,
    restarts: losses,
  };
}

function farView(status: ObjectStorageStatus | undefined) {
  if (!status) return null;
  const { name, bytes, segments, waiting, lastMovedMs, problem } = status;
  return {
    name,
    bytes,
    segments,
    waitingBytes: waiting.bytes,
    waitingSegments: waiting.segments,
    lastMovedAt: lastMovedMs ?? null,
    problem: problem ? { code: problem.code, reason: problem.reason, since: problem.sinceMs } : null,
  };
}
