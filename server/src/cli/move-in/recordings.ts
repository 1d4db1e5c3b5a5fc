import { realpath } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import {
  type FoundFolder,
  hasEntries,
  type ImportReport,
  RecordingImporter,
} from '../../archive/imported/imported.ts';
import {
  type ArchiveLock,
  ImportedCatalog,
  LockHeldError,
  lockWhenFree,
} from '../../archive/catalog/catalog.ts';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { ForeignConfigError, type FoundCamera } from './found-stream.ts';
import type { Product } from './products.ts';
import { listRecordings, type NoteLeftOut, type RecordingLayout } from './recording-paths.ts';
import type { RecordPath } from './recording-template.ts';
import { shinobiTemplate } from './shinobi.ts';

/** Below the folder of all recordings; MediaMTX names both in its configuration. */
const templates: Readonly<Partial<Record<Product, string>>> = {
  frigate: '%Y-%m-%d/%H/%path/%M.%S.mp4',
  shinobi: shinobiTemplate,
};
/** Where the recordings are if the command doesn't say it, relative to the configuration. */
const usualFolders: Readonly<Partial<Record<Product, readonly string[]>>> = {
  frigate: ['recordings', '../storage/recordings', '../media/recordings', '/media/frigate/recordings'],
  shinobi: ['videos', '/home/Shinobi/videos', '/opt/shinobi/videos'],
};
/** Between two lines about how far it is. */
const progressMs = 10_000;
/** The server writes to the catalog, too: a row for each file that it finds missing. */
const busyMs = 10_000;

/** A layout, whatever the zone of its names is. */
type Place = Omit<RecordingLayout, 'zone'>;

/** A camera and its recordings. */
export interface CameraRecordings {
  /** Of the stream that gets them. */
  readonly name: string;
  /** The folder of all recordings, without symbolic links. */
  readonly root: string;
  /** Whose local times the names of its files contain; null: they say the zone, or need none. */
  readonly zone: string | null;
  readonly list: (note: NoteLeftOut) => AsyncIterable<FoundFolder> | Iterable<FoundFolder>;
}

export interface RecordingsOptions {
  readonly cameras: readonly CameraRecordings[];
  /** Of the streams by their names; undefined: only the report is made. */
  readonly uids: ReadonlyMap<string, string> | undefined;
  /** Of imported recordings; unused without `uids`. */
  readonly catalogPath: string;
  readonly clock: Clock;
  readonly out: (line: string) => void;
}

/** What was done for a camera. */
export interface CameraReport extends ImportReport {
  readonly stream: string;
}

/**
 * The recordings of each camera, where they exist.
 * @param config the configuration's file
 * @param named the folder that the command names
 * @param zone of local times in names
 * @throws ForeignConfigError if that is no folder, or an empty one
 */
export async function placesOf(
  product: Product,
  cameras: readonly FoundCamera[],
  config: string,
  named: string | undefined,
  zone: string,
): Promise<CameraRecordings[]> {
  if (named !== undefined && !(await hasEntries(named)))
    throw new ForeignConfigError(`${named} is no folder that can be read and contains something.`);
  const places: CameraRecordings[] = [];
  for (const { name, camera, recordPath } of cameras) {
    const layout =
      recordPath === undefined
        ? await usualLayout(product, config, named)
        : await recordPathLayout(recordPath, config, named);
    // Frigate names its files in UTC.
    if (layout)
      places.push(recordingsOf(name, camera, { ...layout, zone: product === 'frigate' ? null : zone }));
  }
  return places;
}

/** The recordings of a camera whose paths say when they begin. */
export function recordingsOf(name: string, camera: string, layout: RecordingLayout): CameraRecordings {
  const list = (note: NoteLeftOut) => listRecordings(layout, camera, note);
  const saysZone = /%[sz]/.test(layout.template);
  return { name, root: layout.root, zone: saysZone ? null : layout.zone, list };
}

async function usualLayout(
  product: Product,
  config: string,
  named: string | undefined,
): Promise<Place | undefined> {
  const template = templates[product];
  const candidates = named === undefined ? (usualFolders[product] ?? []) : [named];
  for (const candidate of template === undefined ? [] : candidates) {
    const folder = resolve(dirname(config), candidate);
    if (template !== undefined && (await hasEntries(folder)))
      return { template, root: await realpath(folder) };
  }
  return undefined;
}

/** The part of a record path that is the same for all recordings is their folder. */
export async function recordPathLayout(
  { path, others }: RecordPath,
  config: string,
  named: string | undefined,
): Promise<Place | undefined> {
  const parts = path.split('/');
  const first = Math.max(
    0,
    parts.findIndex((part) => part.includes('%')),
  );
  const folder = named ?? resolve(dirname(config), parts.slice(0, first).join('/') || '/');
  if (!(await hasEntries(folder))) return undefined;
  return { root: await realpath(folder), template: parts.slice(first).join('/'), others };
}

/**
 * Indexes the recordings of all cameras, or says what would be indexed. Cameras without recordings are left out.
 * @throws Fault while another command does the same, or if the catalog can't be opened; what SQLite throws
 */
export async function importRecordings(options: RecordingsOptions): Promise<CameraReport[]> {
  const { uids, catalogPath, clock } = options;
  if (!uids) return importCameras(options, undefined);
  const lock = await onlyImport(catalogPath, clock);
  try {
    const catalog = ImportedCatalog.open(catalogPath, busyMs);
    try {
      return await importCameras(options, catalog);
    } finally {
      catalog.close();
    }
  } finally {
    lock.release();
  }
}

async function onlyImport(catalog: string, clock: Clock): Promise<ArchiveLock> {
  try {
    return await lockWhenFree(`${catalog}.lock`, clock, 0);
  } catch (error) {
    if (!(error instanceof LockHeldError)) throw error;
    throw new Fault('Unavailable', 'Another import is running.', { cause: error });
  }
}

async function importCameras(
  { cameras, uids, clock, out }: RecordingsOptions,
  catalog: ImportedCatalog | undefined,
): Promise<CameraReport[]> {
  const reports: CameraReport[] = [];
  const progress = new Progress(clock, out);
  for (const place of cameras) {
    const uid = uids ? uids.get(place.name) : '';
    if (uid === undefined) continue;
    const report = await importCamera(place, uid, catalog, clock, () => progress.count());
    if (report.files === 0 && report.notes.length === 0 && report.goneFiles === 0) continue;
    reports.push({ stream: place.name, ...report });
    for (const line of linesOf(place.name, report)) out(line);
  }
  return reports;
}

function importCamera(
  { root, list }: CameraRecordings,
  uid: string,
  catalog: ImportedCatalog | undefined,
  clock: Clock,
  onFile: () => void,
): Promise<ImportReport> {
  const importer = new RecordingImporter(uid, { catalog, root, clock, onFile });
  return importer.run(list((reason, example) => importer.note(reason, example)));
}

/** Says now and then how many files were read. */
class Progress {
  readonly #clock: Clock;
  readonly #out: (line: string) => void;
  #files = 0;
  #nextMs: number;

  constructor(clock: Clock, out: (line: string) => void) {
    this.#clock = clock;
    this.#out = out;
    this.#nextMs = clock.monotonicMs() + progressMs;
  }

  count(): void {
    this.#files++;
    if (this.#clock.monotonicMs() < this.#nextMs) return;
    this.#nextMs = this.#clock.monotonicMs() + progressMs;
    this.#out(`${this.#files} files read.`);
  }
}

function linesOf(name: string, report: ImportReport): string[] {
  const { files, knownFiles, bytes, durationMs, startMs, endMs, goneFiles, notes } = report;
  const facts = [
    `${files} ${files === 1 ? 'recording' : 'recordings'}`,
    durationMs < 3_600_000
      ? `${(durationMs / 60_000).toFixed(1)} min`
      : `${(durationMs / 3_600_000).toFixed(1)} h`,
    bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`,
    ...(startMs === null || endMs === null ? [] : [`${shownTime(startMs)} to ${shownTime(endMs)} UTC`]),
    ...(knownFiles > 0 ? [`${knownFiles} known already`] : []),
    ...(goneFiles > 0 ? [`${goneFiles} gone`] : []),
  ];
  return [
    `${name}: ${facts.join(', ')}`,
    ...notes.map(
      ({ reason, files: count, example }) => `${name}: ${count} × ${reason} (${JSON.stringify(example)})`,
    ),
  ];
}

function shownTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
}
