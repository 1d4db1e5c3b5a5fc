import type { Clock } from '../base/clock.ts';
import type { ManagedStreamSettings } from './settings.ts';
import type { ReportedState } from './state.ts';

/** After this many crashes of an engine on its data within `windowMs` a stream is no longer run. */
const crashesMax = 3;
const windowMs = 3_600_000;

const reason =
  'What this source sends crashed the recording process three times. The stream is not started again until it is changed, or paused and resumed.';

/** The settings whose change may change what the source sends. */
type SourceSettings = Pick<ManagedStreamSettings, 'source' | 'subSource' | 'isPaused'>;

/** Keeps streams whose data crashes their engine from taking the other streams of that engine down again and again. */
export class Quarantine {
  readonly #clock: Clock;
  /** Monotonic times of the last crashes, by uid. */
  readonly #crashes = new Map<string, number[]>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** An engine crashed on the data of a stream. True when the stream must not be run any more. */
  noteCrash(uid: string): boolean {
    const nowMs = this.#clock.monotonicMs();
    const recent = (this.#crashes.get(uid) ?? []).filter((atMs) => nowMs - atMs < windowMs);
    this.#crashes.set(uid, [...recent, nowMs].slice(-crashesMax));
    return this.has(uid);
  }

  has(uid: string): boolean {
    return (this.#crashes.get(uid)?.length ?? 0) >= crashesMax;
  }

  /** The state of a stream in quarantine. */
  get state(): ReportedState {
    return { status: 'failed', code: 'STREAM_SOURCE_ERR', reason };
  }

  /** New settings may mean other data: then it is tried again. */
  review(uid: string, old: SourceSettings, settings: SourceSettings): void {
    const isOther =
      old.source !== settings.source || old.subSource !== settings.subSource || settings.isPaused;
    if (isOther) this.forget(uid);
  }

  /** The stream was removed, or has to be tried again. */
  forget(uid: string): void {
    this.#crashes.delete(uid);
  }
}
