/** The parts of the browser's window that scroll restoration needs. */
interface ScrolledView {
  readonly scrollY: number;
  scrollTo(options: { top: number }): void;
  addEventListener(name: string, listener: () => void, options?: { passive: boolean }): void;
  removeEventListener(name: string, listener: () => void): void;
}

export interface ScrollOptions {
  readonly view: ScrolledView;
  /** Calls back when the height of the screen changes; returns the unsubscribe function. */
  readonly onGrowth: (listener: () => void) => () => void;
  /** Calls back once after a delay; returns the cancel function. */
  readonly after: (delayMs: number, run: () => void) => () => void;
}

/** Content that loads later than this is not awaited. */
const PATIENCE_MS = 5000;
const REACHED_PX = 1;
/** Events caused by a user who scrolls. */
const OWN_MOVES = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/**
 * Restores a screen's scroll position. Its content may still be loading: scrolling continues as it grows, until
 * the position is reached, the user scrolls, or the time is over.
 * @returns a function that stops it earlier
 */
export function scrollBack(top: number, { view, onGrowth, after }: ScrollOptions): () => void {
  const isThere = () => Math.abs(view.scrollY - top) <= REACHED_PX;
  if (!isThere()) view.scrollTo({ top });
  if (isThere()) return () => {};
  const end = () => {
    stopGrowth();
    stopTimer();
    for (const move of OWN_MOVES) view.removeEventListener(move, end);
  };
  const stopTimer = after(PATIENCE_MS, () => end());
  const stopGrowth = onGrowth(() => {
    view.scrollTo({ top });
    if (isThere()) end();
  });
  for (const move of OWN_MOVES) view.addEventListener(move, end, { passive: true });
  return end;
}
