/** What returning to a scrolled place needs of the browser's window. */
interface ScrolledView {
  readonly scrollY: number;
  scrollTo(options: { top: number }): void;
  addEventListener(name: string, listener: () => void, options?: { passive: boolean }): void;
  removeEventListener(name: string, listener: () => void): void;
}

export interface ScrollOptions {
  readonly view: ScrolledView;
  /** Calls back whenever the screen has another height; returns how to stop that. */
  readonly onGrowth: (listener: () => void) => () => void;
  /** Calls back once, so much later; returns how to stop that. */
  readonly after: (delayMs: number, run: () => void) => () => void;
}

/** What is not here by then is not waited for. */
const PATIENCE_MS = 5000;
const REACHED_PX = 1;
/** Events of a person who scrolls. */
const OWN_MOVES = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/**
 * Brings a screen to where it was scrolled. What makes it so long may still be on its way: it is scrolled on as it grows,
 * until it is there, the person scrolls, or patience ends.
 * @returns how to end it sooner
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
