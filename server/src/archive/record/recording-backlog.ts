import type { Cancel, Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { memoryLimit } from '../../base/memory-limit.ts';
import type { SharedLimit } from '../../hub/reader.ts';

/** The limit is this share of the memory, and at most so many bytes: each engine has a backlog of its own. */
const shareOfMemory = 1 / 16;
const mostBytes = 512 * 1024 * 1024;
/** Once the limit is exceeded, so much of it is kept. */
const keptShare = 3 / 4;
/** Where less can be dropped, it is tried again after so much more waits. */
const stepShare = 1 / 16;
/** The log is silent for so long after each line, and reports the end after so long without a loss. */
const reportMs = 10_000;
/** A log line names this many streams. */
const namedStreams = 20;

/** How much of a queue is dropped: its complete GOPs, or everything up to the next key frame. */
export type ShedExtent = 'complete-gops' | 'all';

/** A recorder, as far as its queue is concerned. */
export interface BackloggedRecorder {
  readonly uid: string;
  readonly queuedBytes: number;
  /** Drops samples that wait, and returns their number. The gap that this leaves is noted with its cause. */
  shed(extent: ShedExtent): number;
}

export interface RecordingBacklogOptions {
  readonly maxBytes: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** What one process may hold in memory of footage that waits to be written, bytes. */
export function backlogMaxBytes(memoryBytes = memoryLimit()): number {
  return Math.min(mostBytes, Math.floor(memoryBytes * shareOfMemory));
}

/**
 * What waits in this process to be written, of all streams together. It is limited, because a queue of gigabytes costs
 * so much garbage collection that everything falls further behind. Beyond the limit the stream with the most bytes
 * waiting loses its complete GOPs, then the next one, until a quarter of the limit is free: so as few streams as
 * possible have a gap, and what remains can be played. Only where that frees too little, the GOPs that are still being
 * received are dropped as well, in the same order.
 */
export class RecordingBacklog implements SharedLimit {
  readonly #options: RecordingBacklogOptions;
  readonly #recorders = new Set<BackloggedRecorder>();
  #bytes = 0;
  /** From here on something is dropped. Above the limit where what is being written exceeds it already. */
  #shedFrom: number;
  #isShedding = false;
  /** Since the last line of the log. */
  #lost: { streams: Set<string>; samples: number; bytes: number } | undefined;
  #cancelReport: Cancel | undefined;

  constructor(options: RecordingBacklogOptions) {
    this.#options = options;
    this.#shedFrom = options.maxBytes;
  }

  /** What waits, relative to the limit. */
  get share(): number {
    return this.#bytes / this.#options.maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  join(recorder: BackloggedRecorder): void {
    this.#recorders.add(recorder);
  }

  leave(recorder: BackloggedRecorder): void {
    this.#recorders.delete(recorder);
  }

  add(bytes: number): void {
    this.#bytes += bytes;
  }

  enforce(): void {
    const { maxBytes } = this.#options;
    if (this.#bytes <= maxBytes) this.#shedFrom = maxBytes;
    if (this.#bytes <= this.#shedFrom || this.#isShedding) return;
    this.#isShedding = true;
    const most = [...this.#recorders].toSorted((a, b) => b.queuedBytes - a.queuedBytes);
    for (const extent of ['complete-gops', 'all'] as const) {
      for (const recorder of most) {
        if (this.#bytes <= maxBytes * keptShare) break;
        this.#shed(recorder, extent);
      }
    }
    this.#isShedding = false;
    // What is being written can't be dropped. All queues are short then, and are looked at again when they have grown.
    this.#shedFrom = Math.max(maxBytes, this.#bytes + maxBytes * stepShare);
    if (this.#lost && !this.#cancelReport) this.#report();
  }

  close(): void {
    this.#cancelReport?.();
  }

  #shed(recorder: BackloggedRecorder, extent: ShedExtent): void {
    const before = recorder.queuedBytes;
    const samples = recorder.shed(extent);
    if (samples === 0) return;
    this.#lost ??= { streams: new Set(), samples: 0, bytes: 0 };
    this.#lost.streams.add(recorder.uid);
    this.#lost.samples += samples;
    this.#lost.bytes += before - recorder.queuedBytes;
  }

  #report(): void {
    const { clock, log, maxBytes } = this.#options;
    const lost = this.#lost;
    this.#lost = undefined;
    this.#cancelReport = undefined;
    if (!lost) {
      log.info({}, 'Recording keeps up again: all streams are recorded completely');
      return;
    }
    const { samples, bytes } = lost;
    const streams = [...lost.streams];
    const named = streams.slice(0, namedStreams).join(', ');
    const others = streams.length > namedStreams ? ` and ${streams.length - namedStreams} others` : '';
    log.warn(
      { samples, bytes, maxBytes, streams: streams.length },
      `Recording is overloaded: more waited to be written than fits into memory, and GOPs of these streams were dropped: ${named}${others}`,
    );
    this.#cancelReport = clock.after(reportMs, () => this.#report());
  }
}
