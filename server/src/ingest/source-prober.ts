import type { Track } from '@vidette/media/track';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { SourceAddress } from '../dial/address.ts';
import type { FfmpegPool } from '../ffmpeg/pool.ts';
import { probe, type ProbeResult } from './probe.ts';
import type { SourceEngines } from './source-engines.ts';

export interface ProbeLimits {
  readonly allowLoopback: boolean;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/** Probes addresses that are not streams yet. Rejects with a Fault of one of the probe codes (see `probe`). */
export class SourceProber {
  readonly #clock: Clock;
  readonly #ffmpeg: FfmpegPool;
  readonly #engines: SourceEngines;

  constructor(options: { clock: Clock; ffmpeg: FfmpegPool; engines: SourceEngines }) {
    this.#clock = options.clock;
    this.#ffmpeg = options.ffmpeg;
    this.#engines = options.engines;
  }

  /** What the address delivers, after its first complete frame. */
  async probe(
    address: SourceAddress,
    options: ProbeLimits,
  ): Promise<{ tracks: readonly Track[]; transport: string }> {
    const { tracks, transport } = await this.#look(address, options);
    return { tracks, transport };
  }

  /** The first key frame as a JPEG, at most `maxWidth` pixels wide. */
  async preview(address: SourceAddress, options: ProbeLimits & { maxWidth: number }): Promise<Uint8Array> {
    const { keyTrack, keySample } = await this.#look(address, options);
    if (keyTrack.kind !== 'video') throw new Fault('ProbeError', 'The source sends audio, but no video.');
    return this.#ffmpeg.snapshot(keyTrack, keySample, { maxWidth: options.maxWidth });
  }

  #look(address: SourceAddress, { allowLoopback, timeoutMs, signal }: ProbeLimits): Promise<ProbeResult> {
    const openSession = this.#engines.opener(address, allowLoopback);
    return probe(address, { clock: this.#clock, openSession, timeoutMs, signal });
  }
}
