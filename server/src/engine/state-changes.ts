/**
 * Which streams changed state since a revision, without iterating over ten thousand of them for every poll: the
 * newest changes are kept in order, and a caller that is further behind gets all streams.
 */
export class StateChanges {
  readonly #capacity: number;
  #uids: string[] = [];
  #oldest = 1;

  constructor(capacity = 4096) {
    this.#capacity = capacity;
  }

  /** Incremented with every change; 0 before the first. */
  get revision(): number {
    return this.#oldest - 1 + this.#uids.length;
  }

  add(uid: string): void {
    this.#uids.push(uid);
    if (this.#uids.length < this.#capacity * 2) return;
    this.#oldest += this.#capacity;
    this.#uids = this.#uids.slice(this.#capacity);
  }

  /**
   * The streams that changed after `revision`, each once; undefined if the revision is older than the stored
   * changes.
   */
  since(revision: number): ReadonlySet<string> | undefined {
    if (revision < this.#oldest - 1 || revision > this.revision) return undefined;
    return new Set(this.#uids.slice(revision - this.#oldest + 1));
  }
}
