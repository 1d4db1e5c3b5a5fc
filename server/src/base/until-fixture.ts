import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

// The only place where a test on the server's side waits by the clock of the machine: it always waits for something.

const lookMs = 5;

/** Waits until work under way has brought a condition about. Fails after about a minute with what never came. */
export async function until(isTrue: () => boolean, what = 'what the test waits for'): Promise<void> {
  for (let looks = 0; !isTrue(); looks++) {
    assert.ok(looks < 12_000, `never came: ${what}`);
    await pause(lookMs);
  }
}

/** Waits until a figure was the same in so many looks in a row: what moves it is held up. Returns it. */
export async function settled(figure: () => number, looksInARow = 60): Promise<number> {
  let last = figure();
  for (let same = 0; same < looksInARow;) {
    await pause(lookMs);
    const now = figure();
    same = now === last ? same + 1 : 0;
    last = now;
  }
  return last;
}

/** Lets sockets, files and promises of this process go on, in so many turns, or fewer when `isOver` says so. */
export async function turns(count: number, isOver: () => boolean = () => false): Promise<void> {
  for (let turn = 0; turn < count && !isOver(); turn++) await pause(2);
}

/** The result of the first attempt that does not fail with what may pass. Fails with the last error after about a minute. */
export async function eventually<T>(
  attempt: () => Promise<T>,
  mayPass: (error: unknown) => boolean,
): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (tries === 3_000 || !mayPass(error)) throw error;
      await pause(20);
    }
  }
}
