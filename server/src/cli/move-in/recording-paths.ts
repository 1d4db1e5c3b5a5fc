import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { FoundFolder, FoundRecording } from '../../archive/imported/imported.ts';

/** Where a program puts the recordings of a camera. */
export interface RecordingLayout {
  /** The folder of all recordings. */
  readonly root: string;
  /**
   * Paths below it, with the conversions of `strftime` (`%Y %m %d %H %M %S`), `%f` for microseconds, `%s` for seconds since the
   * epoch, `%z` for the distance to UTC, and `%path` for the camera.
   */
  readonly template: string;
  /** Names contain UTC, or the time of a zone, which is that of this process. */
  readonly isUtc: boolean;
}

/** Says what a listing leaves out. */
export type NoteLeftOut = (reason: string, example: string) => void;

type Field = 'Y' | 'm' | 'd' | 'H' | 'M' | 'S' | 'f' | 's' | 'z';
type Fields = Readonly<Partial<Record<Field, string>>>;

/** One part of a path. */
interface NamePattern {
  readonly pattern: RegExp;
  readonly fields: readonly Field[];
}

const digits: Readonly<Record<Field, string>> = {
  Y: String.raw`(\d{4})`,
  m: String.raw`(\d{2})`,
  d: String.raw`(\d{2})`,
  H: String.raw`(\d{2})`,
  M: String.raw`(\d{2})`,
  S: String.raw`(\d{2})`,
  f: String.raw`(\d{6})`,
  s: String.raw`(\d{9,11})`,
  z: String.raw`(Z|[+-]\d{4})`,
};
const hourMs = 3_600_000;
/** Of a camera; a year of recordings of ten seconds in one folder has three million. */
const filesPerFolderMax = 4_000_000;
/** Years that a recording can be of. */
const years = { from: 2000, to: 2100 };

/** How exact the times are, ms. */
export function nameStepMs({ template }: RecordingLayout): number {
  return template.includes('%f') ? 1 : 1000;
}

/**
 * Lists the recordings of a camera, one folder at a time in the order of their names, without following symbolic links. Folders
 * that can't be read are noted.
 */
export async function* listRecordings(
  { root, template, isUtc }: RecordingLayout,
  camera: string,
  note: NoteLeftOut,
): AsyncGenerator<FoundFolder, void, undefined> {
  if (camera.split('/').some((part) => part === '' || part === '.' || part === '..')) return;
  const parts = template.split('/').flatMap((part) => patternsOf(part, camera));
  yield* listFolder({ root, isUtc, note }, '', parts, {});
}

/** A template's part; one with `%path` may be several parts of a path. */
function patternsOf(part: string, camera: string): NamePattern[] {
  // A name may contain a percent sign.
  const named = part.replaceAll('%path', camera.replaceAll('%', '\0'));
  return named.split('/').map((text) => {
    const fields: Field[] = [];
    const source = text.split(/(%[YmdHMSfsz])/).map((piece) => {
      const field = piece.startsWith('%') ? (piece[1] as Field | undefined) : undefined;
      if (field !== undefined && Object.hasOwn(digits, field)) {
        fields.push(field);
        return digits[field];
      }
      return piece.replaceAll('\0', '%').replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);
    });
    return { pattern: new RegExp(`^${source.join('')}$`), fields };
  });
}

interface Listing {
  readonly root: string;
  readonly isUtc: boolean;
  readonly note: NoteLeftOut;
}

async function* listFolder(
  listing: Listing,
  folder: string,
  parts: readonly NamePattern[],
  known: Fields,
): AsyncGenerator<FoundFolder, void, undefined> {
  const [part, ...rest] = parts;
  if (!part) return;
  const recordings: FoundRecording[] = [];
  for (const entry of await entriesOf(listing, folder)) {
    const match = part.pattern.exec(entry.name);
    if (!match) continue;
    const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
    const fields = {
      ...known,
      ...Object.fromEntries(part.fields.map((field, at) => [field, match[at + 1]])),
    };
    if (entry.isSymbolicLink()) listing.note('it is a symbolic link', path);
    else if (rest.length > 0 && entry.isDirectory()) yield* listFolder(listing, path, rest, fields);
    else if (rest.length === 0 && entry.isFile()) {
      const startsMs = timesOf(fields, listing.isUtc);
      if (startsMs.length === 0) listing.note('its name has no valid time', path);
      else if (recordings.length === filesPerFolderMax) listing.note('its folder has too many files', path);
      else recordings.push({ name: entry.name, startsMs });
    }
  }
  if (recordings.length > 0) yield { folder, recordings };
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
