import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';

// The only place where a server test waits on the machine's clock: it always waits for a condition.

const lookMs = 5;

/** Waits until pending work has met a condition. After about a minute it fails and names the condition. */
export async function until(isTrue: () => boolean, what = 'what the test waits for'): Promise<void> {
  for (let looks = 0; !isTrue(); looks++) {
    assert.ok(looks < 12_000, `condition not met: ${what}`);
    await pause(lookMs);
  }
}

/** The same for a condition that takes time to find out, as one on a database does. */
export async function untilAsync(
  isTrue: () => Promise<boolean>,
  what = 'what the test waits for',
): Promise<void> {
  for (let looks = 0; !(await isTrue()); looks++) {
    assert.ok(looks < 12_000, `condition not met: ${what}`);
    await pause(lookMs);
  }
}

/**
 * Waits until a figure stays the same for this many consecutive checks, which means that its source is blocked.
 * Returns it.
 */
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

/**
 * Lets sockets, files and promises of this process proceed for this many turns, or fewer if `isOver` returns
 * true.
 */
export async function turns(count: number, isOver: () => boolean = () => false): Promise<void> {
  for (let turn = 0; turn < count && !isOver(); turn++) await pause(2);
}

/**
 * The result of the first attempt that does not fail with a transient error. After about a minute, fails with
 * the last error.
 */
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
