import { MalformedError } from '@vidette/media/malformed';
import type { SampleIndex } from '@vidette/media/mp4/sample-index';
import type { Clock } from '../../base/clock.ts';
import type { ImportedCatalog, KnownImport, NewImport } from '../catalog/catalog.ts';
import { catalogMs, catalogTicks, systemCode } from '../segments/segments.ts';
import { openRecording, readRecording, type ReadRecording } from './imported-file.ts';
import { ImportTimes, lengthOf, likelyStart, type TimedRecording } from './import-times.ts';

/** A file that looks like a recording by its name. */
export interface FoundRecording {
  readonly name: string;
  /** When it begins, ms since the epoch: one time, or two where the clock was set back and the name fits both. */
  readonly startsMs: readonly number[];
  /** How exact that is, ms. */
  readonly stepMs: number;
  /** Of a file without boxes: how to read it; undefined if that is not known. */
  readonly samples?: () => SampleIndex | undefined;
}

/** The recordings of one camera in one folder. */
export interface FoundFolder {
  /** Below the root, with slashes. */
  readonly folder: string;
  readonly recordings: readonly FoundRecording[];
}

/** What became of the recordings of a camera. */
export interface ImportReport {
  /** Files that are or would be shown, those that were known already included. */
  readonly files: number;
  readonly knownFiles: number;
  readonly bytes: number;
  readonly durationMs: number;
  /** Of the oldest and the newest, ms since the epoch; null if there are none. */
  readonly startMs: number | null;
  readonly endMs: number | null;
  /** Recordings that were imported before and whose files are gone. */
  readonly goneFiles: number;
  /** Why files are left out, or only in part, with how many, and the first of them. */
  readonly notes: readonly { readonly reason: string; readonly files: number; readonly example: string }[];
}

export interface RecordingImporterOptions {
  /** Undefined: nothing is written, the report says what would be. */
  readonly catalog: ImportedCatalog | undefined;
  /** The folder of all recordings, without symbolic links. */
  readonly root: string;
  readonly clock: Clock;
  /** Called for every file. */
  readonly onFile: () => void;
}

/** Files that are read at the same time: a disk orders them. */
const readsAtATime = 16;
/** Rows in one transaction: the server's own writes wait for it. */
const batchMax = 256;
/** A file without its index that changed this recently is being written. */
const recentMs = 120_000;
const reasonsMax = 20;

type Outcome = ReadRecording & {
  readonly bytes: number;
  readonly modifiedMs: number;
  readonly samples: SampleIndex | undefined;
};

/** Indexes the recordings of one camera. What is known, and has not changed since, is not read again. */
export class RecordingImporter {
  readonly #options: RecordingImporterOptions;
  readonly #uid: string;
  readonly #times: ImportTimes;
  readonly #notes = new Map<string, { reason: string; files: number; example: string }>();
  readonly #sum = { files: 0, knownFiles: 0, bytes: 0, ticks: 0, goneFiles: 0 };
  #added: NewImport[] = [];

  /** @param uid of the stream that gets the recordings */
  constructor(uid: string, options: RecordingImporterOptions) {
    this.#uid = uid;
    this.#options = options;
    const streamOf = () => options.catalog?.reads.stream(uid)?.id;
    this.#times = new ImportTimes(options.catalog?.reads, streamOf);
  }

  /** Files that a listing leaves out, such as symbolic links. */
  note(reason: string, example: string, files = 1): void {
    const key = this.#notes.size < reasonsMax || this.#notes.has(reason) ? reason : 'other reasons';
    const known = this.#notes.get(key);
    if (known) known.files += files;
    else this.#notes.set(key, { reason: key, files, example });
  }

  /**
   * Imports all recordings of the camera, oldest folder first. What was imported before and is not among them is forgotten.
   * @throws what SQLite throws
   */
  async run(folders: AsyncIterable<FoundFolder> | Iterable<FoundFolder>): Promise<ImportReport> {
    const { catalog, root } = this.#options;
    const left = new Set(catalog?.foldersOf(this.#uid, root));
    for await (const found of folders) {
      left.delete(found.folder);
      await this.#importFolder(found);
    }
    this.#flush();
    for (const folder of left) this.#forget([...(catalog?.inFolder(this.#uid, root, folder).values() ?? [])]);
    const { ticks, ...sums } = this.#sum;
    return {
      ...sums,
      durationMs: Math.round(ticks / 90),
      startMs: this.#times.firstMs,
      endMs: this.#times.lastMs,
      notes: [...this.#notes.values()],
    };
  }

  async #importFolder({ folder, recordings }: FoundFolder): Promise<void> {
    const { catalog, root, onFile } = this.#options;
    const known = catalog?.inFolder(this.#uid, root, folder) ?? new Map<string, KnownImport>();
    const dated = await this.#dated(folder, recordings, known);
    const sorted = dated.toSorted((a, b) => (a.startsMs[0] ?? 0) - (b.startsMs[0] ?? 0));
    const names = new Set(sorted.map(({ name }) => name));
    this.#forget([...known].flatMap(([name, row]) => (names.has(name) ? [] : [row])));
    for (let at = 0; at < sorted.length; at += readsAtATime) {
      const some = sorted.slice(at, at + readsAtATime);
      const read = await Promise.all(
        some.map((recording) => this.#read(folder, recording, known.get(recording.name))),
      );
      for (const [index, recording] of some.entries()) {
        onFile();
        const outcome = read[index];
        const before = known.get(recording.name);
        if (typeof outcome === 'object') this.#add(folder, recording, outcome, before);
        else if (outcome === 'known' && before) this.#countKnown(before);
        else this.#note(outcome ?? '', folder, recording.name);
      }
    }
  }

  /**
   * The recordings with one time each. Names of the hour that occurs twice fit two: those of both hours are mixed until the files
   * say which is which.
   */
  async #dated(
    folder: string,
    recordings: readonly FoundRecording[],
    known: ReadonlyMap<string, KnownImport>,
  ): Promise<readonly FoundRecording[]> {
    const dated: FoundRecording[] = [];
    for (const recording of recordings) {
      const { name, startsMs } = recording;
      const before = known.get(name);
      const outcome = startsMs.length > 1 ? await this.#read(folder, recording, before) : undefined;
      const ticks = startsMs.map(catalogTicks);
      const startTicks =
        outcome === 'known' && before
          ? likelyStart(ticks, 0, catalogMs(before.startTicks))
          : typeof outcome === 'object'
            ? likelyStart(ticks, lengthOf(outcome.segment.fragments), outcome.modifiedMs)
            : undefined;
      const startMs = startTicks === undefined ? undefined : startsMs[ticks.indexOf(startTicks)];
      dated.push(startMs === undefined ? recording : { ...recording, startsMs: [startMs] });
    }
    return dated;
  }

  /** What is in a file, 'known' if that was imported before, or why it is left out. */
  async #read(
    folder: string,
    { name, samples: samplesOf }: FoundRecording,
    known: KnownImport | undefined,
  ): Promise<Outcome | string> {
    const file = { root: this.#options.root, folder, name };
    let modifiedMs = 0;
    try {
      const handle = await openRecording(file);
      try {
        const facts = await handle.stat();
        const bytes = facts.size;
        modifiedMs = Math.floor(facts.mtimeMs);
        if (known?.bytes === bytes && known.modifiedMs === modifiedMs) return 'known';
        if (bytes === 0) return 'it is empty';
        const samples = samplesOf?.();
        if (samplesOf && !samples) return 'the database does not describe it';
        return { ...(await readRecording(handle, bytes, samples)), bytes, modifiedMs, samples };
      } finally {
        await handle.close();
      }
    } catch (error) {
      const isRecent = this.#options.clock.wallMs() - modifiedMs < recentMs;
      if (error instanceof MalformedError) return isRecent ? 'it is being written' : reasonOf(error);
      const code = systemCode(error);
      if (code === undefined) throw error;
      return `it can't be read (${code})`;
    }
  }

  #countKnown({ uid, startTicks, bytes }: KnownImport): void {
    const { reads } = this.#options.catalog ?? {};
    const stream = reads?.stream(uid);
    const row = stream && reads?.segment(stream.id, startTicks);
    if (!row) return;
    this.#sum.knownFiles++;
    this.#count({ ...row, bytes });
  }

  #count(row: { readonly startTicks: number; readonly endTicks: number; readonly bytes: number }): void {
    this.#sum.files++;
    this.#sum.bytes += row.bytes;
    this.#sum.ticks += row.endTicks - row.startTicks;
    this.#times.follow(row);
  }

  #add(
    folder: string,
    { name, startsMs, stepMs }: FoundRecording,
    { segment, movie, bytes, modifiedMs, samples }: Outcome,
    before: KnownImport | undefined,
  ): void {
    const { root } = this.#options;
    if (before) this.#forgetChanged(before);
    const timed = this.#times.place(startsMs.map(catalogTicks), segment.fragments, modifiedMs, stepMs);
    if (!timed) {
      this.#note('its time is that of another recording', folder, name);
      return;
    }
    for (const text of movie.leftOut) this.#note(`without its audio: ${text}`, folder, name);
    if (movie.isTruncated) this.#note('it is incomplete: its beginning is shown', folder, name);
    const file = { root, folder, name, bytes, modifiedMs };
    const { startTicks, fragments } = timed;
    this.#added.push({ uid: this.#uid, startTicks, init: segment.init, fragments, file, samples });
    this.#count({ startTicks, endTicks: endOf(timed), bytes });
    if (this.#added.length >= batchMax) this.#flush();
  }

  /** A file that has grown keeps no row of what it was. */
  #forgetChanged(row: { readonly uid: string; readonly startTicks: number }): void {
    this.#flush();
    this.#options.catalog?.commit([], [row]);
  }

  #forget(rows: readonly { readonly uid: string; readonly startTicks: number }[]): void {
    if (rows.length === 0) return;
    this.#options.catalog?.commit([], rows);
    this.#sum.goneFiles += rows.length;
  }

  #flush(): void {
    if (this.#added.length > 0) this.#options.catalog?.commit(this.#added, []);
    this.#added = [];
  }

  #note(reason: string, folder: string, name: string): void {
    this.note(reason, folder === '' ? name : `${folder}/${name}`);
  }
}

function endOf({ startTicks, fragments }: TimedRecording): number {
  return fragments.reduce((end, { durationTicks }) => end + durationTicks, startTicks);
}

/** Numbers in messages differ from file to file. */
function reasonOf({ message }: MalformedError): string {
  return `it can't be played: ${message.replace(/\d{4,}/g, '...')}`;
}
