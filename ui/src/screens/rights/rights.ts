/** What may be done with a stream. Whoever may do anything may view. */
export const rightNames = ['view', 'archive', 'share', 'edit'] as const;
export type RightName = (typeof rightNames)[number];
export type Rights = Readonly<Record<RightName, boolean>>;

/** One line of a list of rights: whom or what it is about. */
export interface RightsRow {
  /** A login, or the uid of a stream. */
  readonly id: string;
  readonly name: string;
  readonly rights: Rights;
}

/** Viewing alone, which a new line starts with. */
export const viewOnly: Rights = { view: true, archive: false, share: false, edit: false };

/** The rights after one was given or taken: any of them brings viewing along, and without it none is left. */
export function withRight(rights: Rights, name: RightName, isGiven: boolean): Rights {
  if (name === 'view' && !isGiven) return { view: false, archive: false, share: false, edit: false };
  return { ...rights, [name]: isGiven, view: true };
}

/** The list with a line added at its top, or the list itself when the line is there already. */
export function withRow(rows: readonly RightsRow[], id: string, name: string): readonly RightsRow[] {
  const isThere = rows.some((row) => row.id.toLowerCase() === id.toLowerCase());
  return isThere ? rows : [{ id, name, rights: viewOnly }, ...rows];
}

/** Whether two lists say the same, in whatever order. */
export function sameRights(a: readonly RightsRow[], b: readonly RightsRow[]): boolean {
  if (a.length !== b.length) return false;
  const other = new Map(b.map(({ id, rights }) => [id, rights]));
  return a.every(({ id, rights }) => rightNames.every((name) => other.get(id)?.[name] === rights[name]));
}
