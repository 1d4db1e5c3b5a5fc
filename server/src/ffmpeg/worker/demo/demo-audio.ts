import { variantOf } from './demo-frame.ts';
import { aacFrameSamples } from '../codec/aac-encoder.ts';

export const demoSampleRate = 48000;

/**
 * One second of the `demo:` audio, repeated: a soft tick at the start of the second, over a barely audible
 * tone. Every frequency is a whole number of hertz, so the seam is inaudible.
 */
export class DemoAudio {
  readonly #loop: Float32Array;

  constructor(name: string) {
    const hum = 110 + variantOf(name);
    this.#loop = Float32Array.from({ length: demoSampleRate + aacFrameSamples }, (_, index) => {
      const seconds = (index % demoSampleRate) / demoSampleRate;
      const tick =
        seconds < 0.05 ? 0.2 * Math.exp(-seconds * 90) * Math.sin(2 * Math.PI * 1000 * seconds) : 0;
      return tick + 0.008 * Math.sin(2 * Math.PI * hum * seconds);
    });
  }

  /** The 1024 samples that begin `atSamples` (1/48000 s) after the epoch. */
  frame(atSamples: number): Buffer {
    const from = this.#loop.byteOffset + (atSamples % demoSampleRate) * Float32Array.BYTES_PER_ELEMENT;
    return Buffer.from(this.#loop.buffer, from, aacFrameSamples * Float32Array.BYTES_PER_ELEMENT);
  }
}
