import {
  livePlaylist,
  skippableSegments,
  type LiveSegment,
  type PlaylistPart,
} from '@vidette/media/hls/live-playlist';
import { multivariantPlaylist } from '@vidette/media/hls/multivariant';
import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import type { Reader } from '../hub/reader.ts';
import type { Stream } from '../hub/stream.ts';
import { LiveFragmenter } from './fragmenter.ts';
import { AudioStartWait } from './audio-start-wait.ts';
import { HlsPackager } from './hls-packager.ts';
import { HlsWindow, type HlsSegment } from './hls-window.ts';

export interface HlsReply {
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
}

export interface LowLatencyHlsOptions {
  readonly stream: Stream;
  readonly clock: Clock;
  readonly log: Log;
}

const playlistType = 'application/vnd.apple.mpegurl';
const mediaType = 'video/mp4';
/** EXT-X-TARGETDURATION, seconds, unless a camera's GOPs are longer. */
const leastTargetSeconds = 4;
/**
 * PART-TARGET compared with the longest part so far. Parts must not be longer, nor, except for the last of a segment,
 * shorter than 0.85 of it (RFC 8216bis, 4.4.4.9).
 */
const partTargetMargin = 1.1;
/** Parts are listed for this many target durations back (RFC 8216bis, 4.4.4.9). */
const partsListedTargets = 3;
const queueBytes = 16 * 1024 * 1024;
/** After this time without a request the stream is no longer read and its segments are dropped. */
const idleMs = 30_000;
/** How long a request waits for the first frame, and a blocking one for its part (three target durations). */
const waitMs = 12_000;
const maxWaiters = 1_000;

interface Waiter {
  readonly isReady: () => boolean;
  readonly wake: () => void;
}

/**
 * One stream as low-latency HLS (RFC 8216bis) for players outside the page. It starts reading the stream on the
 * first request and releases it some time after the last one. It handles files and their contents, not HTTP.
 */
export class LowLatencyHls {
  readonly #options: LowLatencyHlsOptions;
  readonly #window = new HlsWindow();
  readonly #waiters = new Set<Waiter>();
  #packager: HlsPackager | undefined;
  readonly #audioStartWait: AudioStartWait;
  #reader: Reader | undefined;
  #cancelIdle: Cancel | undefined;
  #askedMs = 0;
  #partTargetSeconds = 0;
  #hasEnded = false;

  constructor(options: LowLatencyHlsOptions) {
    this.#options = options;
    this.#audioStartWait = new AudioStartWait(options.stream, options.clock, () => this.#read());
  }

  /** Whether the stream is being read now. */
  get isActive(): boolean {
    return this.#reader !== undefined;
  }

  /**
   * Returns one file: `index.m3u8`, `media.m3u8`, `init-N.mp4`, `segment-N.m4s`, `part-N-P.m4s`. Blocks as RFC
   * 8216bis requires: a playlist until the requested part is in it, a part that was hinted until it exists.
   * @throws Fault NotFound, ValidationError (wrong delivery directives), Unavailable (no frame in time)
   */
  async handle(file: string, query: URLSearchParams, signal: AbortSignal): Promise<HlsReply> {
    this.#touch();
    if (file === 'index.m3u8') return this.#index(signal);
    if (file === 'media.m3u8') return this.#media(query, signal);
    const match = /^(?:init-(\d{1,9})\.mp4|segment-(\d{1,9})\.m4s|part-(\d{1,9})-(\d{1,5})\.m4s)$/.exec(file);
    if (!match) throw notFound();
    const [, init, segment, partSegment, part] = match;
    if (init !== undefined) return mediaReply(this.#window.init(Number(init)));
    if (segment !== undefined) return this.#segment(Number(segment));
    return this.#part(Number(partSegment), Number(part), signal);
  }

  /** Releases the stream; a later request starts again. Idempotent. */
  close(): void {
    this.#cancelIdle?.();
    this.#cancelIdle = undefined;
    this.#audioStartWait.stop();
    this.#reader?.close();
    this.#reader = undefined;
    this.#packager = undefined;
    this.#window.breakTime();
    this.#window.clear();
    this.#wake(true);
  }

  async #index(signal: AbortSignal): Promise<HlsReply> {
    await this.#until(() => this.#window.isPlayable, signal);
    const { newest } = this.#window;
    const tracks = this.#packager?.tracks;
    if (!newest || !tracks) throw unavailable();
    const bytes = newest.parts.reduce((sum, part) => sum + part.bytes.length, 0);
    const bitsPerSecond = (bytes * 8) / Math.max(newest.durationSeconds, 0.1);
    // The peak of future media can only be guessed; players do not use it with a single variant.
    const variant = { uri: 'media.m3u8', peakBitsPerSecond: bitsPerSecond * 1.5, tracks };
    return playlistReply(multivariantPlaylist([variant]));
  }

  async #media(query: URLSearchParams, signal: AbortSignal): Promise<HlsReply> {
    const wanted = deliveryDirectives(query);
    await this.#until(() => this.#window.isPlayable, signal);
    const { newest } = this.#window;
    if (!newest) throw unavailable();
    if (wanted.sequence !== undefined) {
      const { sequence, part } = wanted;
      // Section 6.2.5.2: a position further ahead than a player can know of is an error.
      if (sequence > newest.sequence + 2) throw invalid('_HLS_msn');
      await this.#until(() => this.#hasEnded || this.#window.hasReached(sequence, part), signal);
    }
    return playlistReply(this.#playlist(wanted.canSkip));
  }

  #playlist(canSkip: boolean): string {
    const window = this.#window;
    const targetDurationSeconds = Math.max(leastTargetSeconds, Math.round(window.longestSegmentSeconds));
    const { listed } = window;
    const complete = listed.filter(({ isComplete }) => isComplete);
    const open = listed.find(({ isComplete }) => !isComplete);
    const segments = complete.map((segment, at) =>
      describeSegment(segment, secondsAfter(complete, at) < partsListedTargets * targetDurationSeconds),
    );
    const [first] = listed;
    if (window.longestPartSeconds > this.#partTargetSeconds)
      this.#partTargetSeconds = Math.ceil(window.longestPartSeconds * partTargetMargin * 100) / 100;
    return livePlaylist({
      targetDurationSeconds,
      partTargetSeconds: this.#partTargetSeconds,
      mediaSequence: first?.sequence ?? window.nextSequence,
      discontinuitySequence: window.discontinuitySequence,
      segments,
      ...(open ? { open: { ...describeSegment(open, true) } } : {}),
      preloadHint: {
        uri: open ? partUri(open.sequence, open.parts.length) : partUri(window.nextSequence, 0),
      },
      hasEnded: this.#hasEnded,
      skippedSegments: canSkip ? skippableSegments(segments, targetDurationSeconds) : 0,
    });
  }

  #segment(sequence: number): HlsReply {
    const segment = this.#window.segment(sequence);
    if (!segment?.isComplete) throw notFound();
    return mediaReply(Buffer.concat(segment.parts.map(({ bytes }) => bytes)));
  }

  async #part(sequence: number, part: number, signal: AbortSignal): Promise<HlsReply> {
    const { newest } = this.#window;
    const isHinted = newest?.isComplete
      ? sequence === newest.sequence + 1 && part === 0
      : newest?.sequence === sequence && part === newest.parts.length;
    if (isHinted) await this.#until(() => this.#window.hasReached(sequence, part), signal);
    return mediaReply(this.#window.segment(sequence)?.parts[part]?.bytes);
  }

  #touch(): void {
    this.#askedMs = this.#options.clock.monotonicMs();
    if (this.#reader || this.#hasEnded) return;
    const { stream, clock } = this.#options;
    this.#packager = new HlsPackager(stream, new LiveFragmenter(), this.#window);
    this.#reader = stream.addReader({
      name: 'hls',
      maxBytes: queueBytes,
      from: 'gop',
      data: 'releases',
      onReadable: () => queueMicrotask(() => this.#read()),
    });
    this.#cancelIdle = clock.every(idleMs / 6, () => {
      if (clock.monotonicMs() - this.#askedMs >= idleMs) this.close();
    });
  }

  #read(): void {
    const packager = this.#packager;
    if (!packager) return;
    try {
      while (!this.#audioStartWait.mustWait()) {
        const event = this.#reader?.take();
        if (!event) break;
        packager.handle(event);
        if (event.type === 'tracks') this.#audioStartWait.begin();
        if (event.type === 'end') this.#hasEnded = true;
      }
    } catch (err) {
      // An internal error affects the players' playlist, never the stream.
      this.#options.log.error({ err }, 'LL-HLS output of the stream ended because of an internal error');
      this.close();
      return;
    }
    this.#wake(this.#hasEnded);
  }

  #wake(everybody: boolean): void {
    for (const waiter of this.#waiters) {
      if (everybody || waiter.isReady()) waiter.wake();
    }
  }

  /** Resolves when it is ready, or the stream has ended. */
  #until(isReady: () => boolean, signal: AbortSignal): Promise<void> {
    if (isReady() || this.#hasEnded) return Promise.resolve();
    if (this.#waiters.size >= maxWaiters) return Promise.reject(unavailable());
    return new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const settle = (finish: () => void) => {
        this.#waiters.delete(waiter);
        cancel();
        signal.removeEventListener('abort', onAbort);
        finish();
      };
      const waiter = { isReady, wake: () => settle(resolve) };
      const onAbort = () => settle(() => reject(signal.reason));
      const cancel = this.#options.clock.after(waitMs, () => settle(() => reject(unavailable())));
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiters.add(waiter);
    });
  }
}

function describeSegment(segment: HlsSegment, withParts: boolean): LiveSegment {
  const { sequence, initNumber, durationSeconds, startMs, isDiscontinuity } = segment;
  const parts: PlaylistPart[] = segment.parts.map((part, at) => ({
    uri: partUri(sequence, at),
    durationSeconds: part.durationSeconds,
    isIndependent: part.isIndependent,
  }));
  return {
    uri: `segment-${sequence}.m4s`,
    map: { uri: `init-${initNumber}.mp4` },
    durationSeconds,
    startMs,
    isDiscontinuity,
    parts: withParts ? parts : [],
  };
}

/** Total duration of the segments after this one. */
function secondsAfter(segments: readonly HlsSegment[], at: number): number {
  return segments.slice(at + 1).reduce((sum, { durationSeconds }) => sum + durationSeconds, 0);
}

function partUri(sequence: number, part: number): string {
  return `part-${sequence}-${part}.m4s`;
}

interface DeliveryDirectives {
  readonly sequence: number | undefined;
  readonly part: number | undefined;
  readonly canSkip: boolean;
}

/** Section 6.2.5: `_HLS_msn`, `_HLS_part` (only together with the former) and `_HLS_skip`. */
function deliveryDirectives(query: URLSearchParams): DeliveryDirectives {
  const sequence = wholeNumber(query, '_HLS_msn');
  const part = wholeNumber(query, '_HLS_part');
  if (part !== undefined && sequence === undefined) throw invalid('_HLS_part');
  const skip = query.get('_HLS_skip');
  return { sequence, part, canSkip: skip === 'YES' || skip === 'v2' };
}

function wholeNumber(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw invalid(name);
  return Number(text);
}

function playlistReply(body: string): HlsReply {
  return { contentType: playlistType, body, headers: { 'cache-control': 'no-cache' } };
}

/** Not cached: the next user of the browser may be another person. */
function mediaReply(body: Uint8Array | undefined): HlsReply {
  if (!body) throw notFound();
  return { contentType: mediaType, body, headers: { 'cache-control': 'no-store' } };
}

function notFound(): Fault {
  return new Fault('NotFound', 'This file of the live stream does not exist, or no longer exists.');
}

function unavailable(): Fault {
  return new Fault('Unavailable', 'The stream delivers no video at the moment.');
}

function invalid(name: string): Fault {
  const error = 'This is not a position in the live playlist.';
  return new Fault('ValidationError', error, {
    details: { fields: [{ path: name, code: 'ValidationError', error }] },
  });
}
