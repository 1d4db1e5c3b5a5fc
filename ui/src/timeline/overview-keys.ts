import type { Overview } from './overview.ts';

const WEEK = 7;

const actions: Readonly<Record<string, (overview: Overview) => void>> = {
  ArrowLeft: (overview) => overview.turn(-1),
  ArrowDown: (overview) => overview.turn(-1),
  ArrowRight: (overview) => overview.turn(1),
  ArrowUp: (overview) => overview.turn(1),
  PageDown: (overview) => overview.turn(-WEEK),
  PageUp: (overview) => overview.turn(WEEK),
  Home: (overview) => overview.toFirst(),
  End: (overview) => overview.toNow(),
  Enter: (overview) => overview.play(),
};

/**
 * Handles a key of the overview, by `KeyboardEvent.key`: a day, a week, the ends, and Enter to play there;
 * false when the key has no meaning.
 */
export function overviewKey(overview: Overview, key: string): boolean {
  const act = Object.hasOwn(actions, key) ? actions[key] : undefined;
  act?.(overview);
  return act !== undefined;
}
