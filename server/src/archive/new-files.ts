import type { ArchiveFiles } from './files.ts';

/**
 * The files that recorders made since the start, known before they are on the disk. A search for files without rows
 * leaves these alone, because their rows are about to be committed.
 */
export class NewFiles {
  #paths: Set<string> | undefined = new Set();

  /** The same disk; each file that is made there is noted first. */
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

  /** Once the search is over: the names of a year would fill the memory. */
  forget(): void {
    this.#paths = undefined;
  }
}
