import { dirname } from 'node:path';
import type { CatalogNotes } from './catalog-notes.ts';
import type { CatalogSink } from './catalog-writer.ts';
import { type ArchiveFiles, dayFolder, streamFolder } from '../segments/segments.ts';

/**
 * The day folders of this process's recorders that may contain files without a row. A folder is registered in the
 * catalog before its first file is created, so that recovery finds every file by reading only the registered folders.
 */
export class ActiveFolders {
  readonly #root: string;
  readonly #files: ArchiveFiles;
  readonly #catalog: CatalogSink;
  readonly #notes: Pick<CatalogNotes, 'isActiveFolder'>;
  readonly #noted = new Map<string, { readonly uid: string; readonly day: string }>();

  constructor(
    root: string,
    files: ArchiveFiles,
    catalog: CatalogSink,
    notes: Pick<CatalogNotes, 'isActiveFolder'>,
  ) {
    this.#root = root;
    this.#files = files;
    this.#catalog = catalog;
    this.#notes = notes;
  }

  /** Registers the folder and creates it, flushing each parent that gets a new name. */
  async enter(uid: string, day: string): Promise<void> {
    const folder = dayFolder(this.#root, uid, day);
    if (!this.#noted.has(folder)) {
      await this.#catalog.commit([{ type: 'folder', uid, day }]);
      this.#noted.set(folder, { uid, day });
    }
    for (const path of [streamFolder(this.#root, uid), folder]) {
      // Flushed even if it existed: the process that created it may have been killed before the flush.
      await this.#files.makeFolder(path);
      await this.#files.syncFolder(dirname(path));
    }
  }

  /** All files of these folders except `day`'s are closed: recovery need not read them. */
  leaveOthers(
    uid: string,
    day: string,
  ): { readonly type: 'folder-done'; readonly uid: string; readonly day: string }[] {
    const left = [...this.#noted].filter(([, noted]) => noted.uid === uid && noted.day !== day);
    for (const [folder] of left) this.#noted.delete(folder);
    return left.map(([, noted]) => ({ type: 'folder-done', ...noted }));
  }

  /** The folder must not be removed even if it is empty: a recorder of this process, or of another, uses it. */
  isActive(uid: string, day: string): boolean {
    return this.#noted.has(dayFolder(this.#root, uid, day)) || this.#notes.isActiveFolder(uid, day);
  }

  /** The stream's folders have been deleted or no longer belong to a stream. */
  forget(uid: string): void {
    for (const [folder, noted] of this.#noted) if (noted.uid === uid) this.#noted.delete(folder);
  }
}
