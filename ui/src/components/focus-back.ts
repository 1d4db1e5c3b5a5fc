import { useEffect, type RefObject } from 'react';

/** So many frames a button that waits for its call may still be disabled after its dialog has ended. */
const PATIENCE_FRAMES = 120;

/**
 * Gives the focus back when a dialog ends. The library does so by itself only where the dialog stays mounted and was opened by
 * what still has the focus: a button that waits for its call is disabled, and has lost it.
 * @param opener what the dialog belongs to, where that is known; else what had the focus, or the button that waits
 */
export function useFocusBack(isOpen: boolean, opener?: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (!isOpen) return;
    const target = opener?.current ?? focused() ?? document.querySelector<HTMLElement>('[data-loading]');
    return () => {
      if (target) focusWhenEnabled(target, PATIENCE_FRAMES);
    };
  }, [isOpen, opener]);
}

function focused(): HTMLElement | null {
  const { activeElement, body } = document;
  return activeElement instanceof HTMLElement && activeElement !== body ? activeElement : null;
}

/** Unless a person has put the focus elsewhere meanwhile. */
function focusWhenEnabled(target: HTMLElement, frames: number): void {
  requestAnimationFrame(() => {
    const isElsewhere = focused()?.closest('[role=dialog]') === null;
    if (frames === 0 || isElsewhere || !target.isConnected) return;
    target.focus();
    if (document.activeElement !== target) focusWhenEnabled(target, frames - 1);
  });
}
