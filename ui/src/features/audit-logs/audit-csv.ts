import type { AuditEntry } from '@vidette/contract/entities';

const columns = ['time', 'user', 'ip', 'action', 'target', 'targetName', 'outcome', 'details'] as const;

/** Entries as CSV (RFC 4180): a header line, times in ISO 8601, details as JSON. */
export function auditCsv(entries: readonly AuditEntry[]): string {
  const lines = entries.map(({ time, user, ip, action, target, targetName, outcome, details }) => [
    new Date(time).toISOString(),
    user ?? '',
    ip,
    action,
    target ?? '',
    targetName ?? '',
    outcome,
    Object.keys(details).length === 0 ? '' : JSON.stringify(details),
  ]);
  return [columns, ...lines].map((line) => `${line.map(cell).join(',')}\r\n`).join('');
}

/** Names are user input: an apostrophe keeps a spreadsheet from evaluating one as a formula. */
function cell(text: string): string {
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
