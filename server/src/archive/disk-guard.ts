import { mkdir } from 'node:fs/promises';
import type { Log } from '../base/log.ts';
import { openCatalogForWriting } from './catalog-file.ts';
import { CatalogReads } from './catalog-reads.ts';
import type { ArchiveFiles } from './files.ts';
import { listStreamFolders, readMarker, writeMarker } from './marker.ts';
import { RecordingFailure } from './recording-failure.ts';

/** Why nothing can be recorded or deleted at the moment. */
export type ArchiveProblem = 'marker-missing' | 'marker-of-another-archive';

/** Knows which marker must lie in the archive's folder, and looks before anything is written or deleted there. */
export class DiskGuard {
  readonly #root: string;
  readonly #archiveId: string;
  readonly #log: Log;
  #problem: ArchiveProblem | undefined;

  private constructor(root: string, archiveId: string, log: Log) {
    this.#root = root;
    this.#archiveId = archiveId;
    this.#log = log;
  }

  /** Makes catalog and marker in a new place, or finds out which marker must be there. @throws system and SQLite errors */
  static async open(root: string, catalog: string, files: ArchiveFiles, log: Log): Promise<DiskGuard> {
    const marker = await readMarker(root);
    const knownId = marker.state === 'present' ? marker.archiveId : undefined;
    const database = openCatalogForWriting(catalog, knownId);
    try {
      const reads = new CatalogReads(database);
      const { archiveId } = reads.identity();
      const isUnused = reads.streams().length === 0;
      if (marker.state === 'missing' && isUnused) {
        await mkdir(root, { recursive: true });
        await writeMarker(files, root, archiveId);
      }
      if (isUnused && marker.state === 'present' && (await listStreamFolders(root)).length > 0) {
        log.error(
          { dir: root },
          'The catalog is new but the folder holds footage: stop the server and run `vidette rebuild-index`',
        );
      }
      return new DiskGuard(root, archiveId, log);
    } finally {
      database.close();
    }
  }

  /** As found by the last look. */
  get problem(): ArchiveProblem | undefined {
    return this.#problem;
  }

  /** @throws RecordingFailure when this is not the right disk; system errors */
  async assertRightDisk(): Promise<void> {
    const problem = await this.#look();
    if (problem !== this.#problem) this.#report(problem);
    this.#problem = problem;
    if (problem) throw new RecordingFailure('wrong-disk', `${this.#root}: ${problem}`);
  }

  async #look(): Promise<ArchiveProblem | undefined> {
    const marker = await readMarker(this.#root);
    if (marker.state === 'missing') return 'marker-missing';
    const isOurs = marker.state === 'present' && marker.archiveId === this.#archiveId;
    return isOurs ? undefined : 'marker-of-another-archive';
  }

  #report(problem: ArchiveProblem | undefined): void {
    if (!problem) {
      this.#log.info({ dir: this.#root }, 'The archive disk is back');
      return;
    }
    const words =
      problem === 'marker-missing'
        ? 'The archive folder was in use and has lost its marker: is its disk mounted? Nothing is written or deleted there'
        : 'The archive folder belongs to another catalog: nothing is written or deleted there';
    this.#log.error({ dir: this.#root }, words);
  }
}
