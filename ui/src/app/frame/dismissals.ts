import { pageTimes } from '@vidette/contract/constants';

// Dismissed warnings [R4.11]: key of the warning -> ISO time until which it stays hidden.

const key = 'vidette.dismissedWarnings';
const dayMs = 86_400_000;

/** Warning key -> ISO time. */
export type Dismissals = Readonly<Record<string, string>>;

/** Loads the dismissals, dropping the ones that have expired or can't be parsed. */
export function loadDismissals(storage: Pick<Storage, 'getItem' | 'setItem'>, nowMs: number): Dismissals {
  const stored = parse(storage.getItem(key));
  // No dismissal lasts longer than the page's own limit, whatever is stored.
  const latestMs = nowMs + pageTimes.dismissedWarningDays * dayMs;
  const fresh = Object.fromEntries(
    Object.entries(stored).filter(([, until]) => {
      const untilMs = Date.parse(until);
      return untilMs > nowMs && untilMs <= latestMs;
    }),
  );
  storage.setItem(key, JSON.stringify(fresh));
  return fresh;
}

/** Dismisses a warning for seven days. */
export function dismiss(
  storage: Pick<Storage, 'getItem' | 'setItem'>,
  warning: string,
  nowMs: number,
): Dismissals {
  const until = new Date(nowMs + pageTimes.dismissedWarningDays * dayMs).toISOString();
  const all = { ...loadDismissals(storage, nowMs), [warning]: until };
  storage.setItem(key, JSON.stringify(all));
  return all;
}

function parse(text: string | null): Record<string, string> {
  if (text === null) return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // Foreign or truncated data: the worst result is that a warning is shown again.
    return {};
  }
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
