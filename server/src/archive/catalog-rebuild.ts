import { existsSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createFile, freeSuffix } from '../base/durable.ts';
import type { Log } from '../base/log.ts';
import { adoptFiles, hasFiles } from './adoption.ts';
import { setDatabaseAside } from './catalog-aside.ts';
import { assertCatalogIsWhole, CatalogDamaged } from './catalog-file.ts';
import type { CatalogReads } from './catalog-reads.ts';
import type { CatalogSink } from './catalog-writer.ts';
import type { ObjectStorageOptions } from './object-storage.ts';
import { adoptObjects } from './object-rebuild.ts';
import { systemCode } from './files.ts';
import { archiveFileMode, heartbeatPath, rebuildNotePath } from './layout.ts';
import { listStreamFolders } from './marker.ts';
import type { NewFiles } from './new-files.ts';

/** Findings of which the log names no more than so many. */
const namedFindings = 20;

/**
 * Looks at the catalog before it is opened. A damaged one is put aside, so that a new one is made; it is rebuilt from the files
 * when the archive runs. True while the catalog is one that lost what it knew: the folder must be in use then.
 * @throws Fault when the catalog is of a newer version or can't be reached; system errors
 */
export async function prepareCatalog(catalog: string, log: Log): Promise<boolean> {
  const note = rebuildNotePath(catalog);
  // Only a server that ran here leaves a heartbeat.
  const isLost = existsSync(heartbeatPath(catalog)) && (!existsSync(catalog) || statSync(catalog).size === 0);
  if (isLost) {
    log.error(
      { catalog },
      'The archive’s catalog is missing or empty: it is made again from the recorded files. What files cannot tell, the causes of gaps, is lost',
    );
    await createFile(note, '', archiveFileMode);
  }
  try {
    assertCatalogIsWhole(catalog);
  } catch (error) {
    if (!(error instanceof CatalogDamaged)) throw error;
    await createFile(note, '', archiveFileMode);
    const keptAs = await setDatabaseAside(catalog, await freeSuffix([catalog], 'damaged'));
    log.error(
      { catalog, keptAs, err: error.cause },
      'The archive’s catalog is damaged: it is kept aside and made again from the recorded files. What files cannot tell, the causes of gaps, is lost',
    );
  }
  return existsSync(note);
}

interface CatalogRebuildTools {
  readonly root: string;
  readonly catalogPath: string;
  readonly reads: CatalogReads;
  readonly catalog: CatalogSink;
  readonly remote: Pick<ObjectStorageOptions, 'store' | 'keys'> | undefined;
  readonly log: Log;
  readonly newFiles: NewFiles;
  /** Footage of the past is in the catalog again. */
  onAdopted(): void;
}

/**
 * Brings files that the catalog does not know back into it while the archive records: all, after the catalog was lost, or those
 * of streams of which it knows nothing although they have files. What a stop interrupts goes on at the next start.
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

  /** Undefined when the catalog knows all that it should. */
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

  /** Resolves when the file or object at hand is done. */
  stop(): Promise<void> {
    this.#abort.abort();
    return this.#work;
  }

  async #run(uids: readonly string[], isWhole: boolean): Promise<void> {
    const { root, reads, catalog, log, newFiles, remote, catalogPath } = this.#tools;
    const findings: string[] = [];
    const before = countOf(reads);
    const commit = (changes: Parameters<CatalogSink['commit']>[0]) => catalog.commit(changes);
    const isBeingRecorded = (path: string) => newFiles.has(path);
    const words =
      'The archive folder holds footage that the catalog does not know: it is brought back while recording goes on';
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
      log.error({ err: error }, 'The catalog could not be made again as a whole: the next start goes on');
      return;
    }
    const segments = countOf(reads) - before;
    log.info({ segments, leftOut: findings.length }, 'The footage of the archive folder is in the catalog');
    for (const finding of findings.slice(0, namedFindings)) log.warn({}, `Left out: ${finding}`);
  }
}

/** Those with files: all of them, or those of which there is no row. */
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
