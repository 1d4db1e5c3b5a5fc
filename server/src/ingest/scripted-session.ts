import type { Fault } from '../base/fault.ts';
import type { PauseCause } from '../hub/reader.ts';
import type { SourceEngine } from './running-attempt.ts';
import type { SourceSession, SourceSink } from './source.ts';

/** A session controlled by a test. */
export class ScriptedSession implements SourceSession {
  readonly engine: SourceEngine;
  readonly #settled = Promise.withResolvers<PauseCause>();
  /** Does not stop when asked, like a hanging native library. */
  isStubborn = false;
  isReleased = false;
  #sink: SourceSink | undefined;

  constructor(engine: SourceEngine) {
    this.engine = engine;
  }

  get sink(): SourceSink {
    if (!this.#sink) throw new Error('the session was not run');
    return this.#sink;
  }

  run(sink: SourceSink, signal: AbortSignal): Promise<PauseCause> {
    this.#sink = sink;
    signal.addEventListener('abort', () => {
      if (!this.isStubborn) this.end('stopped');
    });
    return this.#settled.promise.finally(() => {
      this.isReleased = true;
    });
  }

  end(cause: PauseCause): void {
    this.#settled.resolve(cause);
  }

  fail(fault: Fault): void {
    this.#settled.reject(fault);
  }
}
