/** The rights on a stream. Any other right includes viewing. */
export const rightNames = ['view', 'archive', 'share', 'edit'] as const;
export type RightName = (typeof rightNames)[number];
export type Rights = Readonly<Record<RightName, boolean>>;

/** One line of a list of rights: the user or stream it applies to. */
export interface RightsRow {
  /** A login, or the uid of a stream. */
  readonly id: string;
  readonly name: string;
  readonly rights: Rights;
}

/** Viewing only, which a new line starts with. */
export const viewOnly: Rights = { view: true, archive: false, share: false, edit: false };

/** The rights after granting or revoking one: any right includes viewing, and without viewing none is left. */
export function withRight(rights: Rights, name: RightName, isGiven: boolean): Rights {
  if (name === 'view' && !isGiven) return { view: false, archive: false, share: false, edit: false };
  return { ...rights, [name]: isGiven, view: true };
}

/** The list with lines added at the top, except those it has already, whatever the case of their logins. */
export function withRows(
  rows: readonly RightsRow[],
  lines: readonly Pick<RightsRow, 'id' | 'name'>[],
): readonly RightsRow[] {
  const known = new Set(rows.map(({ id }) => id.toLowerCase()));
  const added = lines.filter(({ id }) => !known.has(id.toLowerCase()));
  return added.length === 0
    ? rows
    : [...added.map(({ id, name }) => ({ id, name, rights: viewOnly })), ...rows];
}

/** Whether two lists are equal, ignoring order. */
export function sameRights(a: readonly RightsRow[], b: readonly RightsRow[]): boolean {
  if (a.length !== b.length) return false;
  const other = new Map(b.map(({ id, rights }) => [id, rights]));
  return a.every(({ id, rights }) => rightNames.every((name) => other.get(id)?.[name] === rights[name]));
}
