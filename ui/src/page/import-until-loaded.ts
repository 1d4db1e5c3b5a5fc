import { Backoff } from '../base/backoff.ts';
import type { PageClock } from '../base/clock.ts';
import type { PageVersion } from './page-version.ts';

/**
 * Loads a part of the page, again after a growing pause (1 to 30 s) while it can't be loaded. For parts that appear by
 * themselves: a `lazy` component or an effect that failed once would be missing until the page is reloaded. Never ends if the
 * server has another version of the page, which offers to reload.
 */
export async function importUntilLoaded<T>(
  load: () => Promise<T>,
  clock: PageClock,
  version: Pick<PageVersion, 'check'>,
): Promise<T> {
  const pauses = new Backoff({ firstMs: 1_000, longestMs: 30_000 });
  for (;;) {
    try {
      return await load();
    } catch {
      // Otherwise the server is unreachable or restarting, and both pass.
      if (await version.check()) return new Promise(() => {});
      await new Promise<void>((resolve) => clock.after(pauses.next(), resolve));
    }
  }
}
