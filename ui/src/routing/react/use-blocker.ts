import { useEffect, useSyncExternalStore } from 'react';
import type { HeldNavigation } from '../router.ts';
import { useRouter } from './router-context.tsx';

/**
 * While it blocks, no step within the page leaves it without a word, and the browser asks before the tab is closed.
 * Returns the step that waits for somebody's word.
 */
export function useBlocker(isBlocking: boolean): HeldNavigation | null {
  const router = useRouter();
  useEffect(() => {
    if (!isBlocking) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    const release = router.block();
    return () => {
      window.removeEventListener('beforeunload', ask);
      release();
    };
  }, [router, isBlocking]);
  return useSyncExternalStore(router.subscribe, () => router.get().held);
}
