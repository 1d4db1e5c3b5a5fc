import { Dictionary, FormatContext, Packet, type Stream } from 'node-av/lib';
import {
  AV_CODEC_ID_AAC,
  AV_CODEC_ID_H264,
  AV_CODEC_ID_HEVC,
  AV_CODEC_ID_OPUS,
  AV_NOPTS_VALUE,
  AVDISCARD_ALL,
  AVMEDIA_TYPE_AUDIO,
  AVMEDIA_TYPE_VIDEO,
} from 'node-av/constants';
import type { Track } from '@vidette/media/track';
import { TrackDeclarer } from '@vidette/media/track-declarer';
import { TrackSelector } from '@vidette/media/track-selector';
import { type Cancel, type Clock } from '../../../base/clock.ts';
import { parseSourceAddress } from '../../../dial/address.ts';
import type { Dial } from '../../../dial/dial.ts';
import type { InputRequest } from '../../protocol.ts';
import { aacCopy, opusCopy } from './audio-copy.ts';
import { AudioTranscoding } from './audio-transcoding.ts';
import { CheckedProxy } from './checked-proxy.ts';
import { describeFailure } from './input-failure.ts';
import { inputOptions, type OutboundPath } from './input-options.ts';
import type { Job, JobOutput } from '../../worker-job.ts';
import type { MediaPath, OutgoingSample, PacketTimes, PathOutput } from '../codec/media-path.ts';
import { checked } from '../codec/native.ts';
import { Pacer } from './pacer.ts';
import { rtspFilter } from './rtsp-filter.ts';
import { TcpForwarder } from './tcp-forwarder.ts';
import { VideoTranscoding } from './video-transcoding.ts';
import { VideoCopy } from './video-copy.ts';

const videoTrackId = 1;
const audioTrackId = 2;
const watchPeriodMs = 1000;
/** Containers interleave the audio up to a second or more behind the video. */
const audioPatience = { startMs: 2000, silentMs: 10_000 };
/** Number of consecutive unusable packets after which the source counts as broken. */
const uselessMax = 500;
/** Formats whose packets have no timestamps: they get their arrival times. */
const timelessFormats = /^(mpjpeg|mjpeg|h264|hevc|jpeg_pipe|image2pipe)/;
/**
 * How far a live source may run ahead before it is throttled: as much as servers buffer for new clients, ms.
 */
const liveAheadMs = 5000;
/** Formats that deliver in bursts over any transport. */
const burstFormats = /^(hls|dash|concat)/;

/** One network source (or file, in tests) read by FFmpeg. */
export class InputJob implements Job {
  readonly #request: InputRequest;
  readonly #clock: Clock;
  readonly #output: JobOutput;
  readonly #format = new FormatContext();
  readonly #packet = new Packet();
  readonly #paths = new Map<number, MediaPath>();
  readonly #abort = new AbortController();
  readonly #running: Promise<void>;
  readonly #stopWatch: Cancel;
  readonly #dial: Dial;
  /** The proxy or relay between FFmpeg and the network; datagrams need none. */
  #outbound: CheckedProxy | TcpForwarder | undefined;
  #declarer: TrackDeclarer<OutgoingSample> | undefined;
  /** Start of the native call in progress, monotonic ms; undefined without one. */
  #waitsSinceMs: number | undefined;
  #brokenPackets = 0;
  /** The context is being freed and must not be used. */
  #isReleasing = false;

  constructor(request: InputRequest, clock: Clock, output: JobOutput, dial: Dial) {
    this.#request = request;
    this.#dial = dial;
    this.#clock = clock;
    this.#output = output;
    // Without this the context has no interrupt callback to call yet.
    this.#format.allocContext();
    this.#packet.alloc();
    this.#stopWatch = clock.every(watchPeriodMs, () => this.#watch());
    this.#running = this.#run();
  }

  data(): void {}

  async close(): Promise<void> {
    this.#abort.abort(new Error('closed'));
    if (!this.#isReleasing) this.#format.interrupt();
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      await this.#open();
      await this.#read();
    } catch (error) {
      if (!this.#abort.signal.aborted) this.#report(error);
    } finally {
      this.#stopWatch();
      this.#isReleasing = true;
      await this.#format.closeInput();
      this.#outbound?.close();
      for (const path of this.#paths.values()) path.close();
      this.#packet.free();
    }
  }

  #report(error: unknown): void {
    const refusal = this.#outbound?.failure;
    if (refusal && !this.#declarer?.hasBegun)
      this.#output.end({ code: refusal.code, message: refusal.message });
    else this.#output.end(describeFailure(error, this.#declarer?.hasBegun ?? false));
  }

  async #open(): Promise<void> {
    const { url, options } = inputOptions(this.#request, await this.#openWay());
    checked(await this.#native(this.#format.openInput(url, null, Dictionary.fromObject(options))), 'opening');
    checked(await this.#native(this.#format.findStreamInfo(null)), 'probing the stream');
    if (this.#outbound instanceof CheckedProxy && this.#outbound.isPolled)
      this.#output.note('The address returns a single image, which is requested once per second.');
    this.#choose();
  }

  async #openWay(): Promise<OutboundPath> {
    const { url, allowFile } = this.#request;
    const address = allowFile ? undefined : /^(https?|rtmps?|rtsps?):\/\//.exec(url)?.[1];
    if (address === undefined) return {};
    if (address.startsWith('http')) {
      const proxy = new CheckedProxy(this.#dial, this.#clock, parseSourceAddress(url).credentials);
      this.#outbound = proxy;
      return { proxy: { url: await proxy.listen(), userAgent: proxy.userAgent } };
    }
    const { host, port } = this.#request;
    const connect = () => this.#dial(host, port, address.endsWith('s'));
    const relay = new TcpForwarder(connect, address.startsWith('rtsp') ? rtspFilter : undefined);
    this.#outbound = relay;
    return { forwarderPort: await relay.listen() };
  }

  /**
   * Picks one video and one audio stream; the others are not read, and not even fetched if the format allows
   * it.
   */
  #choose(): void {
    const { streams } = this.#format;
    const videoIndex = this.#format.findBestStream(AVMEDIA_TYPE_VIDEO);
    const video = streams[videoIndex];
    if (videoIndex < 0 || !video || video.attachedPic) throw new Error('There is no video in this stream.');
    const audioIndex = this.#format.findBestStream(AVMEDIA_TYPE_AUDIO, -1, videoIndex);
    const audio = audioIndex < 0 ? undefined : streams[audioIndex];
    this.#paths.set(videoIndex, this.#videoPath(video));
    const audioPath = audio && this.#audioPath(audio);
    if (audioPath) this.#paths.set(audioIndex, audioPath);
    streams.forEach((stream, index) => {
      if (!this.#paths.has(index)) stream.discard = AVDISCARD_ALL;
    });
    const sink = {
      tracks: (tracks: readonly Track[]) => this.#output.tracks(tracks, 'source'),
      sample: (sample: OutgoingSample) => this.#output.sample(sample),
      awaiting: (kind: Track['kind']) => this.#output.awaiting(kind),
    };
    const announced = { video: true, audio: audioPath !== undefined };
    this.#declarer = new TrackDeclarer(sink, new TrackSelector(announced, audioPatience));
  }

  #videoPath(stream: Stream): MediaPath {
    const { codecId, extradata } = stream.codecpar;
    if (codecId === AV_CODEC_ID_H264) return new VideoCopy('h264', videoTrackId, extradata ?? undefined);
    if (codecId === AV_CODEC_ID_HEVC) return new VideoCopy('h265', videoTrackId, extradata ?? undefined);
    this.#output.note(
      'The video is transcoded to H.264, because browsers and MP4 files do not support its codec.',
    );
    return new VideoTranscoding(videoTrackId, stream);
  }

  /** Undefined if the audio cannot be used; the video continues without it. */
  #audioPath(stream: Stream): MediaPath | undefined {
    const { codecId, extradata } = stream.codecpar;
    try {
      if (codecId === AV_CODEC_ID_AAC) return aacCopy(audioTrackId, extradata ?? undefined);
      const opus = codecId === AV_CODEC_ID_OPUS ? opusCopy(audioTrackId, extradata ?? undefined) : undefined;
      return opus ?? new AudioTranscoding(audioTrackId, stream);
    } catch (error) {
      this.#output.note(`The audio is left out: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  async #read(): Promise<void> {
    const { signal } = this.#abort;
    const name = this.#format.iformat?.name ?? '';
    const isTimeless = timelessFormats.test(name);
    const isBurst = burstFormats.test(name) || (this.#format.pb?.seekable ?? 0) !== 0 || this.#hasEnd;
    const pacer = new Pacer(this.#clock, isBurst ? 0 : liveAheadMs);
    let useless = 0;
    while (!signal.aborted) {
      const askedMs = this.#clock.monotonicMs();
      checked(await this.#native(this.#format.readFrame(this.#packet)), 'reading');
      const readMs = this.#clock.monotonicMs() - askedMs;
      const path = this.#paths.get(this.#packet.streamIndex);
      if (path) {
        const times = isTimeless ? this.#arrival() : this.#times();
        if (times && !isTimeless) await pacer.wait(times.dtsSeconds * 1000, readMs, signal);
        if (this.#output.isFull) await this.#output.drained();
        useless = times && (await this.#pass(path, times)) ? 0 : useless + 1;
        if (useless > uselessMax) throw new Error('The stream is too damaged to be used.');
      }
      this.#packet.unref();
    }
  }

  /** Whether it is a file, however it is served: a live stream has no duration. */
  get #hasEnd(): boolean {
    const { duration } = this.#format;
    return duration !== AV_NOPTS_VALUE && duration > 0n;
  }

  /** False if the packet was unusable: damaged, or before the first parameters. */
  async #pass(path: MediaPath, times: PacketTimes): Promise<boolean> {
    try {
      const output = await path.push(this.#packet, times);
      for (const item of output) this.#take(item);
      return output.length > 0;
    } catch {
      // Counted and reported once a second; many in succession end the source with an error.
      this.#brokenPackets++;
      return false;
    }
  }

  #take(item: PathOutput): void {
    const declarer = this.#declarer;
    const nowMs = this.#clock.monotonicMs();
    if (item.type === 'awaiting') declarer?.awaitVideo(nowMs);
    else if (item.type === 'track') declarer?.setTrack(item.track);
    else if (item.sample.trackId === videoTrackId) declarer?.video(item.sample, nowMs);
    else declarer?.audio(item.sample, nowMs);
  }

  #arrival(): PacketTimes {
    const seconds = this.#clock.monotonicMs() / 1000;
    return { dtsSeconds: seconds, ptsSeconds: seconds };
  }

  #times(): PacketTimes | undefined {
    const { dts, pts, timeBase } = this.#packet;
    const stream = this.#format.streams[this.#packet.streamIndex];
    const base = timeBase.num > 0 ? timeBase : stream?.timeBase;
    if (!base) return undefined;
    const seconds = (ticks: bigint) => (Number(ticks) * base.num) / base.den;
    if (dts === AV_NOPTS_VALUE && pts === AV_NOPTS_VALUE) return undefined;
    return {
      dtsSeconds: seconds(dts === AV_NOPTS_VALUE ? pts : dts),
      ptsSeconds: seconds(pts === AV_NOPTS_VALUE ? dts : pts),
    };
  }

  /** Marks when a native call starts waiting for the network, so that `#watch` can abort it. */
  async #native<T>(call: Promise<T>): Promise<T> {
    this.#waitsSinceMs = this.#clock.monotonicMs();
    try {
      return await call;
    } finally {
      this.#waitsSinceMs = undefined;
    }
  }

  #watch(): void {
    this.#declarer?.look(this.#clock.monotonicMs());
    if (this.#brokenPackets > 0) {
      this.#output.note(`${this.#brokenPackets} damaged packets could not be used.`);
      this.#brokenPackets = 0;
    }
    if (this.#waitsSinceMs === undefined) return;
    if (this.#clock.monotonicMs() - this.#waitsSinceMs > this.#request.timeoutMs) this.#format.interrupt();
  }
}
