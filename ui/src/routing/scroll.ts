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
  /** Called when the position is reached or the user scrolls. */
  readonly onEnd: () => void;
}

const REACHED_PX = 1;
/** Events caused by a user who scrolls. */
const OWN_MOVES = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/**
 * Restores a screen's scroll position. Its content may still be loading, for as long as a slow server takes: scrolling
 * continues as it grows, until the position is reached or the user scrolls.
 * @returns a function that stops it earlier
 */
export function scrollBack(top: number, { view, onGrowth, onEnd }: ScrollOptions): () => void {
  const isReached = () => {
    if (Math.abs(view.scrollY - top) > REACHED_PX) view.scrollTo({ top });
    return Math.abs(view.scrollY - top) <= REACHED_PX;
  };
  if (isReached()) {
    onEnd();
    return () => {};
  }
  const stop = () => {
    stopGrowth();
    for (const move of OWN_MOVES) view.removeEventListener(move, end);
  };
  const end = () => {
    stop();
    onEnd();
  };
  const stopGrowth = onGrowth(() => {
    if (isReached()) end();
  });
  for (const move of OWN_MOVES) view.addEventListener(move, end, { passive: true });
  return stop;
}
