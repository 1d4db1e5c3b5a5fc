import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type FoundFolder, type FoundRecording, unreadableReason } from '../../archive/imported/imported.ts';
import { LocalTimes } from './local-times.ts';
import { type Fields, type NamePattern, type OtherName, patternsOf } from './recording-template.ts';

/** Where a program puts the recordings of a camera. */
export interface RecordingLayout {
  /** The folder of all recordings. */
  readonly root: string;
  /** Paths below it: see `recording-template.ts`. */
  readonly template: string;
  readonly others?: readonly OtherName[] | undefined;
  /** The IANA name of the zone whose times names contain; null: they contain UTC, whatever zone that program is in. */
  readonly zone: string | null;
}

/** Says what a listing leaves out. */
export type NoteLeftOut = (reason: string, example: string) => void;

/** What names of one part of a path may be. */
interface PartName extends NamePattern {
  /** Why files with such names are left out. */
  readonly reason: string | undefined;
}

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
  { root, template, others = [], zone }: RecordingLayout,
  camera: string,
  note: NoteLeftOut,
): AsyncGenerator<FoundFolder, void, undefined> {
  if (camera.split('/').some((part) => part === '' || part === '.' || part === '..')) return;
  yield* listFolder(
    { root, times: new LocalTimes(zone ?? 'UTC'), isLocal: zone !== null, note },
    '',
    partsOf(template, others, camera),
    {},
  );
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
  readonly times: LocalTimes;
  readonly isLocal: boolean;
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
      const named = timesOf(fields, listing);
      if (!named) listing.note('its name has no valid time', path);
      else if (recordings.length === filesPerFolderMax) listing.note('its folder has too many files', path);
      else recordings.push({ name: entry.name, ...named, stepMs: stepOf(fields) });
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
    note(`a folder is left out: ${unreadableReason(code)}`, folder === '' ? root : folder);
    return [];
  }
}

/** The times that a name may stand for; undefined if it is none. */
function timesOf(
  fields: Fields,
  { times, isLocal }: Listing,
): Pick<FoundRecording, 'startsMs' | 'isLocal'> | undefined {
  const micros = Number(fields.f ?? 0) / 1000;
  if (fields.s !== undefined) return { startsMs: [Number(fields.s) * 1000 + micros] };
  const shownMs = shownTimeOf(fields);
  if (shownMs === undefined) return undefined;
  if (fields.z !== undefined) return { startsMs: [shownMs - offsetMs(fields.z) + micros] };
  return { startsMs: times.timesOf(shownMs).map((ms) => ms + micros), isLocal };
}

/** What a clock shows, as if it were UTC; undefined if no clock shows it. */
function shownTimeOf(fields: Fields): number | undefined {
  const [year = 0, month = 0, ...others] = (['Y', 'm', 'd', 'H', 'M', 'S'] as const).map((field) =>
    Number(fields[field] ?? (field === 'S' ? 0 : Number.NaN)),
  );
  const [day = 0, hour = 0, minute = 0, second = 0] = others;
  if (!(year >= years.from && year <= years.to)) return undefined;
  const shownMs = Date.UTC(year, month - 1, day, hour, minute, second);
  if (Number.isNaN(shownMs)) return undefined;
  const shown = new Date(shownMs);
  // The 31st of February is another day, and 25 o'clock another hour.
  return shown.getUTCMonth() === month - 1 && shown.getUTCHours() === hour ? shownMs : undefined;
}

function offsetMs(zone: string): number {
  if (zone === 'Z') return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(3));
  return (zone.startsWith('-') ? -1 : 1) * minutes * 60_000;
}
