import type { Clock } from '../base/clock.ts';
import type { EngineLives } from './engine-lives.ts';
import { suspicionMs } from './suspects.ts';

export interface TemporaryEngineOptions {
  readonly clock: Clock;
  readonly lives: Pick<EngineLives, 'temporary'>;
  /** Has one engine more started, unless there is such a one; `lives` says when. */
  readonly addEngine?: (() => void) | undefined;
  /** Has it ended, by the path of its socket. */
  readonly endEngine?: ((path: string) => void) | undefined;
}

/** Streams wait for it at most this long, ms: no engine records them meanwhile. */
const waitMs = 10_000;

/**
 * The engine beside those of the configuration with which a server that has only one divides the streams that may have
 * crashed it (`Suspects`). It stays while a crash may say more about them.
 */
export class TemporaryEngine {
  readonly #options: TemporaryEngineOptions;
  /** Of the last crash that it is for, or of the start of this front; monotonic. */
  #sinceMs: number;
  /** Uids of the streams that it is to run. */
  #waiting: readonly string[] = [];
  /** The supervisor may not have ended it yet. */
  #replacedPath: string | undefined;

  constructor(options: TemporaryEngineOptions) {
    this.#options = options;
    this.#sinceMs = options.clock.monotonicMs();
  }

  /** Undefined while there is none, or it is not used any more. */
  get place(): EngineLives['temporary'] {
    const { temporary } = this.#options.lives;
    return temporary?.path === this.#replacedPath ? undefined : temporary;
  }

  /** Has it started for these streams, which run nowhere until `takeWaiting`. False where the server can't start one. */
  request(uids: readonly string[]): boolean {
    const { addEngine } = this.#options;
    if (!addEngine) return false;
    this.#waiting = uids;
    this.noteCrash();
    addEngine();
    return true;
  }

  /** An engine crashed for a reason that it couldn't note: what is divided now stays so. */
  noteCrash(): void {
    this.#sinceMs = this.#options.clock.monotonicMs();
  }

  /** The streams that wait, once it is there or does not come. */
  takeWaiting(isThere: boolean): readonly string[] {
    if (!isThere && this.#options.clock.monotonicMs() - this.#sinceMs < waitMs) return [];
    const waiting = this.#waiting;
    this.#waiting = [];
    return waiting;
  }

  /** A crash from now on would not be compared with the last one. */
  get isOver(): boolean {
    return this.#options.clock.monotonicMs() - this.#sinceMs >= suspicionMs;
  }

  /** The streams of an engine, which may be this one, run elsewhere. */
  noteReplaced(path: string): void {
    this.#replacedPath = path;
  }

  /** After `noteReplaced`. */
  end(path: string): void {
    this.#options.endEngine?.(path);
  }
}
