/** What a sink does with its buffer, one after the other. */
export type SinkOperation =
  | { readonly type: 'type'; readonly mimeType: string }
  | { readonly type: 'append'; readonly bytes: Uint8Array[] }
  | { readonly type: 'remove'; readonly start: number; readonly end: number }
  | { readonly type: 'mark'; readonly reached: () => void };

/** Pending appends are joined up to this size; one large append costs less than many small ones. */
const JOIN_LIMIT_BYTES = 4 * 1024 * 1024;
/** More than this pending means that appending can't keep up at all. */
const QUEUE_LIMIT_BYTES = 64 * 1024 * 1024;

/** The operations that wait for a SourceBuffer, which does one at a time, and their bytes. */
export class SinkQueue {
  #operations: SinkOperation[] = [];
  #pendingBytes = 0;
  #takenBytes = 0;

  /** Total bytes received. */
  get takenBytes(): number {
    return this.#takenBytes;
  }

  /** Appending can't keep up. */
  get isTooLong(): boolean {
    return this.#pendingBytes > QUEUE_LIMIT_BYTES;
  }

  get next(): SinkOperation | undefined {
    return this.#operations[0];
  }

  push(operation: SinkOperation): void {
    this.#operations.push(operation);
  }

  /** Appends after everything pending; joins an append that is last there. */
  append(bytes: Uint8Array): void {
    this.#takenBytes += bytes.length;
    this.#pendingBytes += bytes.length;
    const last = this.#operations.at(-1);
    if (last?.type === 'append') last.bytes.push(bytes);
    else this.push({ type: 'append', bytes: [bytes] });
  }

  /** The next operation is done, or is to be left out. */
  shift(): void {
    this.#operations.shift();
  }

  /** The first slices of an append were appended: `bytes`, `count` slices. */
  shiftBytes(slices: Uint8Array[], { bytes, count }: JoinedSlices): void {
    this.#pendingBytes -= bytes.length;
    slices.splice(0, count);
    if (slices.length === 0) this.shift();
  }

  /** Discards everything pending; marks count as reached. */
  drop(): void {
    const dropped = this.#operations;
    this.#operations = [];
    this.#pendingBytes = 0;
    for (const operation of dropped) if (operation.type === 'mark') operation.reached();
  }
}

export interface JoinedSlices {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly count: number;
}

/** The first slices joined, up to the limit (or one slice, however long). */
export function joinFirst(slices: readonly Uint8Array[]): JoinedSlices {
  let length = 0;
  let count = 0;
  for (const slice of slices) {
    if (count > 0 && length + slice.length > JOIN_LIMIT_BYTES) break;
    length += slice.length;
    count += 1;
  }
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const slice of slices.slice(0, count)) {
    bytes.set(slice, at);
    at += slice.length;
  }
  return { bytes, count };
}
