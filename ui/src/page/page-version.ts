/**
 * Whether the server has replaced the page by another version. The files of a version have names of their own, so that parts
 * of the page that were not loaded before can't be loaded any more.
 */
export class PageVersion {
  #isReplaced = false;
  readonly #hasOwnFile: () => Promise<boolean>;
  readonly #listeners = new Set<() => void>();

  /** `hasOwnFile` tells whether the server still has a file of this version that names all others. */
  constructor(hasOwnFile: () => Promise<boolean>) {
    this.#hasOwnFile = hasOwnFile;
  }

  readonly isReplaced = (): boolean => this.#isReplaced;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Asks the server after a part failed to load; a server that doesn't answer proves nothing. */
  async check(): Promise<boolean> {
    if (this.#isReplaced || (await this.#hasOwnFile().catch(() => true))) return this.#isReplaced;
    this.#isReplaced = true;
    for (const listener of this.#listeners) listener();
    return true;
  }
}

/**
 * The version of the running page. A failed `import` does not tell the status of its response. The script that this module is
 * in names the files of all parts, so its own name changes whenever one of theirs does.
 */
export const pageVersion = new PageVersion(async () => {
  const { status, headers } = await fetch(import.meta.url, { method: 'HEAD', cache: 'no-store' });
  // A proxy whose server is being restarted may answer 404 as well, but not with an error of the API.
  return status !== 404 || !headers.get('content-type')?.includes('json');
});
