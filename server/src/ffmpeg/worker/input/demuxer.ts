import { Dictionary, FormatContext, Packet, type Stream } from 'node-av/lib';
import { AV_NOPTS_VALUE, type AVMediaType } from 'node-av/constants';
import type { Clock } from '../../../base/clock.ts';
import type { PacketTimes } from '../codec/media-path.ts';
import { checked } from '../codec/native.ts';

/**
 * One FFmpeg input with its packet. Both are freed together, and only when no native call is in progress: a part that is
 * freed alone crashes native code.
 */
export class Demuxer {
  readonly #clock: Clock;
  readonly #timeoutMs: number;
  readonly #format = new FormatContext();
  readonly #packet = new Packet();
  /** Start of the native call in progress, monotonic ms; undefined without one. */
  #waitsSinceMs: number | undefined;
  /** The context is being freed and must not be used. */
  #isReleasing = false;

  /** @param timeoutMs how long one call may wait for the network, once `endOverdueCall` is called regularly */
  constructor(clock: Clock, timeoutMs: number) {
    this.#clock = clock;
    this.#timeoutMs = timeoutMs;
    // Without this the context has no interrupt callback to call yet.
    this.#format.allocContext();
    this.#packet.alloc();
  }

  /** Opens the input and reads until its streams are known. Throws what FFmpeg reports. */
  async open(url: string, options: Readonly<Record<string, string>>): Promise<void> {
    checked(await this.#native(this.#format.openInput(url, null, Dictionary.fromObject(options))), 'opening');
    checked(await this.#native(this.#format.findStreamInfo(null)), 'probing the stream');
  }

  /** Short names of the format, as FFmpeg lists them: `mov,mp4,m4a`. */
  get formatName(): string {
    return this.#format.iformat?.name ?? '';
  }

  get streams(): readonly Stream[] {
    return this.#format.streams;
  }

  get isSeekable(): boolean {
    return (this.#format.pb?.seekable ?? 0) !== 0;
  }

  /** Whether it is a file, however it is served: a live stream has no duration. */
  get hasEnd(): boolean {
    const { duration } = this.#format;
    return duration !== AV_NOPTS_VALUE && duration > 0n;
  }

  /** Index of the stream of a kind that FFmpeg prefers, negative without one. @param related index of a stream it belongs to */
  bestOf(kind: AVMediaType, related = -1): number {
    return this.#format.findBestStream(kind, -1, related);
  }

  /** The next packet, valid until the next call. Throws what FFmpeg reports, the end of the input too. */
  async read(): Promise<Packet> {
    this.#packet.unref();
    checked(await this.#native(this.#format.readFrame(this.#packet)), 'reading');
    return this.#packet;
  }

  /** Times of the packet that was read; undefined when it has none. */
  get times(): PacketTimes | undefined {
    const { dts, pts, timeBase, streamIndex } = this.#packet;
    const base = timeBase.num > 0 ? timeBase : this.#format.streams[streamIndex]?.timeBase;
    if (!base) return undefined;
    const seconds = (ticks: bigint) => (Number(ticks) * base.num) / base.den;
    if (dts === AV_NOPTS_VALUE && pts === AV_NOPTS_VALUE) return undefined;
    return {
      dtsSeconds: seconds(dts === AV_NOPTS_VALUE ? pts : dts),
      ptsSeconds: seconds(pts === AV_NOPTS_VALUE ? dts : pts),
    };
  }

  /** The native call in progress, and every later one, fails soon. */
  interrupt(): void {
    if (!this.#isReleasing) this.#format.interrupt();
  }

  /** To be called regularly: interrupts a native call that has waited for too long. */
  endOverdueCall(): void {
    if (this.#waitsSinceMs === undefined) return;
    if (this.#clock.monotonicMs() - this.#waitsSinceMs > this.#timeoutMs) this.interrupt();
  }

  /** Frees everything; to be called once, after the last call has settled. */
  async close(): Promise<void> {
    this.#isReleasing = true;
    await this.#format.closeInput();
    this.#packet.free();
  }

  async #native<T>(call: Promise<T>): Promise<T> {
    this.#waitsSinceMs = this.#clock.monotonicMs();
    try {
      return await call;
    } finally {
      this.#waitsSinceMs = undefined;
    }
  }
}
