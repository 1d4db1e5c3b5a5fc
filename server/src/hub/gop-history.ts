import type { Sample } from '@vidette/media/sample';
import { primaryTrack, type Track } from '@vidette/media/track';
import type { Reader, ReaderEvent } from './reader.ts';
import type { Stream } from './stream.ts';

/** One GOP, or what has been received of it. */
export interface HeldGop {
  readonly key: Sample;
  /** That of the key frame. */
  readonly track: Track;
  /** The parameters that it was received with, its samples, and what followed. */
  readonly events: readonly ReaderEvent[];
}

export interface GopHistoryOptions {
  /** Of all samples held. A GOP that is longer is held until the next one begins, up to twice this. */
  readonly maxBytes: number;
  /** How much time is held beside the newest GOP, by the source's dates, s. */
  readonly maxSeconds: number;
  /** Called after a GOP has begun. */
  readonly onGop: () => void;
}

/**
 * The last GOPs of a stream that nothing records yet, so that a recorder can begin in the past, with the key frame at which
 * one in another process has ended.
 */
export class GopHistory {
  readonly #options: GopHistoryOptions;
  readonly #reader: Reader;
  #tracks: Extract<ReaderEvent, { type: 'tracks' }> | undefined;
  #gops: { key: Sample; track: Track; events: ReaderEvent[]; bytes: number }[] = [];
  #bytes = 0;

  constructor(stream: Stream, options: GopHistoryOptions) {
    this.#options = options;
    this.#reader = stream.addReader({
      name: 'standby',
      maxBytes: options.maxBytes,
      from: 'gop',
      toleratesLatency: true,
      isRecorder: true,
      onReadable: () => this.#drain(),
    });
  }

  /** Oldest first. */
  get gops(): readonly HeldGop[] {
    return this.#gops;
  }

  /** Everything from the start of a GOP to now. */
  eventsFrom(gop: HeldGop): ReaderEvent[] {
    this.#drain();
    const from = this.#gops.findIndex(({ key }) => key === gop.key);
    const [first, ...others] = this.#gops.slice(from);
    return [...(first?.events ?? []), ...others.flatMap(({ events }) => events.slice(1))];
  }

  close(): void {
    this.#reader.close();
    this.#gops = [];
  }

  #drain(): void {
    for (let event = this.#reader.take(); event; event = this.#reader.take()) this.#take(event);
  }

  #take(event: ReaderEvent): void {
    if (event.type === 'tracks') this.#tracks = event;
    if (event.type === 'sample' && event.startsGop) {
      this.#begin(event.sample, event);
      return;
    }
    const last = this.#gops.at(-1);
    if (!last) return;
    last.events.push(event);
    if (event.type === 'sample') {
      last.bytes += event.sample.size;
      this.#bytes += event.sample.size;
    }
    this.#trim();
  }

  #begin(key: Sample, event: ReaderEvent): void {
    const track = this.#tracks && primaryTrack(this.#tracks.tracks);
    if (!this.#tracks || !track) return;
    this.#gops.push({ key, track, events: [this.#tracks, event], bytes: key.size });
    this.#bytes += key.size;
    this.#trim();
    this.#options.onGop();
  }

  #trim(): void {
    const { maxBytes, maxSeconds } = this.#options;
    const newest = this.#gops.at(-1);
    // The GOP before the newest is needed as long as the other process may not have seen the newest key frame.
    for (let [oldest, next] = this.#gops; oldest && next && newest; [oldest, next] = this.#gops) {
      const isOld = secondsOf(newest) - secondsOf(next) > maxSeconds;
      if (!isOld && this.#bytes <= maxBytes) return;
      this.#bytes -= oldest.bytes;
      this.#gops.shift();
    }
    // Without its start a GOP is of no use.
    if (this.#bytes <= 2 * maxBytes) return;
    this.#gops = [];
    this.#bytes = 0;
  }
}

function secondsOf({ key, track }: HeldGop): number {
  return key.dts / track.timescale;
}
