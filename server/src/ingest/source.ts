import type { Cancel } from '../base/clock.ts';
import type { PauseCause } from '../hub/reader.ts';
import type { Sample } from '@vidette/media/sample';
import type { Track } from '@vidette/media/track';

/**
 * What a source hands over: parameters first, samples after. A source that announces video declares no tracks without it:
 * audio alone is what a source sends that announces nothing else. Times are already mapped to UTC ticks
 * (see `timing.ts`), so a sink may pass them on as they are.
 */
export interface SourceSink {
  tracks(tracks: readonly Track[]): void;
  sample(sample: Sample): void;
  /**
   * A frame of an announced track came and can't be passed on yet: its parameters, the first key frame or another
   * announced track are missing. It proves that the source is alive; how long to wait is for the watchdog to decide.
   */
  awaiting(kind: Track['kind']): void;
  /** So many packets never came, known by the gaps in their numbers; for transports that number them. */
  lost(packets: number): void;
  /** A line for the stream's own log, such as a fallback or a vendor's quirk that was worked around. */
  note(message: string, fields?: Readonly<Record<string, unknown>>): void;
}

/** Who takes what a source sends. */
export interface SourceAudience {
  /** Nobody minds getting the next samples a quarter of a second later and all at once. */
  readonly toleratesLatency: boolean;
  /** Calls `run` whenever somebody joins who does mind. */
  onLowLatencyReader(run: () => void): Cancel;
}

/** One attempt at one address. A session is used once; the supervisor makes a new one for every attempt. */
export interface SourceSession {
  /**
   * Runs until the signal is aborted or the source fails; always rejects or resolves after everything is released.
   * Rejects with a Fault whose code is one of the probe codes (EHOSTUNREACH, HTTP_NOT_FOUND, HTTP_UNAUTHORIZED, ProbeError...).
   */
  run(sink: SourceSink, signal: AbortSignal): Promise<PauseCause>;
}
