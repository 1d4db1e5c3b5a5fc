import type { ArchiveFiles } from './files.ts';

/**
 * The files that recorders made since the start, known before they are on the disk. Whoever looks for files without rows
 * leaves these alone: their rows are on their way.
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

  /** When nobody looks any more: the names of a year would fill the memory. */
  forget(): void {
    this.#paths = undefined;
  }
}
