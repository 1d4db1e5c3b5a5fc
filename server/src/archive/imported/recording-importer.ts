import { MalformedError } from '@vidette/media/malformed';
import type { SampleIndex } from '@vidette/media/mp4/sample-index';
import type { Clock } from '../../base/clock.ts';
import type { ImportedCatalog, KnownImport, NewImport } from '../catalog/catalog.ts';
import { catalogTicks, systemCode } from '../segments/segments.ts';
import { openRecording, readRecording, type ReadRecording } from './imported-file.ts';
import { ImportTimes, lengthOf, overlapMaxTicks, type TimedRecording } from './import-times.ts';
import { areDeleted, unreadableReason } from './reading-trouble.ts';
import { type RecordingStart, startOf, ZoneEvidence } from './recording-start.ts';

/** A file that looks like a recording by its name. */
export interface FoundRecording {
  readonly name: string;
  /**
   * When it begins, ms since the epoch: one time, two where the clock was set back and the name fits both, none where the clock
   * was set forward and skipped it.
   */
  readonly startsMs: readonly number[];
  /** They follow from the time that clocks of a zone show, and from which zone that is. */
  readonly isLocal?: boolean;
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

/** What was read of a file, and when it begins. */
type Outcome = ReadRecording & {
  readonly start: RecordingStart;
  readonly bytes: number;
  readonly modifiedMs: number;
  readonly samples: SampleIndex | undefined;
};
/** A recording with the time by which it is sorted. */
interface Dated {
  readonly recording: FoundRecording;
  readonly ticks: number;
}

/** Indexes the recordings of one camera. What is known, and has not changed since, is not read again. */
export class RecordingImporter {
  readonly #options: RecordingImporterOptions;
  readonly #uid: string;
  readonly #times: ImportTimes;
  readonly #notes = new Map<string, { reason: string; files: number; example: string }>();
  readonly #sum = { files: 0, knownFiles: 0, bytes: 0, ticks: 0, goneFiles: 0 };
  readonly #zones = new ZoneEvidence();
  /** Folders that this import has finished, by their paths. */
  readonly #done = new Set<string>();
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
      this.#done.add(found.folder);
    }
    this.#flush();
    const { suspicion } = this.#zones;
    if (suspicion) this.note(suspicion.reason, suspicion.example, suspicion.files);
    for (const folder of left)
      if (await areDeleted(root, folder))
        this.#forget([...(catalog?.inFolder(this.#uid, root, folder).values() ?? [])]);
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
    const sorted = dated.toSorted((a, b) => a.ticks - b.ticks).map(({ recording }) => recording);
    const names = new Set(sorted.map(({ name }) => name));
    const gone = [...known].filter(([name]) => !names.has(name));
    this.#forget(gone.map(([, row]) => row));
    for (const [name] of gone) known.delete(name);
    for (let at = 0; at < sorted.length; at += readsAtATime) {
      const some = sorted.slice(at, at + readsAtATime);
      const read = await Promise.all(
        some.map((recording) => this.#read(folder, recording, known.get(recording.name))),
      );
      const confirmed = some.map(({ name }, index) => {
        const row = read[index] === 'known' ? known.get(name) : undefined;
        if (row) known.delete(name);
        return row;
      });
      for (const [index, recording] of some.entries()) {
        onFile();
        const outcome = read[index];
        const row = confirmed[index];
        if (typeof outcome === 'object') this.#add(folder, recording, outcome, known);
        else if (row) this.#countKnown(row);
        else this.#note(outcome ?? '', folder, recording.name);
      }
    }
  }

  /**
   * The recordings with the times by which they are sorted. Names of the hour that occurs twice fit two: those of both hours are
   * mixed until the files say which is which.
   */
  async #dated(
    folder: string,
    recordings: readonly FoundRecording[],
    known: ReadonlyMap<string, KnownImport>,
  ): Promise<readonly Dated[]> {
    const dated: Dated[] = [];
    for (const recording of recordings) {
      const { name, startsMs } = recording;
      const [onlyMs] = startsMs;
      if (onlyMs !== undefined && startsMs.length === 1) {
        dated.push({ recording, ticks: catalogTicks(onlyMs) });
        continue;
      }
      const before = known.get(name);
      const outcome = await this.#read(folder, recording, before);
      const found = typeof outcome === 'object' ? outcome.start : outcome === 'known' ? before : undefined;
      dated.push({ recording, ticks: found?.startTicks ?? catalogTicks(onlyMs ?? 0) });
    }
    return dated;
  }

  /** What is in a file, 'known' if that was imported before, or why it is left out. */
  async #read(
    folder: string,
    recording: FoundRecording,
    known: KnownImport | undefined,
  ): Promise<Outcome | string> {
    const { name, samples: samplesOf } = recording;
    const file = { root: this.#options.root, folder, name };
    let modifiedMs = 0;
    try {
      const handle = await openRecording(file);
      try {
        const facts = await handle.stat();
        const bytes = facts.size;
        modifiedMs = Math.floor(facts.mtimeMs);
        const isSame = known?.bytes === bytes && known.modifiedMs === modifiedMs;
        const [onlyMs, ...others] = recording.startsMs;
        // Of two times the file says which, and the zone may have been another one before.
        const isCertain = onlyMs !== undefined && others.length === 0;
        if (isSame && isCertain && isAbout(known.startTicks, catalogTicks(onlyMs))) return 'known';
        if (bytes === 0) return 'it is empty';
        const samples = samplesOf?.();
        if (samplesOf && !samples) return 'the database does not describe it';
        const read = await readRecording(handle, bytes, samples);
        const lengthTicks = lengthOf(read.segment.fragments);
        const { startsMs, isLocal = false } = recording;
        const start = startOf({ startsMs, isLocal, lengthTicks, modifiedMs, insideMs: read.movie.startMs });
        if (!start)
          return 'its name is a time that clocks skip: it is of another time zone. Name it, as in TZ=Europe/Berlin';
        // The name is of another zone, as the file says.
        if (isSame && isAbout(known.startTicks, start.startTicks)) return 'known';
        return { ...read, start, bytes, modifiedMs, samples };
      } finally {
        await handle.close();
      }
    } catch (error) {
      const isRecent = this.#options.clock.wallMs() - modifiedMs < recentMs;
      if (error instanceof MalformedError) return isRecent ? 'it is being written' : reasonOf(error);
      const code = systemCode(error);
      if (code === undefined) throw error;
      return unreadableReason(code);
    }
  }

  #countKnown({ uid, startTicks, bytes }: KnownImport): void {
    if (this.#times.isBefore(startTicks)) this.#flush();
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

  /** @param known of the folder's files, without those whose times this import has confirmed */
  #add(
    folder: string,
    { name, stepMs }: FoundRecording,
    { start, segment, movie, bytes, modifiedMs, samples }: Outcome,
    known: Map<string, KnownImport>,
  ): void {
    const { root } = this.#options;
    const before = known.get(name);
    if (before?.bytes === bytes && before.modifiedMs === modifiedMs) this.#forgetMisplaced(folder, known);
    else if (before) this.#forgetChanged([before]);
    if (this.#times.isBefore(start.startTicks)) this.#flush();
    const timed = this.#times.place(start.startTicks, segment.fragments, stepMs);
    if (!timed) {
      this.#note('its time is that of another recording', folder, name);
      return;
    }
    if (start.doubt !== undefined) this.#note(start.doubt, folder, name);
    if (start.zoneQuarters !== undefined) this.#zones.add(start.zoneQuarters, shownPath(folder, name));
    for (const text of movie.leftOut) this.#note(`without its audio: ${text}`, folder, name);
    if (movie.isTruncated) {
      const isRecent = this.#options.clock.wallMs() - modifiedMs < recentMs;
      const end = isRecent
        ? 'is being written: import again for its end'
        : 'is incomplete: its beginning is shown';
      this.#note(`it ${end}`, folder, name);
    }
    const file = { root, folder, name, bytes, modifiedMs };
    const { startTicks, fragments } = timed;
    this.#added.push({ uid: this.#uid, startTicks, init: segment.init, fragments, file, samples });
    this.#count({ startTicks, endTicks: endOf(timed), bytes });
    if (this.#added.length >= batchMax) this.#flush();
  }

  /** A file that has grown keeps no row of what it was. */
  #forgetChanged(rows: readonly KnownImport[]): void {
    this.#flush();
    this.#options.catalog?.commit([], rows);
  }

  /**
   * A recording that has not changed has another time: names were taken for times of another zone. Then those that follow are in
   * each other's way, and are placed again: all but those whose times this import has confirmed.
   */
  #forgetMisplaced(folder: string, known: Map<string, KnownImport>): void {
    const { catalog, root } = this.#options;
    const others = (catalog?.foldersOf(this.#uid, root) ?? []).filter(
      (one) => one !== folder && !this.#done.has(one),
    );
    const [example = ''] = known.keys();
    let files = 0;
    for (const one of [folder, ...others]) {
      const rows = one === folder ? known : catalog?.inFolder(this.#uid, root, one);
      this.#forgetChanged([...(rows?.values() ?? [])]);
      files += rows?.size ?? 0;
    }
    known.clear();
    this.note(
      'it was imported as of another time zone before: it has moved on the timeline',
      shownPath(folder, example),
      files,
    );
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
    this.note(reason, shownPath(folder, name));
  }
}

function shownPath(folder: string, name: string): string {
  return folder === '' ? name : `${folder}/${name}`;
}

/** Whether a recording with one of these times can be the one with the other, by its name and its place. */
function isAbout(ticks: number, otherTicks: number): boolean {
  return Math.abs(ticks - otherTicks) <= 2 * overlapMaxTicks;
}

function endOf({ startTicks, fragments }: TimedRecording): number {
  return fragments.reduce((end, { durationTicks }) => end + durationTicks, startTicks);
}

/** Numbers in messages differ from file to file. */
function reasonOf({ message }: MalformedError): string {
  return `it can't be played: ${message.replace(/\d{4,}/g, '...')}`;
}
