import type { Clock } from '../base/clock.ts';

/**
 * Runs `work` and settles at a whole multiple of `stepMs` after the start, so that the time it takes, which
 * depends on which accounts exist, is not visible from outside.
 */
export async function inEvenTime<Result>(
  clock: Clock,
  stepMs: number,
  work: () => Promise<Result>,
): Promise<Result> {
  const startMs = clock.monotonicMs();
  try {
    return await work();
  } finally {
    const spentMs = clock.monotonicMs() - startMs;
    await new Promise<void>((resolve) => clock.after(stepMs - (spentMs % stepMs), resolve));
  }
}
