import { useEffect, type RefObject } from 'react';

/**
 * The number of animation frames for which a button that waits for its call may still be disabled after its
 * dialog has closed.
 */
const PATIENCE_FRAMES = 120;

/**
 * Restores the focus when a dialog closes. The library does so by itself only where the dialog stays mounted, has taken the
 * focus before it closes, and was opened by the element that still has it: a button that waits for its call is disabled, and
 * has lost it, and an item of a menu is gone.
 * @param opener the element that opened the dialog, if known; else the element that had the focus, or the
 * button that waits
 */
export function useFocusBack(isOpen: boolean, opener?: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    if (!isOpen) return;
    const target =
      opener?.current ?? lasting(focused()) ?? document.querySelector<HTMLElement>('[data-loading]');
    return () => {
      if (target) focusWhenEnabled(target, PATIENCE_FRAMES);
    };
  }, [isOpen, opener]);
}

function focused(): HTMLElement | null {
  const { activeElement, body } = document;
  return activeElement instanceof HTMLElement && activeElement !== body ? activeElement : null;
}

/** The button of a menu, for its items: they are gone when the menu has closed. */
function lasting(element: HTMLElement | null): HTMLElement | null {
  const button = element?.closest('[role=menu]')?.getAttribute('aria-labelledby');
  return button ? document.getElementById(button) : element;
}

/** Unless the user has moved the focus elsewhere meanwhile. */
function focusWhenEnabled(target: HTMLElement, frames: number): void {
  requestAnimationFrame(() => {
    const isElsewhere = focused()?.closest('[role=dialog]') === null;
    if (frames === 0 || isElsewhere || !target.isConnected) return;
    target.focus();
    if (document.activeElement !== target) focusWhenEnabled(target, frames - 1);
  });
}
