/** Maximum number of recorded members of one change; of the rest only the number is recorded. */
const maxChanges = 60;
const maxTextLength = 300;

/** Value of a member before and after. */
export type AuditChange = readonly [before: unknown, after: unknown];

/**
 * The differences between two views of one object, by path as in `archive.depthHours`, for the audit log. The
 * only secrets in views are those in addresses, which the log redacts. Lists count as one value.
 */
export function changesBetween(before: object, after: object): Record<string, AuditChange> {
  const [old, next] = [leavesOf(before), leavesOf(after)];
  const changes: Record<string, AuditChange> = {};
  let left = 0;
  for (const path of new Set([...old.keys(), ...next.keys()])) {
    const [from, to] = [old.get(path) ?? null, next.get(path) ?? null];
    if (JSON.stringify(from) === JSON.stringify(to)) continue;
    if (Object.keys(changes).length >= maxChanges) left++;
    else changes[path] = [shortened(from), shortened(to)];
  }
  return left === 0 ? changes : { ...changes, '...': [null, left] };
}

/** The rows of a list as members by key, so that a changed row is one change. */
export function byKey<Row extends object>(rows: readonly Row[], keyOf: (row: Row) => string): object {
  return Object.fromEntries(rows.map((row) => [keyOf(row), givenOf(row)]));
}

/** For rows of rights, the rights that are granted, as in `view, archive`; for others the row itself. */
function givenOf(row: object): unknown {
  const given = Object.entries(row).filter(([, value]) => typeof value === 'boolean');
  return given.length === 0 ? row : given.flatMap(([name, value]) => (value ? [name] : []));
}

function leavesOf(tree: object, path = '', found = new Map<string, unknown>()): Map<string, unknown> {
  for (const [name, value] of Object.entries(tree)) {
    const here = path === '' ? name : `${path}.${name}`;
    const isBranch = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (isBranch) leavesOf(value as object, here, found);
    else found.set(here, value);
  }
  return found;
}

function shortened(value: unknown): unknown {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text === undefined || text.length <= maxTextLength ? value : `${text.slice(0, maxTextLength)}…`;
}
