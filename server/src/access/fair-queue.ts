import { Fault } from '../base/fault.ts';

/** Maximum number of waiting jobs: of all networks together, and of one network. */
const maxWaiting = 512;
const maxWaitingOfOne = 128;

interface QueuedCall {
  readonly go: () => void;
  readonly refuse: (fault: Fault) => void;
}

/**
 * Runs one job at a time, networks taking turns, so that a network that floods the queue delays only itself.
 * When the queue is full, a job of the network with the longest queue gives way to one with a shorter queue.
 */
export class FairQueue {
  /** The map is in order of rotation. */
  readonly #waiting = new Map<string, QueuedCall[]>();
  #total = 0;
  #isBusy = false;

  /** @throws Fault TooManyRequests when too many jobs of the network, or of all networks, are waiting */
  async run<Result>(network: string, work: () => Promise<Result>): Promise<Result> {
    if (this.#isBusy) await this.#wait(network);
    this.#isBusy = true;
    try {
      return await work();
    } finally {
      this.#next();
    }
  }

  #wait(network: string): Promise<void> {
    const own = this.#waiting.get(network)?.length ?? 0;
    if (own >= maxWaitingOfOne || (this.#total >= maxWaiting && !this.#makeRoom(own)))
      return Promise.reject(full());
    return new Promise((go, refuse) => {
      const queue = this.#waiting.get(network) ?? [];
      queue.push({ go, refuse });
      this.#waiting.set(network, queue);
      this.#total++;
    });
  }

  /** Rejects the last job of the longest queue, if that is longer than one of this length would become. */
  #makeRoom(length: number): boolean {
    let longest: [string, QueuedCall[]] | undefined;
    for (const entry of this.#waiting) if (entry[1].length > (longest?.[1].length ?? 0)) longest = entry;
    if (!longest || longest[1].length <= length + 1) return false;
    longest[1].pop()?.refuse(full());
    this.#total--;
    return true;
  }

  /** Runs the next network's job and moves that network to the end of the rotation. */
  #next(): void {
    const [entry] = this.#waiting;
    if (!entry) {
      this.#isBusy = false;
      return;
    }
    const [network, queue] = entry;
    const next = queue.shift();
    this.#total--;
    this.#waiting.delete(network);
    if (queue.length > 0) this.#waiting.set(network, queue);
    next?.go();
  }
}

function full(): Fault {
  return new Fault('TooManyRequests', 'Too many sign-ins are waiting.', {
    details: { retryAfterSeconds: 2 },
  });
}
