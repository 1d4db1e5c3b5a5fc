import type { FileHandle } from 'node:fs/promises';
import { remuxedHead, type RemuxedFragment, type RemuxedSegment } from '@vidette/media/mp4/remux';
import { Fault } from '../../base/fault.ts';
import type { SegmentReader } from '../segments/segments.ts';

/** Samples of several tracks lie next to each other; what lies between them may be read, too. */
const spareBytes = 1 << 20;

/** A fragment that has been put together. */
interface WholeFragment {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/**
 * The bytes of a segment whose media are in a file of another program: the boxes are made, the samples are copied, one fragment
 * at a time.
 */
export class ImportedSegment implements SegmentReader {
  readonly #handle: FileHandle;
  readonly #segment: RemuxedSegment;
  readonly #startTicks: number;
  /** Of each fragment, from the start of the segment. */
  readonly #offsets: readonly number[];
  #last: WholeFragment | undefined;

  /** @param handle is closed with the segment */
  constructor(handle: FileHandle, segment: RemuxedSegment, startTicks: number) {
    this.#handle = handle;
    this.#segment = segment;
    this.#startTicks = startTicks;
    let at = segment.init.length;
    this.#offsets = segment.fragments.map(({ bytes }) => {
      const offset = at;
      at += bytes;
      return offset;
    });
  }

  async read(offset: number, length: number): Promise<Uint8Array> {
    const { init } = this.#segment;
    const pieces: Uint8Array[] = [];
    let at = offset;
    if (at < init.length) {
      pieces.push(init.subarray(at, offset + length));
      at = Math.min(init.length, offset + length);
    }
    while (at < offset + length) {
      const fragment = await this.#fragmentAt(at);
      const piece = fragment.bytes.subarray(at - fragment.offset, offset + length - fragment.offset);
      pieces.push(piece);
      at += piece.length;
    }
    const [only] = pieces;
    return pieces.length === 1 && only ? only : Buffer.concat(pieces);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async #fragmentAt(at: number): Promise<WholeFragment> {
    const last = this.#last;
    if (last && at >= last.offset && at < last.offset + last.bytes.length) return last;
    const index = this.#offsets.findLastIndex((offset) => offset <= at);
    const fragment = this.#segment.fragments[index];
    const offset = this.#offsets[index] ?? 0;
    if (!fragment || at >= offset + fragment.bytes) throw changed();
    const head = remuxedHead(fragment, this.#startTicks, index + 1);
    const bytes = Buffer.allocUnsafe(fragment.bytes);
    bytes.set(head, 0);
    await this.#copySamples(fragment, bytes, head.length);
    this.#last = { offset, bytes };
    return this.#last;
  }

  async #copySamples({ runs }: RemuxedFragment, into: Uint8Array, from: number): Promise<void> {
    const samples = runs.flatMap((run) => run.samples);
    let start = Infinity;
    let end = 0;
    for (const { position, size } of samples) {
      start = Math.min(start, position);
      end = Math.max(end, position + size);
    }
    const mediaBytes = into.length - from;
    // Interleaved samples are read together, others one by one.
    const span =
      end - start <= 2 * mediaBytes + spareBytes ? await this.#readExactly(start, end - start) : undefined;
    let at = from;
    for (const { position, size } of samples) {
      const bytes = span?.subarray(position - start, position - start + size);
      into.set(bytes ?? (await this.#readExactly(position, size)), at);
      at += size;
    }
  }

  async #readExactly(position: number, length: number): Promise<Uint8Array> {
    const bytes = Buffer.allocUnsafe(length);
    for (let at = 0; at < length;) {
      const { bytesRead } = await this.#handle.read(bytes, at, length - at, position + at);
      if (bytesRead === 0) throw changed();
      at += bytesRead;
    }
    return bytes;
  }
}

/** The other program has changed the file since it was opened. */
function changed(): Fault {
  return new Fault('NotFound', 'This recording of another program has changed.');
}
