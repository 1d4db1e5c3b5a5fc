import { dirname } from 'node:path';
import type { CatalogSink } from './catalog-writer.ts';
import type { ArchiveFiles } from './files.ts';
import { dayFolder, streamFolder } from './layout.ts';

/**
 * The day folders in which files may lie that have no row yet. The note in the catalog comes before the first file, so that
 * recovery finds every file by looking into the noted folders alone.
 */
export class ActiveFolders {
  readonly #root: string;
  readonly #files: ArchiveFiles;
  readonly #catalog: CatalogSink;
  readonly #noted = new Map<string, { readonly uid: string; readonly day: string }>();

  constructor(root: string, files: ArchiveFiles, catalog: CatalogSink) {
    this.#root = root;
    this.#files = files;
    this.#catalog = catalog;
  }

  /** Notes the folder and makes it, flushing each parent in which a name is new. */
  async enter(uid: string, day: string): Promise<void> {
    const folder = dayFolder(this.#root, uid, day);
    if (!this.#noted.has(folder)) {
      await this.#catalog.commit([{ type: 'folder', uid, day }]);
      this.#noted.set(folder, { uid, day });
    }
    for (const path of [streamFolder(this.#root, uid), folder]) {
      // Flushed also when it was there: who made it may have been killed before the flush.
      await this.#files.makeFolder(path);
      await this.#files.syncFolder(dirname(path));
    }
  }

  /** All files of these folders but `day`'s are closed: recovery has nothing to look for there. */
  leaveOthers(
    uid: string,
    day: string,
  ): { readonly type: 'folder-done'; readonly uid: string; readonly day: string }[] {
    const left = [...this.#noted].filter(([, noted]) => noted.uid === uid && noted.day !== day);
    for (const [folder] of left) this.#noted.delete(folder);
    return left.map(([, noted]) => ({ type: 'folder-done', ...noted }));
  }

  /** The folder may not be removed although it is empty. */
  isActive(uid: string, day: string): boolean {
    return this.#noted.has(dayFolder(this.#root, uid, day));
  }

  /** The stream's folders are gone or are nobody's any more. */
  forget(uid: string): void {
    for (const [folder, noted] of this.#noted) if (noted.uid === uid) this.#noted.delete(folder);
  }
}
