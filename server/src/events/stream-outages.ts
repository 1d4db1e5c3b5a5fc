import type { Cancel, Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { ManagedStream } from '../engine/managed-stream.ts';
import type { ManagedStreamState } from '../engine/state.ts';
import type { Journal } from '../store/journal.ts';
import type { GapWatch } from './gap-watch.ts';
import type { JournalWriter } from './journal-writer.ts';

export interface StreamOutagesOptions {
  readonly writer: Pick<JournalWriter, 'note'>;
  readonly journal: Pick<Journal, 'open'>;
  readonly gaps: Pick<GapWatch, 'examine'>;
  /** Streams of which this node reports. */
  readonly streams: () => Iterable<Pick<ManagedStream, 'settings' | 'state' | 'report'>>;
  readonly clock: Clock;
  readonly log: Log;
}

/** How often the recorders are looked at. */
const lookMs = 2_000;
/** How often what is open in the journal is compared with what is: after a start, and when a stream has moved here. */
const compareMs = 30_000;

/** Records when a stream goes dark and comes back, and when it is not recorded although it delivers. */
export class StreamOutages {
  readonly #options: StreamOutagesOptions;
  readonly #cancels: readonly Cancel[];
  /** Streams whose recorder failed when it was last looked at. */
  readonly #failing = new Set<string>();
  /** Streams that were recorded when they were last looked at. */
  readonly #recorded = new Set<string>();
  /** Streams for which an entry is open, as far as this node knows. */
  readonly #down = new Set<string>();

  constructor(options: StreamOutagesOptions) {
    this.#options = options;
    const { clock, log } = options;
    const compare = () => {
      this.compare().catch((error: unknown) =>
        log.warn({ err: error }, 'The journal could not be compared with the streams; it will be retried'),
      );
    };
    this.#cancels = [
      clock.every(lookMs, () => this.#look()),
      clock.after(lookMs, compare),
      clock.every(compareMs, compare),
    ];
  }

  /** The state shown to users changed, at a time in ms since the epoch. */
  noteState(uid: string, state: ManagedStreamState, atMs: number): void {
    const { writer } = this.#options;
    if (state.status === 'failed') {
      if (this.#down.has(uid)) return;
      this.#down.add(uid);
      const detail = { code: state.code, reason: state.failureReason };
      writer.note({ type: 'begin', kind: 'stream-down', uid, startMs: atMs, detail });
      return;
    }
    // It connects again: whether it is back is not known yet.
    if (state.status === 'pending' || !this.#down.delete(uid)) return;
    writer.note({ type: 'end', kind: 'stream-down', uid, endMs: atMs });
  }

  /** Ends what is no longer going on, and begins what went unnoticed. @throws what the database throws */
  async compare(): Promise<void> {
    const { journal, writer, streams, clock } = this.#options;
    const open = await journal.open(['stream-down', 'recording-stopped']);
    const openOf = (kind: string) =>
      new Set(open.flatMap((one) => (one.entry.kind === kind ? (one.uid ?? []) : [])));
    const down = openOf('stream-down');
    const stopped = openOf('recording-stopped');
    for (const { settings, state, report } of streams()) {
      const { uid } = settings;
      const atMs = report.sinceMs ?? clock.wallMs();
      if (down.has(uid)) this.#down.add(uid);
      else if (state.status === 'failed') this.#down.delete(uid);
      this.noteState(uid, state, atMs);
      if (stopped.has(uid) && !this.#failing.has(uid) && report.recorder?.state !== 'failed') {
        const endMs = clock.wallMs();
        if (report.recorder?.state === 'recording' || !settings.isRecorded || settings.isPaused)
          writer.note({ type: 'end', kind: 'recording-stopped', uid, endMs });
      }
    }
  }

  close(): void {
    for (const cancel of this.#cancels) cancel();
  }

  #look(): void {
    const { streams, gaps, clock } = this.#options;
    const nowMs = clock.wallMs();
    for (const { settings, report } of streams()) {
      const { uid, isRecorded, isPaused } = settings;
      const recorder = isRecorded && !isPaused ? report.recorder : undefined;
      this.#noteRecorder(uid, recorder, nowMs);
      const isRecording = recorder?.state === 'recording';
      if (isRecording === this.#recorded.has(uid)) continue;
      if (isRecording) {
        this.#recorded.add(uid);
        gaps.examine(uid);
      } else this.#recorded.delete(uid);
    }
  }

  #noteRecorder(uid: string, recorder: ManagedStream['report']['recorder'], nowMs: number): void {
    const { writer } = this.#options;
    if (recorder?.state === 'failed') {
      if (this.#failing.has(uid)) return;
      this.#failing.add(uid);
      const detail = { code: recorder.code ?? null };
      writer.note({ type: 'begin', kind: 'recording-stopped', uid, startMs: nowMs, detail });
    } else if (recorder?.state !== 'waiting' && this.#failing.delete(uid)) {
      writer.note({ type: 'end', kind: 'recording-stopped', uid, endMs: nowMs });
    }
  }
}
