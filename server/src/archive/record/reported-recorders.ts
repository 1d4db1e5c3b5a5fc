import type { RecorderStatus } from './recorder.ts';

/** The recorders of this node, as the rest of the server sees them. */
export interface RecorderView {
  /** Those that run, by uid. */
  readonly running: ReadonlyMap<string, { readonly status: RecorderStatus }>;
  /** Footage of the stream is being written. */
  isRecording(uid: string): boolean;
  /**
   * Why footage of a stream can't be written, as the system's error name or `unknown`; undefined while it can.
   */
  readonly writeFailure: string | undefined;
}

/** Recorders of other processes, by their last reports. */
export class ReportedRecorders implements RecorderView {
  readonly #running = new Map<string, { readonly status: RecorderStatus }>();

  get running(): ReadonlyMap<string, { readonly status: RecorderStatus }> {
    return this.#running;
  }

  /** Undefined: the stream is not recorded, or its process is gone. */
  note(uid: string, status: RecorderStatus | undefined): void {
    if (status) this.#running.set(uid, { status });
    else this.#running.delete(uid);
  }

  isRecording(uid: string): boolean {
    return this.#running.get(uid)?.status.state === 'recording';
  }

  get writeFailure(): string | undefined {
    return writeFailureOf(this.#running.values());
  }
}

/** How long a loss counts as current. */
const shedNoticeMs = 600_000;

/** What was dropped lately because too much waited to be written; undefined if nothing was. */
export function recentlyShed(
  recorders: Iterable<{ readonly status: RecorderStatus }>,
): { readonly streams: number; readonly samples: number } | undefined {
  let streams = 0;
  let samples = 0;
  for (const { shed } of Array.from(recorders, ({ status }) => status)) {
    if (!shed || shed.agoMs > shedNoticeMs) continue;
    streams++;
    samples += shed.samples;
  }
  return streams > 0 ? { streams, samples } : undefined;
}

/** The first failure to write, as the system's error name or `unknown`. */
export function writeFailureOf(recorders: Iterable<{ readonly status: RecorderStatus }>): string | undefined {
  for (const { status } of recorders)
    if (status.code === 'write-failed') return status.systemCode ?? 'unknown';
  return undefined;
}
