import type { Sample } from '@vidette/media/sample';
import type { VideoTrack } from '@vidette/media/track';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { FfmpegJob } from './job.ts';
import type { FrameRegion } from './protocol.ts';
import type { SnapshotPool } from './snapshot-queue.ts';

const sampleMaxBytes = 16 * 1024 * 1024;
/** A machine under load is slow, but not that slow, ms. */
const hangMs = 20_000;
/** Frames that may end the process; another one is rather due to the machine. */
const failuresMax = 3;

interface Decoder {
  /** Of which video, as one text. */
  readonly video: string;
  readonly job: FfmpegJob;
}

/**
 * Thumbnails of key frames for one search, one at a time, from a child process of its own at lower priority. Its
 * creator closes it. When the parameters of the video change, a new decoder replaces the old one.
 */
export class ThumbnailReader {
  readonly #pool: SnapshotPool;
  readonly #clock: Clock;
  readonly #region: FrameRegion;
  #decoder: Decoder | undefined;
  /** The frame that is being decoded. */
  #pending: PromiseWithResolvers<Uint8Array | undefined> | undefined;
  #failures = 0;
  #isClosed = false;

  constructor(pool: SnapshotPool, clock: Clock, region: FrameRegion) {
    this.#pool = pool;
    this.#clock = clock;
    this.#region = region;
  }

  /**
   * The thumbnail of a key frame (`thumbnail-layout.ts`); undefined if it can't be decoded, or the process failed with it.
   * @throws Fault Unavailable when it failed several times, is closed, or without node-av
   */
  async of(track: VideoTrack, keySample: Sample): Promise<Uint8Array | undefined> {
    if (this.#isClosed) throw closed();
    if (this.#pending) throw new RangeError('A thumbnail was requested before the last one was made.');
    if (keySample.size > sampleMaxBytes) return undefined;
    const { job } = this.#decoderFor(track);
    const pending = Promise.withResolvers<Uint8Array | undefined>();
    this.#pending = pending;
    const cancelHang = this.#clock.after(hangMs, () => job.kill('a thumbnail took too long'));
    try {
      if (!job.data(Buffer.concat(keySample.data), 0)) return undefined;
      return await pending.promise;
    } finally {
      cancelHang();
      this.#pending = undefined;
    }
  }

  /** Rejects what is waited for. Idempotent. */
  close(): void {
    this.#isClosed = true;
    this.#decoder?.job.close();
    this.#decoder = undefined;
    this.#pending?.reject(closed());
  }

  #decoderFor(track: VideoTrack): Decoder {
    const config = Buffer.from(track.config).toString('base64');
    const video = `${track.codec} ${config}`;
    if (this.#decoder?.video === video) return this.#decoder;
    this.#decoder?.job.close();
    const job = this.#pool.open(
      () => ({ kind: 'thumbnail', codec: track.codec, config, region: this.#region }),
      'thumbnail',
      {
        message: (message) => {
          if (message.type !== 'thumbnail') return;
          // The message is a view of the pipe's read buffer.
          this.#pending?.resolve(message.bytes.length > 0 ? Uint8Array.from(message.bytes) : undefined);
        },
        ended: (fault) => {
          if (this.#decoder?.job === job) this.#decoder = undefined;
          // Parameters that no decoder accepts are those of a frame that can't be decoded.
          if (fault?.code === 'Unavailable' && ++this.#failures > failuresMax) this.#pending?.reject(fault);
          else this.#pending?.resolve(undefined);
        },
      },
    );
    this.#decoder = { video, job };
    return this.#decoder;
  }
}

function closed(): Fault {
  return new Fault('Unavailable', 'The comparison of frames has ended.');
}
