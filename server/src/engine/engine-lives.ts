/** A process in which streams can run: the path of its Unix socket, and its number. */
interface EnginePlace {
  readonly path: string;
  readonly index: number;
}

/**
 * Which process of each engine may be recording, as the supervisor reports it: it has seen the end of the others. Another
 * engine may write a stream only when the process that wrote it last has ended for certain; a connection that is lost
 * proves nothing.
 */
export class EngineLives {
  #pids: Readonly<Record<string, number | null>> = {};
  #crashed: ReadonlySet<number> = new Set();
  #dormant: ReadonlySet<string> = new Set();
  #temporary: EnginePlace | undefined;

  /**
   * `pids`: by the path of the engine's socket; null while none of its processes may be recording. `crashed`: processes
   * that a fault of their own ended, other than a signal from outside. `dormant`: see `isDormant`. `temporary`: see
   * there.
   */
  note(
    pids: Readonly<Record<string, number | null>>,
    crashed: readonly number[] = [],
    dormant: readonly string[] = [],
    temporary?: EnginePlace,
  ): void {
    this.#pids = pids;
    this.#crashed = new Set(crashed);
    this.#dormant = new Set(dormant);
    this.#temporary = temporary;
  }

  /** The engine that the supervisor has started for this front, or an earlier one, beside those of the configuration. */
  get temporary(): EnginePlace | undefined {
    return this.#temporary;
  }

  /** Whether an engine, by the path of its socket, has not been started yet, and is started when it is needed. */
  isDormant(path: string): boolean {
    return this.#dormant.has(path);
  }

  hasCrashed(pid: number): boolean {
    return this.#crashed.has(pid);
  }

  /** Whether a process of an engine has ended. `pid` undefined: whichever ran last. */
  hasEnded(path: string, pid: number | undefined): boolean {
    const now = this.#pids[path];
    if (now === undefined) return false;
    return now === null || (pid !== undefined && now !== pid);
  }
}
