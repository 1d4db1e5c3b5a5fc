/** A heading that loads later than this is not awaited, ms. */
const patienceMs = 5000;
/** Events caused by a user who is already using the screen. */
const ownMoves = ['pointerdown', 'keydown'] as const;

/**
 * Moves the focus to the heading of a screen that has just been navigated to, so that a screen reader announces it and
 * the Tab key continues from there (WCAG 2.2, 2.4.3). Focus inside the screen stays: a field that the screen focuses, a
 * tab that was followed. A dialog keeps the focus until it closes. The heading may still be loading.
 * @returns a function that stops it earlier
 */
export function focusHeading(screen: HTMLElement): () => void {
  const isOver = () => {
    const { activeElement } = document;
    // While a screen loads, the previous one is hidden, with the element that was focused in it.
    if (activeElement && screen.contains(activeElement) && activeElement.checkVisibility()) return true;
    if (activeElement?.closest('[role=dialog]')) return false;
    const heading = screen.querySelector<HTMLElement>('h1');
    if (!heading?.checkVisibility() || heading.textContent.trim() === '') return false;
    heading.tabIndex = -1;
    // The scroll position is restored separately.
    heading.focus({ preventScroll: true });
    return true;
  };
  if (isOver()) return () => {};
  const end = () => {
    observer.disconnect();
    clearTimeout(timer);
    document.removeEventListener('focusin', look);
    for (const move of ownMoves) window.removeEventListener(move, onOwnMove);
  };
  const look = () => {
    if (isOver()) end();
  };
  const startedMs = performance.now();
  // The key that led here may still be on its way to the window.
  const onOwnMove = ({ timeStamp }: Event) => {
    if (timeStamp > startedMs) end();
  };
  const observer = new MutationObserver(look);
  // Dialogs are beside the screen; one that closes may leave the focus nowhere, without an event.
  observer.observe(document.body, { childList: true, subtree: true, characterData: true });
  document.addEventListener('focusin', look);
  const timer = setTimeout(end, patienceMs);
  for (const move of ownMoves) window.addEventListener(move, onOwnMove);
  return end;
}
