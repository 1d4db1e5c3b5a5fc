import { readFileSync } from 'node:fs';

/** What the system knows of the main thread of a process. */
export interface ThreadState {
  /** It runs, or waits for a core. */
  readonly isRunnable: boolean;
  /** CPU time since its start. */
  readonly cpuMs: number;
}

/** After this many times the limit, a thread that has waited for a core all the time counts as silent, too. */
const patience = 5;
/** Linux counts in ticks of this length for programs. */
const tickMs = 10;

/**
 * For how long a thread has given no sign of life, by the rounds of the one that watches it, so that a pause of the whole
 * machine is no silence. The time that it has waited for a core does not count: on a machine with too much to do, to end it
 * would cost more work, and hurt who is not to blame.
 */
export class Silence {
  readonly #roundMs: number;
  readonly #stateOf: () => ThreadState | undefined;
  #countedMs = 0;
  #wholeMs = 0;
  #cpuMs: number | undefined;

  /** @param stateOf of the thread; undefined where the system doesn't say */
  constructor(roundMs: number, stateOf: () => ThreadState | undefined) {
    this.#roundMs = roundMs;
    this.#stateOf = stateOf;
  }

  /** A sign of life. */
  end(): void {
    this.#countedMs = 0;
    this.#wholeMs = 0;
    this.#cpuMs = undefined;
  }

  /** One more round without a sign of life. */
  go(): void {
    // A sign of life comes within two rounds: a thread that gives it is not asked about.
    const state = this.#wholeMs < 2 * this.#roundMs ? undefined : this.#stateOf();
    // Unknown in the first three rounds.
    const ranMs = state && this.#cpuMs !== undefined ? state.cpuMs - this.#cpuMs : this.#roundMs;
    this.#cpuMs = state?.cpuMs;
    this.#wholeMs += this.#roundMs;
    this.#countedMs += state?.isRunnable === true ? Math.min(this.#roundMs, ranMs) : this.#roundMs;
  }

  /** Whether it lasts for so long. */
  reaches(limitMs: number): boolean {
    return this.#countedMs >= limitMs || this.#wholeMs >= patience * limitMs;
  }
}

/** The main thread of a process of this machine; undefined after its end, and where the system is not Linux. */
export function mainThreadOf(pid: number): ThreadState | undefined {
  let line: string;
  try {
    line = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'latin1');
  } catch {
    return undefined;
  }
  // The name in parentheses may contain anything.
  const [state, ...numbers] = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(numbers[10]) + Number(numbers[11]);
  return Number.isNaN(ticks) ? undefined : { isRunnable: state === 'R', cpuMs: ticks * tickMs };
}
