import type { Sample } from '@vidette/media/sample';

/**
 * The samples since the newest key frame, so that a new viewer gets a frame immediately. A GOP over the byte
 * limit (from a camera with one key frame per minute, or an attacker) is dropped until the next key frame.
 */
export class GopBuffer {
  readonly #maxBytes: number;
  #samples: Sample[] = [];
  #bytes = 0;
  #overflown = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get samples(): readonly Sample[] {
    return this.#samples;
  }

  add(sample: Sample, startsGop: boolean): void {
    if (startsGop) {
      this.#samples = [];
      this.#bytes = 0;
      this.#overflown = false;
    } else if (this.#overflown || this.#samples.length === 0) {
      return;
    }
    this.#bytes += sample.size;
    if (this.#bytes > this.#maxBytes) {
      this.clear();
      this.#overflown = true;
      return;
    }
    this.#samples.push(sample);
  }

  clear(): void {
    this.#samples = [];
    this.#bytes = 0;
    this.#overflown = false;
  }
}
