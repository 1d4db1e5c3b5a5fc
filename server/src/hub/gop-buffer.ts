import type { Sample } from '@vidette/media/sample';
import { releaseSample } from '@vidette/media/sample-block';

/**
 * The samples since the newest key frame, so that a new viewer gets a frame immediately. A GOP over the byte
 * limit (from a camera with one key frame per minute, or an attacker) is dropped until the next key frame. Samples are
 * released when they leave it.
 */
export class GopBuffer {
  readonly #maxBytes: number;
  #samples: Sample[] = [];
  #bytes = 0;
  #overflown = false;

  constructor(maxBytes = 32 * 1024 * 1024) {
    this.#maxBytes = maxBytes;
  }

  get samples(): readonly Sample[] {
    return this.#samples;
  }

  /** False: it is not buffered, and remains the caller's to release. */
  add(sample: Sample, startsGop: boolean): boolean {
    if (startsGop) this.clear();
    else if (this.#overflown || this.#samples.length === 0) return false;
    this.#bytes += sample.size;
    if (this.#bytes > this.#maxBytes) {
      this.clear();
      this.#overflown = true;
      return false;
    }
    this.#samples.push(sample);
    return true;
  }

  clear(): void {
    for (const sample of this.#samples) releaseSample(sample);
    this.#samples = [];
    this.#bytes = 0;
    this.#overflown = false;
  }
}
