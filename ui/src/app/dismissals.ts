import { pageTimes } from '@vidette/contract/constants';

// Warnings that somebody has put away [R4.11]: key of the warning -> ISO time until which it stays away.

const key = 'vidette.dismissedWarnings';
const dayMs = 86_400_000;

/** Warning key -> ISO time. */
export type Dismissals = Readonly<Record<string, string>>;

/** Loads what was put away, dropping and forgetting what has expired or can't be read. */
export function loadDismissals(storage: Pick<Storage, 'getItem' | 'setItem'>, nowMs: number): Dismissals {
  const stored = parse(storage.getItem(key));
  // Nothing is put away for longer than the page does it, whatever is written there.
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

/** Puts a warning away for seven days. */
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
    // Not ours, or half written: the worst that follows is a warning shown again.
    return {};
  }
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}
