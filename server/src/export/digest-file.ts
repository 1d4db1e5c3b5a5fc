import { open, type FileHandle } from 'node:fs/promises';
import { fragment } from '@vidette/media/fmp4/fragment';
import { initSegment } from '@vidette/media/fmp4/init';
import type { Sample } from '@vidette/media/sample';
import type { Track } from '@vidette/media/track';
import { moveFile } from '../base/durable.ts';
import { digestTimescale } from '../ffmpeg/digest-layout.ts';

/** A frame that does not end where the next one begins is shown at most this long. */
const frameTicksMax = digestTimescale / 2;
const frameTicksMin = digestTimescale / 25;

/**
 * A digest while it is written: one fragmented MP4 with one video track, whose parts are appended one after the other.
 * Frames are kept until their GOP is complete.
 */
export class DigestFile {
  readonly #path: string;
  readonly #handle: FileHandle;
  readonly #ready: Uint8Array[] = [];
  #track: Track | undefined;
  #gop: Sample[] = [];
  #sequence = 0;
  #bytes = 0;
  /** Where the current part begins, ticks. */
  #partTicks = 0;

  private constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  /** An earlier file of that name is replaced. @throws system errors */
  static async create(path: string): Promise<DigestFile> {
    return new DigestFile(path, await open(path, 'w', 0o600));
  }

  /** Complete, but not written yet. */
  get pendingBytes(): number {
    return this.#ready.reduce((sum, { length }) => sum + length, 0);
  }

  /** Length so far. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The track of the parts that follow. @throws RangeError if it differs from the first one */
  begin(track: Track): void {
    this.#track ??= track;
    if (Buffer.compare(this.#track.config, track.config) !== 0)
      throw new RangeError('The parts of a digest have different video parameters.');
    if (this.#bytes === 0 && this.#ready.length === 0)
      this.#ready.push(initSegment([track], { durationMs: 0 }));
  }

  /** A frame of the current part, with times from its beginning. */
  add(frame: Omit<Sample, 'trackId'>): void {
    const dts = this.#partTicks + frame.dts;
    if (frame.isKey) this.#closeGop(dts);
    this.#gop.push({ ...frame, trackId: this.#track?.id ?? 1, dts, pts: dts });
  }

  /** Ends a part, whose planned length is known; a part without frames takes no time. */
  endPart(plannedMs: number): void {
    const last = this.#gop.at(-1);
    if (!last) return;
    const leftTicks = this.#partTicks + Math.round((plannedMs * digestTimescale) / 1000) - last.dts;
    this.#partTicks = last.dts + Math.max(frameTicksMin, Math.min(frameTicksMax, leftTicks));
    this.#closeGop(this.#partTicks);
  }

  /** Writes what is complete. @throws system errors */
  async write(): Promise<void> {
    for (let chunk = this.#ready.shift(); chunk; chunk = this.#ready.shift()) await this.#append(chunk);
  }

  /** Writes the rest and gives the file its final name. @returns its length */
  async finish(finalPath: string): Promise<number> {
    await this.write();
    if (this.#track) {
      // As long as the first one, with the duration.
      const init = initSegment([this.#track], {
        durationMs: Math.round((this.#partTicks * 1000) / digestTimescale),
      });
      await this.#handle.write(init, 0, init.length, 0);
    }
    await this.#handle.sync();
    await this.#handle.close();
    await moveFile(this.#path, finalPath);
    return this.#bytes;
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  #closeGop(endDts: number): void {
    if (this.#gop.length === 0 || !this.#track) return;
    const { slices } = fragment({
      sequence: ++this.#sequence,
      tracks: [{ track: this.#track, samples: this.#gop, endDts }],
    });
    this.#ready.push(...slices);
    this.#gop = [];
  }

  async #append(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length;) {
      const { bytesWritten } = await this.#handle.write(chunk, at, chunk.length - at, this.#bytes);
      if (bytesWritten === 0)
        throw Object.assign(new Error('no more bytes could be written'), { code: 'ENOSPC' });
      at += bytesWritten;
      this.#bytes += bytesWritten;
    }
  }
}
