import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FoundFolder, FoundRecording } from '../../archive/imported/imported.ts';
import { type Fields, type NamePattern, patternsOf } from './recording-template.ts';

/** Where a program puts the recordings of a camera. */
export interface RecordingLayout {
  /** The folder of all recordings. */
  readonly root: string;
  /** Paths below it: see `recording-template.ts`. */
  readonly template: string;
  readonly others?: readonly OtherName[] | undefined;
  /** Names contain UTC, or the time of a zone, which is that of this process. */
  readonly isUtc: boolean;
}

/** Files in the folders of a camera's recordings whose names differ. */
interface OtherName {
  /** The last part of a template. */
  readonly name: string;
  /** Why they are left out; undefined: they are recordings, too. */
  readonly reason?: string;
}

/** Where a configuration puts recordings. */
export interface RecordPath {
  /** Relative to the configuration's folder, as `RecordingLayout.template`. */
  readonly path: string;
  readonly others: readonly OtherName[];
}

/** Says what a listing leaves out. */
export type NoteLeftOut = (reason: string, example: string) => void;

/** What names of one part of a path may be. */
interface PartName extends NamePattern {
  /** Why files with such names are left out. */
  readonly reason: string | undefined;
}

const hourMs = 3_600_000;
/** Of a camera; a year of recordings of ten seconds in one folder has three million. */
const filesPerFolderMax = 4_000_000;
/** Years that a recording can be of. */
const years = { from: 2000, to: 2100 };

/** How exact times are, ms. */
function stepOf(fields: Fields): number {
  return fields.f === undefined ? 1000 : 1;
}

/**
 * Lists the recordings of a camera, one folder at a time in the order of their names, without following symbolic links. Folders
 * that can't be read are noted.
 */
export async function* listRecordings(
  { root, template, others = [], isUtc }: RecordingLayout,
  camera: string,
  note: NoteLeftOut,
): AsyncGenerator<FoundFolder, void, undefined> {
  if (camera.split('/').some((part) => part === '' || part === '.' || part === '..')) return;
  yield* listFolder({ root, isUtc, note }, '', partsOf(template, others, camera), {});
}

/** What each part of a path may be. */
function partsOf(template: string, others: readonly OtherName[], camera: string): PartName[][] {
  const folders = template.split('/');
  const names: readonly OtherName[] = [{ name: folders.pop() ?? '' }, ...others];
  // A name that contains `%path` has as many parts as the other names.
  const ends = names.map(({ name, reason }) =>
    patternsOf(name, camera).map((pattern) => ({ ...pattern, reason })),
  );
  return [
    ...folders.flatMap((part) => patternsOf(part, camera).map((one) => [{ ...one, reason: undefined }])),
    ...(ends[0] ?? []).map((_, index) => ends.flatMap((end) => end[index] ?? [])),
  ];
}

interface Listing {
  readonly root: string;
  readonly isUtc: boolean;
  readonly note: NoteLeftOut;
}

async function* listFolder(
  listing: Listing,
  folder: string,
  parts: readonly (readonly PartName[])[],
  known: Fields,
): AsyncGenerator<FoundFolder, void, undefined> {
  const [part, ...rest] = parts;
  if (!part) return;
  const recordings: FoundRecording[] = [];
  for (const entry of await entriesOf(listing, folder)) {
    const named = part.find(({ pattern }) => pattern.test(entry.name));
    if (!named) continue;
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    const fields = { ...known, ...fieldsOf(named, entry.name) };
    if (named.reason !== undefined) listing.note(named.reason, path);
    else if (entry.isSymbolicLink()) listing.note('it is a symbolic link', path);
    else if (rest.length > 0 && entry.isDirectory()) yield* listFolder(listing, path, rest, fields);
    else if (rest.length === 0 && entry.isFile()) {
      const startsMs = timesOf(fields, listing.isUtc);
      if (startsMs.length === 0) listing.note('its name has no valid time', path);
      else if (recordings.length === filesPerFolderMax) listing.note('its folder has too many files', path);
      else recordings.push({ name: entry.name, startsMs, stepMs: stepOf(fields) });
    }
  }
  if (recordings.length > 0) yield { folder, recordings };
}

function fieldsOf({ pattern, fields }: NamePattern, name: string): Fields {
  const match = pattern.exec(name);
  return Object.fromEntries(fields.map((field, at) => [field, match?.[at + 1]]));
}

/** Sorted by name. */
async function entriesOf({ root, note }: Listing, folder: string): Promise<Dirent[]> {
  try {
    const entries = await readdir(join(root, folder), { withFileTypes: true });
    return entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    note(`the folder can't be read (${code})`, folder === '' ? root : folder);
    return [];
  }
}

/** The times that a name may stand for, ms since the epoch: two in the hour that occurs twice when clocks are set back. */
function timesOf(fields: Fields, isUtc: boolean): number[] {
  const micros = Number(fields.f ?? 0) / 1000;
  if (fields.s !== undefined) return [Number(fields.s) * 1000 + micros];
  const [year, month, day, hour, minute, second] = (['Y', 'm', 'd', 'H', 'M', 'S'] as const).map((field) =>
    Number(fields[field] ?? Number.NaN),
  );
  if ([year, month, day, hour, minute].some((value) => value === undefined || Number.isNaN(value))) return [];
  if (year === undefined || year < years.from || year > years.to) return [];
  const numbers = [year, (month ?? 1) - 1, day ?? 1, hour ?? 0, minute ?? 0, second ?? 0] as const;
  const asUtc = Date.UTC(...numbers);
  // The 31st of February is another day.
  if (new Date(asUtc).getUTCMonth() !== numbers[1] || new Date(asUtc).getUTCHours() !== numbers[3]) return [];
  if (fields.z !== undefined) return [asUtc - offsetMs(fields.z) + micros];
  if (isUtc) return [asUtc + micros];
  const local = new Date(...numbers).getTime();
  const isSameTime = (ms: number) => ms !== local && new Date(ms).getHours() === hour;
  return [local, ...[local - hourMs, local + hourMs].filter(isSameTime)].map((ms) => ms + micros);
}

function offsetMs(zone: string): number {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3));
  return (zone.startsWith('-') ? -1 : 1) * minutes * 60_000;
}
