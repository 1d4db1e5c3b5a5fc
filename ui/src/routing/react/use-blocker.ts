import { useEffect, useSyncExternalStore } from 'react';
import type { HeldNavigation } from '../router.ts';
import { useRouter } from './router-context.tsx';

/**
 * While it blocks, navigation within the page waits for a confirmation, and the browser asks before the tab is
 * closed. Returns the navigation that waits for the user's answer.
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
