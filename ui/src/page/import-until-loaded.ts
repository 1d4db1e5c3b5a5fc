import { Backoff } from '../base/backoff.ts';
import type { PageClock } from '../base/clock.ts';

/**
 * Loads a part of the page, again after a growing pause (1 to 30 s) while it can't be loaded. For parts that appear by
 * themselves: a `lazy` component or an effect that failed once would be missing until the page is reloaded.
 */
export async function importUntilLoaded<T>(load: () => Promise<T>, clock: PageClock): Promise<T> {
  const pauses = new Backoff({ firstMs: 1_000, longestMs: 30_000 });
  for (;;) {
    try {
      return await load();
    } catch {
      // The reason does not matter: the server is unreachable or restarting, and both pass.
      await new Promise<void>((resolve) => clock.after(pauses.next(), resolve));
    }
  }
}
