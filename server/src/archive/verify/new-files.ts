import type { ArchiveFiles } from '../segments/segments.ts';

/**
 * The files that recorders have created since the start, registered before they are on the disk. A search for
 * files without rows ignores them, because their rows are about to be committed.
 */
export class NewFiles {
  #paths: Set<string> | undefined = new Set();

  /** The same disk; each file is registered before it is created. */
  over(files: ArchiveFiles): ArchiveFiles {
    return {
      ...files,
      create: (path) => {
        this.#paths?.add(path);
        return files.create(path);
      },
    };
  }

  has(path: string): boolean {
    return this.#paths?.has(path) === true;
  }

  /** Called when the search is over: the names of a year of files would fill the memory. */
  forget(): void {
    this.#paths = undefined;
  }
}
