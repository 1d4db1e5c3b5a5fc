import type { Live } from '../live/live.ts';
import type { ManagedStreamState } from '../engine/state.ts';
import type { ManagedStream } from '../engine/managed-stream.ts';
import { Histories, type HistoryKind } from '../system/history.ts';

const kinds: readonly HistoryKind[] = [
  { name: 'received', unit: 'bit/s' },
  { name: 'frames', unit: '1/s' },
  { name: 'damagedFrames', unit: '1/s' },
  { name: 'lostPackets', unit: '1/s' },
  { name: 'viewers', unit: '' },
  { name: 'writeLatency', unit: 'ms' },
];
/** Half an hour at ten seconds. */
const capacity = 180;
/** Outages kept per stream: more than a screen shows, little for ten thousand streams. */
const maxOutages = 50;

/** A time without frames. */
export interface Outage {
  /** Wall clock, ms since the epoch. */
  readonly startMs: number;
  /** When frames came back; null while it lasts. */
  endMs: number | null;
  /** The latest state with a reason: between attempts the source is only "pending". */
  state: ManagedStreamState;
}

/** One sample of a running stream; per-second values since the previous sample. */
export interface StreamFigures {
  readonly receivedBitsPerSecond: number;
  readonly framesPerSecond: number;
  readonly damagedFramesPerSecond: number;
  readonly lostPacketsPerSecond: number;
  readonly viewers: number;
  /** Write latency of the newest fragment, ms; 0 for a stream that is not recorded. */
  readonly writeLatencyMs: number;
  /** Sent to viewers since the previous sample, bytes. */
  readonly sentBytes: number;
}

/** The metrics of one stream over the last half hour. */
export class StreamMetrics {
  readonly histories = new Histories(kinds, capacity);
  /** How often frames returned after they had stopped. */
  reconnects = 0;
  #hasRun = false;
  /** When it was last said to run. */
  #ranMs = 0;
  readonly #outages: Outage[] = [];
  #last = { bytes: 0, frames: 0, damaged: 0, lost: 0, sentBytes: 0 };

  /** The latest outages, oldest first; a stream that never ran and never failed has none. */
  get outages(): readonly Outage[] {
    return this.#outages;
  }

  /** @param sinceMs when a failed state began, if known; of a source that fell silent, earlier than it was noticed */
  noteState(state: ManagedStreamState, nowMs: number, sinceMs = nowMs): void {
    const last = this.#outages.at(-1);
    const open = last?.endMs === null ? last : undefined;
    if (state.status === 'running') {
      if (this.#hasRun) this.reconnects++;
      this.#hasRun = true;
      this.#ranMs = nowMs;
      if (open) open.endMs = nowMs;
    } else if (open) {
      if (state.status !== 'pending') open.state = state;
    } else if (this.#hasRun || state.status === 'failed') {
      // An engine that is lost has not reported the failure: its report is still about the state before.
      this.#outages.push({ startMs: sinceMs > this.#ranMs ? sinceMs : nowMs, endMs: null, state });
      if (this.#outages.length > maxOutages) this.#outages.shift();
    }
  }

  /** @param elapsedSeconds since the previous sample */
  look(running: ManagedStream, live: Live, nowMs: number, elapsedSeconds: number): StreamFigures {
    const { counters, recorder } = running.report;
    const { viewers, bytesSent } = live.audience(running.stream);
    const now = {
      bytes: counters.bytes,
      frames: counters.videoSamples,
      damaged: counters.damagedSamples,
      lost: counters.lostPackets,
      sentBytes: bytesSent,
    };
    const figures: StreamFigures = {
      receivedBitsPerSecond: (since(now.bytes, this.#last.bytes) * 8) / elapsedSeconds,
      framesPerSecond: since(now.frames, this.#last.frames) / elapsedSeconds,
      damagedFramesPerSecond: since(now.damaged, this.#last.damaged) / elapsedSeconds,
      lostPacketsPerSecond: since(now.lost, this.#last.lost) / elapsedSeconds,
      viewers,
      writeLatencyMs: recorder?.writeLatency.lastMs ?? 0,
      sentBytes: since(now.sentBytes, this.#last.sentBytes),
    };
    this.#last = now;
    this.histories.add(nowMs, [
      figures.receivedBitsPerSecond,
      figures.framesPerSecond,
      figures.damagedFramesPerSecond,
      figures.lostPacketsPerSecond,
      figures.viewers,
      figures.writeLatencyMs,
    ]);
    return figures;
  }
}

/** The growth of a counter, which begins again at 0 with the process that counts. */
function since(now: number, last: number): number {
  return now >= last ? now - last : now;
}
