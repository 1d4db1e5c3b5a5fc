import { useCallback, useSyncExternalStore, type RefObject } from 'react';

/** Full screen of one element, as the browser says it is, and a switch for it. */
export function useFullScreen(element: RefObject<HTMLElement | null>): readonly [boolean, () => void] {
  const isFullScreen = useSyncExternalStore(subscribe, () => document.fullscreenElement !== null);
  const toggle = useCallback(() => {
    const change = document.fullscreenElement
      ? document.exitFullscreen()
      : element.current?.requestFullscreen();
    // A browser may refuse (in a frame, by policy); the page then simply stays as it is.
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
