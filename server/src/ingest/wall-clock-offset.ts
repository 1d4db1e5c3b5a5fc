/**
 * Tracks changes of the wall clock since the start of a connection, whose times count from one reading of it
 * (`runClock`): the shift that applies a later correction (NTP after the start, a machine that slept) without a
 * restart. Small corrections are made gradually, so that frame durations change by at most one percent; large
 * ones in one step, where the caller begins a new run and records the gap.
 */
import { wallOffsetMs, type Clock } from '../base/clock.ts';

/** Differences up to this are corrected gradually, larger ones in a step, ms. */
const wallStepMs = 2000;
/** Correction per elapsed time. */
const slewRate = 0.01;
/** Differences below this are ignored, ms: a wall clock reading is no more accurate. */
const ignoredMs = 20;

export class WallClockOffset {
  readonly #clock: Clock;
  readonly #anchorMs: number;
  #timeOffsetMs = 0;
  #slewedMs: number;
  /** A step seen once; a second reading confirms it. */
  #suspectedMs: number | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#anchorMs = wallOffsetMs(clock);
    this.#slewedMs = clock.monotonicMs();
  }

  /** To be added to all times of the connection, ms. */
  get timeOffsetMs(): number {
    return this.#timeOffsetMs;
  }

  /** Call periodically. Returns by how much the wall clock was set, ms; undefined while no step is due. */
  look(): number | undefined {
    const missingMs = this.#missingMs();
    const suspectedMs = this.#suspectedMs;
    this.#suspectedMs = Math.abs(missingMs) > wallStepMs ? missingMs : undefined;
    const isSure = suspectedMs !== undefined && Math.abs(suspectedMs - missingMs) < wallStepMs / 2;
    return this.#suspectedMs !== undefined && isSure ? missingMs : undefined;
  }

  /** Applies the whole difference: the next samples are a new run. */
  step(): void {
    this.#timeOffsetMs += this.#missingMs();
    this.#suspectedMs = undefined;
  }

  /** To be called with each frame: corrects small differences gradually. */
  slew(): void {
    const nowMs = this.#clock.monotonicMs();
    const most = (nowMs - this.#slewedMs) * slewRate;
    this.#slewedMs = nowMs;
    const missingMs = this.#missingMs();
    const distanceMs = Math.abs(missingMs);
    if (distanceMs <= ignoredMs || distanceMs > wallStepMs) return;
    this.#timeOffsetMs += Math.sign(missingMs) * Math.min(most, distanceMs);
  }

  #missingMs(): number {
    return wallOffsetMs(this.#clock) - this.#anchorMs - this.#timeOffsetMs;
  }
}
