import { avChannelLayoutDefault, SoftwareResampleContext, type Frame } from 'node-av/lib';
import { AV_SAMPLE_FMT_FLTP, type AVSampleFormat } from 'node-av/constants';
import { AacEncoder, aacFrameSamples, type CodedAudio } from './aac-encoder.ts';
import { checked } from './native.ts';

/** Sampling frequencies of AAC (ISO/IEC 14496-3, table 1.18) that are kept; anything else becomes 48 kHz. */
const keptRates: readonly number[] = [8000, 11025, 12000, 16000, 22050, 24000, 32000, 44100, 48000];
/** Timestamps further than this from the end of the preceding audio restart the timeline there. */
const jumpSeconds = 0.2;
/** Samples by which one AAC frame may be shifted to follow the timestamps; 1 % is inaudible. */
const slewSamples = 10;
/** Samples of one decoded frame: 4 s at 48 kHz, more than any codec has. */
const frameMaxSamples = 192_000;

/**
 * Converts decoded audio of any format for AAC-LC with at most two channels; its time slowly follows the time
 * of the input.
 */
export class AudioResampler {
  readonly encoder: AacEncoder;
  readonly #planes: Float32Array[];
  #resampler: SoftwareResampleContext | undefined;
  #inputFormat = '';
  /** Samples that wait for a complete frame, and the time of the first of them. */
  #filled = 0;
  #headTicks: number | undefined;

  constructor(trackId: number, first: Frame) {
    const sampleRate = keptRates.includes(first.sampleRate) ? first.sampleRate : 48000;
    const channels = Math.min(2, Math.max(1, first.channels));
    this.encoder = new AacEncoder({ trackId, sampleRate, channels });
    this.#planes = Array.from({ length: channels }, () => new Float32Array(aacFrameSamples));
  }

  /** `seconds`: the source's time of the frame's first sample. The caller still owns the frame. */
  push(frame: Frame, seconds: number): CodedAudio[] {
    if (frame.nbSamples > frameMaxSamples) throw new RangeError(`A frame of ${frame.nbSamples} samples.`);
    const resampler = this.#resamplerFor(frame);
    const { sampleRate } = this.encoder.track;
    this.#follow(seconds * sampleRate - Number(resampler.getDelay(BigInt(sampleRate))));
    const room = resampler.getOutSamples(frame.nbSamples);
    const output = this.#planes.map(() => Buffer.alloc(room * Float32Array.BYTES_PER_ELEMENT));
    const input = frame.extendedData ?? frame.data;
    const count = checked(resampler.convertSync(output, room, input, frame.nbSamples), 'resampling');
    const audio = output.map(({ buffer, byteOffset }) => new Float32Array(buffer, byteOffset, count));
    return this.#encode(audio, count);
  }

  close(): void {
    this.#resampler?.free();
    this.#resampler = undefined;
    this.encoder.close();
  }

  #resamplerFor(frame: Frame): SoftwareResampleContext {
    const format = `${frame.format}/${frame.sampleRate}/${frame.channels}`;
    if (this.#resampler && format === this.#inputFormat) return this.#resampler;
    this.#resampler?.free();
    const { sampleRate, channels } = this.encoder.track;
    const resampler = new SoftwareResampleContext();
    checked(
      resampler.allocSetOpts2(
        avChannelLayoutDefault(channels),
        AV_SAMPLE_FMT_FLTP,
        sampleRate,
        avChannelLayoutDefault(frame.channels),
        frame.format as AVSampleFormat,
        frame.sampleRate,
      ),
      'opening the resampler',
    );
    checked(resampler.init(), 'opening the resampler');
    this.#resampler = resampler;
    this.#inputFormat = format;
    return resampler;
  }

  /** Compares the end of the audio so far with the time of its next sample. */
  #follow(ticks: number): void {
    const { sampleRate } = this.encoder.track;
    const missing = this.#headTicks === undefined ? Infinity : ticks - (this.#headTicks + this.#filled);
    if (this.#headTicks === undefined || Math.abs(missing) > jumpSeconds * sampleRate) {
      this.#filled = 0;
      this.#headTicks = Math.round(ticks);
      return;
    }
    this.#headTicks += Math.round(Math.max(-slewSamples, Math.min(slewSamples, missing)));
  }

  #encode(audio: readonly Float32Array[], count: number): CodedAudio[] {
    const coded: CodedAudio[] = [];
    let taken = 0;
    while (taken < count) {
      const part = Math.min(aacFrameSamples - this.#filled, count - taken);
      this.#planes.forEach((plane, channel) => {
        plane.set(audio[channel]?.subarray(taken, taken + part) ?? [], this.#filled);
      });
      this.#filled += part;
      taken += part;
      if (this.#filled === aacFrameSamples) coded.push(...this.#flush());
    }
    return coded;
  }

  #flush(): CodedAudio[] {
    const at = this.#headTicks ?? 0;
    this.#headTicks = at + aacFrameSamples;
    this.#filled = 0;
    const bytes = this.#planes.map((plane) => Buffer.from(plane.buffer, plane.byteOffset, plane.byteLength));
    return this.encoder.encode(Buffer.concat(bytes), at);
  }
}
