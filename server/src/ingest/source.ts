import type { Cancel } from '../base/clock.ts';
import type { PauseCause } from '../hub/reader.ts';
import type { Sample } from '@vidette/media/sample';
import type { Track } from '@vidette/media/track';

/**
 * Receives the output of a source: parameters first, then samples. A source that announces video never declares
 * tracks without it: only a source that announces nothing else sends audio alone. Times are already mapped to
 * UTC ticks (see `timing.ts`), so a sink may pass them on as they are.
 */
export interface SourceSink {
  tracks(tracks: readonly Track[]): void;
  sample(sample: Sample): void;
  /**
   * A frame of an announced track arrived that cannot be passed on yet: its parameters, the first key frame or
   * another announced track are missing. It proves that the source is alive; the watchdog decides how long to
   * wait.
   */
  awaiting(kind: Track['kind']): void;
  /** Number of lost packets, from gaps in their sequence numbers; for transports that have sequence numbers. */
  lost(packets: number): void;
  /** A line for the stream's own log, such as a fallback or a workaround for a vendor's quirk. */
  note(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** The consumers of a source. */
export interface SourceAudience {
  /** No reader needs low latency: the next samples may arrive a quarter of a second later, in one batch. */
  readonly toleratesLatency: boolean;
  /** Calls `run` whenever a reader that needs low latency joins. */
  onLowLatencyReader(run: () => void): Cancel;
}

/** One attempt at one address. A session is used once; the supervisor creates a new one for every attempt. */
export interface SourceSession {
  /**
   * Runs until the signal is aborted or the source fails; always rejects or resolves after everything is released.
   * Rejects with a Fault whose code is one of the probe codes (EHOSTUNREACH, HTTP_NOT_FOUND, HTTP_UNAUTHORIZED, ProbeError...).
   */
  run(sink: SourceSink, signal: AbortSignal): Promise<PauseCause>;
}
