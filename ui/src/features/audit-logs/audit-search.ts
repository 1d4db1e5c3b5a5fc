/** The audit log's search parameters: user, action, object, the time range (ms since the epoch), and programs. */
export type AuditSearch = {
  readonly user?: string;
  readonly action?: string;
  readonly target?: string;
  readonly from?: number;
  readonly to?: number;
  /** With the entries that no person made. */
  readonly machines?: true;
};

const words = ['user', 'action', 'target'] as const;
const moments = ['from', 'to'] as const;

/** Parses the search parameters; invalid values are ignored. */
export function auditSearch(search: Readonly<Record<string, unknown>>): AuditSearch {
  const found: Record<string, string | number | true> = {};
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
  if (search['machines'] === true) found['machines'] = true;
  return found;
}
