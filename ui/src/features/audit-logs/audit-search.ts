/** The audit log's search parameters: user, action, object, and the time range (ms since the epoch). */
export type AuditSearch = {
  readonly user?: string;
  readonly action?: string;
  readonly target?: string;
  readonly from?: number;
  readonly to?: number;
};

const words = ['user', 'action', 'target'] as const;
const moments = ['from', 'to'] as const;

/** Parses the search parameters; invalid values are ignored. */
export function auditSearch(search: Readonly<Record<string, unknown>>): AuditSearch {
  const found: Record<string, string | number> = {};
  for (const name of words) {
    const value = search[name];
    // The router parses a numeric value as a number.
    const text = typeof value === 'number' ? String(value) : value;
    if (typeof text === 'string' && text.trim() !== '') found[name] = text.trim();
  }
  for (const name of moments) {
    const ms = search[name];
    if (typeof ms === 'number' && Number.isSafeInteger(ms) && ms >= 0) found[name] = ms;
  }
  return found;
}
