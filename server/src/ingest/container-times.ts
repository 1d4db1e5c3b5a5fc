import { rescaleTicks } from '@vidette/media/time';
import { primaryTrack, type Track } from '@vidette/media/track';
import type { Clock } from '../base/clock.ts';
import { SourceTiming, utcMs, type TrackTiming } from './timing.ts';
import type { SampleMessage } from '../ffmpeg/protocol.ts';

/**
 * A sample whose time is further than this from its arrival belongs before or after a jump of the clock, ms.
 */
const strayMs = 15_000;

export interface MappedTimes {
  readonly dts: number;
  readonly pts: number;
}

/**
 * Maps the one clock that all tracks of a container share to UTC. The video (or the audio, if there is no
 * video) is the leader: its arrivals determine the offset to UTC, and the other tracks use the same offset, so
 * that they stay in sync however differently they are queued on the way.
 */
export class ContainerTimes {
  readonly #clock: Clock;
  #leaderId = 0;
  #leaderTimescale = 90000;
  #leader: TrackTiming = new SourceTiming().addTrack(90000, 90000);
  #timescales: ReadonlyMap<number, number> = new Map();
  readonly #lastDts = new Map<number, number>();
  /** UTC minus source time, ticks of the leader; undefined before its first sample. */
  #offsetTicks: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Declares the tracks of the next samples; time continues without a step while the leader stays. */
  setTracks(tracks: readonly Track[]): void {
    this.#timescales = new Map(tracks.map(({ id, timescale }) => [id, timescale]));
    const leader = primaryTrack(tracks);
    if (!leader || (leader.id === this.#leaderId && leader.timescale === this.#leaderTimescale)) return;
    this.#leaderId = leader.id;
    this.#leaderTimescale = leader.timescale;
    this.#leader = new SourceTiming().addTrack(leader.timescale, leader.timescale);
    this.#offsetTicks = undefined;
  }

  /**
   * Undefined for samples that cannot be dated: audio before the first frame, or around a jump of the clock.
   */
  map(sample: SampleMessage): MappedTimes | undefined {
    const timescale = this.#timescales.get(sample.trackId);
    if (timescale === undefined) return undefined;
    const arrivalMs = utcMs(this.#clock);
    if (sample.trackId === this.#leaderId) {
      this.#offsetTicks = this.#leader.mapGrowing(sample.dts, arrivalMs) - sample.dts;
    }
    if (this.#offsetTicks === undefined) return undefined;
    const offset = rescaleTicks(this.#offsetTicks, this.#leaderTimescale, timescale);
    const placed = sample.dts + offset;
    if (Math.abs((placed * 1000) / timescale - arrivalMs) > strayMs && sample.trackId !== this.#leaderId) {
      return undefined;
    }
    const dts = Math.max(placed, (this.#lastDts.get(sample.trackId) ?? Number.NEGATIVE_INFINITY) + 1);
    this.#lastDts.set(sample.trackId, dts);
    return { dts, pts: Math.max(dts, dts + (sample.pts - sample.dts)) };
  }
}
