/**
 * Notifies those who cache totals of the past that footage of one stream, or of all, was deleted, restored or
 * found damaged: the cached totals are no longer valid.
 */
export class PastChanges {
  readonly #listeners: ((uid: string | undefined) => void)[] = [];

  listen(listener: (uid: string | undefined) => void): void {
    this.#listeners.push(listener);
  }

  /** Undefined: all streams. */
  note(uid?: string): void {
    for (const listener of this.#listeners) listener(uid);
  }
}
