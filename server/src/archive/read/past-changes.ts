/**
 * Tells who has summed up the past that footage of one stream, or of all, was removed, came back, or was found damaged: those sums are
 * no longer valid.
 */
export class PastChanges {
  readonly #listeners: ((uid: string | undefined) => void)[] = [];

  listen(listener: (uid: string | undefined) => void): void {
    this.#listeners.push(listener);
  }

  /** Undefined: of all streams. */
  note(uid?: string): void {
    for (const listener of this.#listeners) listener(uid);
  }
}
