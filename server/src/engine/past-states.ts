import type { Clock } from '../base/clock.ts';
import type { ManagedStreamState } from './state.ts';

/** A state that a stream had. */
export interface PastState {
  readonly uid: string;
  readonly state: ManagedStreamState;
  /** When it began, ms since the epoch. */
  readonly atMs: number;
}

interface KeptState extends PastState {
  /** When the front was told, monotonic. */
  readonly toldMs: number;
}

/** Most states that are kept; beyond it the oldest are dropped. */
const mostStates = 20_000;
/** A front stores what it is told within this time; one that ends before is followed by another, which is told again. */
const storedMs = 60_000;

/**
 * The states of an engine's streams, for the next front: those that it could not be told because there was none, and those that
 * the last one may not have stored. Oldest first.
 */
export class PastStates {
  readonly #clock: Clock;
  #kept: (PastState | KeptState)[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** `isTold`: the present front learns of it now. */
  add(uid: string, state: ManagedStreamState, isTold: boolean): void {
    const past = { uid, state, atMs: this.#clock.wallMs() };
    this.#kept.push(isTold ? { ...past, toldMs: this.#clock.monotonicMs() } : past);
    if (this.#kept.length >= mostStates * 2) this.#kept = this.#kept.slice(-mostStates);
  }

  /** Everything that a new front has to be told; from then on it counts as told. */
  takeAll(): readonly PastState[] {
    const nowMs = this.#clock.monotonicMs();
    const due = this.#kept.filter((past) => !('toldMs' in past) || past.toldMs > nowMs - storedMs);
    this.#kept = due.map(({ uid, state, atMs }) => ({ uid, state, atMs, toldMs: nowMs }));
    return due.map(({ uid, state, atMs }) => ({ uid, state, atMs }));
  }

  /** Drops what has been stored. */
  forgetStored(): void {
    const untilMs = this.#clock.monotonicMs() - storedMs;
    const first = this.#kept.findIndex((past) => !('toldMs' in past) || past.toldMs > untilMs);
    if (first !== 0) this.#kept = first < 0 ? [] : this.#kept.slice(first);
  }
}
