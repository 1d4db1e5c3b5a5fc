import { useCallback, useSyncExternalStore, type RefObject } from 'react';

/** The full-screen state of one element, as the browser reports it, and its toggle. */
export function useFullScreen(element: RefObject<HTMLElement | null>): readonly [boolean, () => void] {
  const isFullScreen = useSyncExternalStore(subscribe, () => document.fullscreenElement !== null);
  const toggle = useCallback(() => {
    const change = document.fullscreenElement
      ? document.exitFullscreen()
      : element.current?.requestFullscreen();
    // A browser may refuse (in a frame, by policy); the page then stays as it is.
    change?.catch((error: unknown) => {
      if (!(error instanceof TypeError)) throw error;
    });
  }, [element]);
  return [isFullScreen, toggle];
}

function subscribe(listener: () => void): () => void {
  document.addEventListener('fullscreenchange', listener);
  return () => document.removeEventListener('fullscreenchange', listener);
}
