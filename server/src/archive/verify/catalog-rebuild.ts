import { existsSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createFile, freeSuffix } from '../../base/durable.ts';
import type { Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import { adoptFiles, hasFiles } from './adoption.ts';
import {
  setDatabaseAside,
  assertCatalogIsWhole,
  CatalogDamaged,
  type CatalogReads,
  type CatalogSink,
} from '../catalog/catalog.ts';
import type { ObjectStorageOptions } from '../object-storage/object-storage.ts';
import { adoptObjects } from './object-rebuild.ts';
import {
  systemCode,
  archiveFileMode,
  heartbeatPath,
  rebuildNotePath,
  listStreamFolders,
} from '../segments/segments.ts';
import type { NewFiles } from './new-files.ts';

/** At most this many findings are logged. */
const namedFindings = 20;
/** Cameras' clocks decide when a file begins. */
const aheadMs = 60_000;

/**
 * Checks the catalog before it is opened. A damaged one is moved aside so that a new one is created, which is
 * rebuilt from the files while the archive runs. True while the catalog has lost its contents: the folder must
 * have been in use then. `endRecorders`: ends processes that record, and would go on writing to the old file.
 * @throws Fault if the catalog is of a newer version or cannot be reached; system errors
 */
export async function prepareCatalog(
  catalog: string,
  log: Log,
  endRecorders: () => Promise<void> = () => Promise.resolve(),
): Promise<boolean> {
  const note = rebuildNotePath(catalog);
  // Only a server that has run here leaves a heartbeat file.
  const isLost = existsSync(heartbeatPath(catalog)) && (!existsSync(catalog) || statSync(catalog).size === 0);
  if (isLost) {
    log.error(
      { catalog },
      'The archive’s catalog is missing or empty; it is rebuilt from the recorded files. The causes of gaps, which the files do not contain, are lost',
    );
    await endRecorders();
    await createFile(note, '', archiveFileMode);
  }
  try {
    assertCatalogIsWhole(catalog);
  } catch (error) {
    if (!(error instanceof CatalogDamaged)) throw error;
    await endRecorders();
    await createFile(note, '', archiveFileMode);
    const keptAs = await setDatabaseAside(catalog, await freeSuffix([catalog], 'damaged'));
    log.error(
      { catalog, keptAs, err: error.cause },
      'The archive’s catalog is damaged; it is moved aside and rebuilt from the recorded files. The causes of gaps, which the files do not contain, are lost',
    );
  }
  return existsSync(note);
}

export interface CatalogRebuildTools {
  readonly root: string;
  readonly catalogPath: string;
  readonly reads: CatalogReads;
  readonly catalog: CatalogSink;
  readonly remote: Pick<ObjectStorageOptions, 'store' | 'keys'> | undefined;
  readonly log: Log;
  readonly newFiles: NewFiles;
  readonly clock: Clock;
  /** Streams that another process records. */
  readonly isRecordedElsewhere: (uid: string) => boolean;
  /** Called when past footage is in the catalog again. */
  onAdopted(): void;
}

/**
 * Adds files that are missing from the catalog while the archive records: all files after the catalog was lost,
 * or those of streams that have files but no rows. If a shutdown interrupts it, the next start continues.
 */
export class CatalogRebuild {
  readonly #tools: CatalogRebuildTools;
  readonly #abort = new AbortController();
  readonly #work: Promise<void>;
  #isRunning = true;

  private constructor(tools: CatalogRebuildTools, uids: readonly string[], isWhole: boolean) {
    this.#tools = tools;
    this.#work = this.#run(uids, isWhole).finally(() => {
      this.#isRunning = false;
      tools.onAdopted();
      tools.newFiles.forget();
    });
  }

  /** Undefined if the catalog is complete. */
  static async start(tools: CatalogRebuildTools): Promise<CatalogRebuild | undefined> {
    const isWhole = existsSync(rebuildNotePath(tools.catalogPath));
    const uids = await streamsToRead(tools, isWhole);
    if (isWhole || uids.length > 0) return new CatalogRebuild(tools, uids, isWhole);
    tools.newFiles.forget();
    return undefined;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  /** Resolves once the current file or object is done. */
  stop(): Promise<void> {
    this.#abort.abort();
    return this.#work;
  }

  /**
   * The files of this process's recorders; of another process, those that begin after this. A file that begins later than
   * now is from a time when the clock was ahead.
   */
  #recordedFiles(): NonNullable<Parameters<typeof adoptFiles>[0]['isBeingRecorded']> {
    const { clock, newFiles, isRecordedElsewhere } = this.#tools;
    const sinceMs = clock.wallMs();
    return ({ path, uid, startMs }) =>
      newFiles.has(path) ||
      (startMs >= sinceMs && startMs <= clock.wallMs() + aheadMs && isRecordedElsewhere(uid));
  }

  async #run(uids: readonly string[], isWhole: boolean): Promise<void> {
    const { root, reads, catalog, log, remote, catalogPath } = this.#tools;
    const findings: string[] = [];
    const before = countOf(reads);
    const commit = (changes: Parameters<CatalogSink['commit']>[0]) => catalog.commit(changes);
    const isBeingRecorded = this.#recordedFiles();
    const words =
      'The archive folder contains footage that is not in the catalog; it is added while recording continues';
    if (uids.length > 0) log.warn({ streams: uids }, words);
    try {
      const { signal } = this.#abort;
      for (const uid of uids) {
        await adoptFiles({ root, reads, commit, findings, isBeingRecorded, signal }, uid);
      }
      const { archiveId } = reads.identity();
      if (remote && isWhole) await adoptObjects({ ...remote, reads, commit, archiveId, findings, signal });
      if (signal.aborted) return;
      await rm(rebuildNotePath(catalogPath), { force: true });
    } catch (error) {
      log.error({ err: error }, 'The catalog could not be rebuilt completely; the next start continues');
      return;
    }
    const segments = countOf(reads) - before;
    log.info({ segments, leftOut: findings.length }, 'All footage of the archive folder is in the catalog');
    for (const finding of findings.slice(0, namedFindings)) log.warn({}, `Skipped: ${finding}`);
  }
}

/** Streams with files: all of them, or those without rows. */
async function streamsToRead({ root, reads, log }: CatalogRebuildTools, isWhole: boolean): Promise<string[]> {
  try {
    const uids = await listStreamFolders(root);
    if (isWhole) return uids;
    const unknown: string[] = [];
    for (const uid of uids) {
      if ((reads.stream(uid)?.segments ?? 0) === 0 && (await hasFiles(root, uid))) unknown.push(uid);
    }
    return unknown;
  } catch (error) {
    if (systemCode(error) === undefined) throw error;
    log.error({ err: error }, 'The archive folder cannot be listed');
    return [];
  }
}

function countOf(reads: CatalogReads): number {
  return reads.streams().reduce((sum, { segments }) => sum + segments, 0);
}
