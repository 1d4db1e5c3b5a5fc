/** What O_DIRECT demands of addresses, positions and lengths: no disk in use has larger blocks. */
export const pageBytes = 4_096;
/** Of each buffer. */
export const bufferBytes = 128 * 1024;
/** Most buffers that one write takes. */
export const buffersPerWrite = 16;

/** Of all in use: 4 MiB keep any disk busy. They are kept, and cameras in step need them all every second. */
const inUseMax = 32;

interface Waiting {
  readonly count: number;
  readonly granted: PromiseWithResolvers<Uint8Array[]>;
}

/**
 * Buffers whose memory begins at a page, for writing past the page cache. Who needs more than may be in use waits for its
 * turn, so that a disk that stalls can't fill the memory with copies.
 */
export class PageBuffers {
  readonly #allocate: () => Uint8Array;
  readonly #free: Uint8Array[] = [];
  readonly #waiting: Waiting[] = [];
  #inUse = 0;

  constructor(allocate = newBuffer) {
    this.#allocate = allocate;
  }

  /** @param count at most `buffersPerWrite`; to be given back. Rejects when there is no memory for them. */
  take(count: number): Promise<Uint8Array[]> {
    const granted = Promise.withResolvers<Uint8Array[]>();
    this.#waiting.push({ count, granted });
    this.#serve();
    return granted.promise;
  }

  giveBack(buffers: readonly Uint8Array[]): void {
    this.#inUse -= buffers.length;
    this.#free.push(...buffers);
    this.#serve();
  }

  #serve(): void {
    for (let next = this.#waiting[0]; next && this.#inUse + next.count <= inUseMax; next = this.#waiting[0]) {
      this.#waiting.shift();
      try {
        const buffers = Array.from({ length: next.count }, () => this.#free.pop() ?? this.#allocate());
        this.#inUse += next.count;
        next.granted.resolve(buffers);
      } catch (error) {
        next.granted.reject(error);
      }
    }
  }
}

/** V8 reserves whole pages for memory that could grow; other memory begins anywhere. */
function newBuffer(): Uint8Array {
  return new Uint8Array(new ArrayBuffer(bufferBytes, { maxByteLength: bufferBytes }), 0, bufferBytes);
}

/** Those of the process, whatever the number of its files. */
export const pageBuffers = new PageBuffers();
