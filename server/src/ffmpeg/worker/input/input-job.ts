import type { Packet } from 'node-av/lib';
import type { Track } from '@vidette/media/track';
import { TrackDeclarer } from '@vidette/media/track-declarer';
import { TrackSelector } from '@vidette/media/track-selector';
import { type Cancel, type Clock } from '../../../base/clock.ts';
import { parseSourceAddress } from '../../../dial/address.ts';
import type { Dial } from '../../../dial/dial.ts';
import type { InputRequest } from '../../protocol.ts';
import { CheckedProxy } from './checked-proxy.ts';
import { chooseStreams, videoTrackId } from './chosen-streams.ts';
import { Demuxer } from './demuxer.ts';
import { describeFailure } from './input-failure.ts';
import { inputOptions, type OutboundPath } from './input-options.ts';
import type { Job, JobOutput } from '../../worker-job.ts';
import type { MediaPath, OutgoingSample, PacketTimes, PathOutput } from '../codec/media-path.ts';
import { Pacer } from './pacer.ts';
import { rtspFilter } from './rtsp-filter.ts';
import { TcpForwarder } from './tcp-forwarder.ts';

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
  readonly #demuxer: Demuxer;
  readonly #abort = new AbortController();
  readonly #running: Promise<void>;
  readonly #stopWatch: Cancel;
  readonly #dial: Dial;
  /** The proxy or relay between FFmpeg and the network; datagrams need none. */
  #outbound: CheckedProxy | TcpForwarder | undefined;
  /** What becomes of the packets of each stream, by its index. */
  #paths: ReadonlyMap<number, MediaPath> = new Map();
  #declarer: TrackDeclarer<OutgoingSample> | undefined;
  #brokenPackets = 0;

  constructor(request: InputRequest, clock: Clock, output: JobOutput, dial: Dial) {
    this.#request = request;
    this.#dial = dial;
    this.#clock = clock;
    this.#output = output;
    this.#demuxer = new Demuxer(clock, request.timeoutMs);
    this.#stopWatch = clock.every(watchPeriodMs, () => this.#watch());
    this.#running = this.#run();
  }

  data(): void {}

  async close(): Promise<void> {
    this.#abort.abort(new Error('closed'));
    this.#demuxer.interrupt();
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
      await this.#demuxer.close();
      this.#outbound?.close();
      for (const path of this.#paths.values()) path.close();
    }
  }

  #report(error: unknown): void {
    const refusal = this.#outbound?.failure;
    if (refusal && !this.#declarer?.hasBegun)
      this.#output.end({ code: refusal.code, message: refusal.message });
    else this.#output.end(describeFailure(error, this.#declarer?.hasBegun ?? false));
  }

  async #open(): Promise<void> {
    const { url, options } = inputOptions(this.#request, await this.#openOutbound());
    await this.#demuxer.open(url, options);
    if (this.#outbound instanceof CheckedProxy && this.#outbound.isPolled)
      this.#output.note('The address returns a single image, which is requested once per second.');
    this.#choose();
  }

  async #openOutbound(): Promise<OutboundPath> {
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

  #choose(): void {
    const { paths, hasAudio } = chooseStreams(this.#demuxer, (message) => this.#output.note(message));
    this.#paths = paths;
    const sink = {
      tracks: (tracks: readonly Track[]) => this.#output.tracks(tracks, 'source'),
      sample: (sample: OutgoingSample) => this.#output.sample(sample),
      awaiting: (kind: Track['kind']) => this.#output.awaiting(kind),
    };
    const announced = { video: true, audio: hasAudio };
    this.#declarer = new TrackDeclarer(sink, new TrackSelector(announced, audioPatience));
  }

  async #read(): Promise<void> {
    const { signal } = this.#abort;
    const { formatName, isSeekable, hasEnd } = this.#demuxer;
    const isTimeless = timelessFormats.test(formatName);
    const isBurst = burstFormats.test(formatName) || isSeekable || hasEnd;
    const pacer = new Pacer(this.#clock, isBurst ? 0 : liveAheadMs);
    let useless = 0;
    while (!signal.aborted) {
      const askedMs = this.#clock.monotonicMs();
      const packet = await this.#demuxer.read();
      const readMs = this.#clock.monotonicMs() - askedMs;
      const path = this.#paths.get(packet.streamIndex);
      if (!path) continue;
      const times = isTimeless ? this.#arrival() : this.#demuxer.times;
      if (times && !isTimeless) await pacer.wait(times.dtsSeconds * 1000, readMs, signal);
      if (this.#output.isFull) await this.#output.drained();
      useless = times && (await this.#pass(path, packet, times)) ? 0 : useless + 1;
      if (useless > uselessMax) throw new Error('The stream is too damaged to be used.');
    }
  }

  /** False if the packet was unusable: damaged, or before the first parameters. */
  async #pass(path: MediaPath, packet: Packet, times: PacketTimes): Promise<boolean> {
    try {
      const output = await path.push(packet, times);
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

  #watch(): void {
    this.#declarer?.look(this.#clock.monotonicMs());
    if (this.#brokenPackets > 0) {
      this.#output.note(`${this.#brokenPackets} damaged packets could not be used.`);
      this.#brokenPackets = 0;
    }
    this.#demuxer.endOverdueCall();
  }
}
