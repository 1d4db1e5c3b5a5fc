import type { Clock } from '../base/clock.ts';

/**
 * Does what `work` does, and settles at a whole multiple of `stepMs` after its beginning: how long it took, which depends on
 * who is known here, is not seen from outside.
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
