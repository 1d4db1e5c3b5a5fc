import type { MotionEvent } from '../motion/motion-detector.ts';
import type { ManagedStreamState } from './state.ts';

/** An observer of the streams of a node. Its methods must be short and must not throw. */
export interface StreamObserver {
  /** Whether it currently observes this stream. */
  isMeant(uid: string): boolean;
  /** A stream was added, or the state shown to users changed. */
  onState?(uid: string, state: ManagedStreamState): void;
  /** A state that the stream had while this process could not be told, and since when, ms since the epoch. */
  onPastState?(uid: string, state: ManagedStreamState, atMs: number): void;
  /** Called while the stream is being written. */
  onMotion?(uid: string, event: MotionEvent): void;
}

/** Passes what streams report to the registered observers, which the stream manager does not know. */
export class StreamObservers {
  readonly #observers: StreamObserver[] = [];

  add(observer: StreamObserver): void {
    this.#observers.push(observer);
  }

  noteState(uid: string, state: ManagedStreamState): void {
    for (const observer of this.#observers) if (observer.isMeant(uid)) observer.onState?.(uid, state);
  }

  notePastState(uid: string, state: ManagedStreamState, atMs: number): void {
    for (const observer of this.#observers)
      if (observer.isMeant(uid)) observer.onPastState?.(uid, state, atMs);
  }

  noteMotion(uid: string, event: MotionEvent): void {
    for (const observer of this.#observers) if (observer.isMeant(uid)) observer.onMotion?.(uid, event);
  }
}
