import type { Insertable, Selectable, SelectType, Updateable } from 'kysely';

/** A boolean as both engines store it. */
export type Flag = 0 | 1;

export function flag(value: boolean): Flag {
  return value ? 1 : 0;
}

/** A member of a domain object that its column stores in another form. */
interface StoredAs<Column, Value> {
  readonly column: Column;
  readonly read: (stored: unknown) => Value;
  readonly write: (value: Value) => unknown;
}

type SameType<A, B> = [A] extends [B] ? ([B] extends [A] ? true : false) : false;

type ColumnsOf<Row, Value> = {
  [Column in keyof Row & string]: SameType<SelectType<Row[Column]>, Value> extends true ? Column : never;
}[keyof Row & string];

type Place<Row, Value> =
  | ColumnsOf<Row, Value>
  | ([Value] extends [boolean]
      ? StoredAs<ColumnsOf<Row, Flag>, boolean>
      : StoredAs<ColumnsOf<Row, string>, Value>)
  | ([Value] extends [readonly unknown[]]
      ? never
      : [Value] extends [object]
        ? MemberColumns<Row, Value>
        : never);

/** The column of each member of a domain object; for a group of members, their columns. */
export type MemberColumns<Row, Domain> = {
  readonly [Member in keyof Domain]-?: Place<Row, Domain[Member]>;
};

/** Members to store: those that are absent or undefined are left as they are. */
export type Changes<Domain> = {
  [Member in keyof Domain]?:
    | (Domain[Member] extends readonly unknown[]
        ? Domain[Member]
        : Domain[Member] extends object
          ? Changes<Domain[Member]>
          : Domain[Member])
    | undefined;
};

/** Some members to change; those that are absent or undefined stay as they are. */
export type Edited<Domain, Members extends keyof Domain> = {
  -readonly [Member in Members]?: Domain[Member] | undefined;
};

/** Maps a table's columns to a domain object and back; the only place that does. */
export interface RowMapping<Row, Domain> {
  /** The domain object of a row, with domain names, booleans and parsed JSON. */
  readonly read: (row: Selectable<Row>) => Domain;
  /** The columns of the given members. */
  readonly columns: (changes: Changes<Domain>) => Updateable<Row>;
  /** A row to insert; a column without a value gets the table's default. */
  readonly row: (members: Changes<Domain>) => Insertable<Row>;
}

/** A boolean, stored as 0 or 1. */
export function flagColumn<const Column extends string>(column: Column): StoredAs<Column, boolean> {
  // Number: drivers return integers as numbers, bigints or text, and PostgreSQL's own booleans as such.
  return { column, read: (stored) => Number(stored) === 1, write: flag };
}

/** A value that is stored as JSON, not validated on reading: only the store writes the column. */
export function jsonColumn<const Column extends string, Value>(column: Column): StoredAs<Column, Value> {
  return {
    column,
    read: (stored) => JSON.parse(String(stored)) as Value,
    write: (value) => JSON.stringify(value),
  };
}

type Members = Readonly<Record<string, unknown>>;

/** One mapping for a table: `rowMapping<MosaicRow, MosaicRecord>({ isShared: flagColumn('is_shared'), ... })`. */
export function rowMapping<Row, Domain extends object>(
  columns: MemberColumns<Row, Domain>,
): RowMapping<Row, Domain> {
  const toColumns = (members: object) => Object.fromEntries(written(columns, members as Members));
  return {
    read: (row) => readMembers(columns, row as Members) as Domain,
    columns: (changes) => toColumns(changes) as Updateable<Row>,
    row: (members) => toColumns(members) as Insertable<Row>,
  };
}

function readMembers(columns: object, row: Members): object {
  const members: Record<string, unknown> = {};
  for (const [member, place] of Object.entries(columns) as [string, string | object][]) {
    if (typeof place === 'string') members[member] = row[place];
    else if (isStoredAs(place)) members[member] = place.read(row[place.column]);
    else members[member] = readMembers(place, row);
  }
  return members;
}

function* written(columns: object, members: Members): Generator<[string, unknown]> {
  for (const [member, place] of Object.entries(columns) as [string, string | object][]) {
    const value = members[member];
    if (value === undefined) continue;
    if (typeof place === 'string') yield [place, value];
    else if (isStoredAs(place)) yield [place.column, place.write(value)];
    else yield* written(place, value as Members);
  }
}

function isStoredAs(place: object): place is StoredAs<string, unknown> {
  return 'read' in place;
}
