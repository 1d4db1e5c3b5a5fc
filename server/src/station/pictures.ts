import type { Sample } from '@vidette/media/sample';
import type { VideoTrack } from '@vidette/media/track';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Stream } from '../stream/stream.ts';

/** Turns one key frame into a JPEG at most `maxWidth` pixels wide. */
export type Render = (track: VideoTrack, keySample: Sample, maxWidth: number) => Promise<Uint8Array>;

export interface Picture {
  readonly jpeg: Uint8Array;
  /** When the camera took it, milliseconds since the epoch. */
  readonly timeMs: number;
}

interface Entry {
  picture: Picture;
  keyDts: number;
  renderedAtMs: number;
}

/** Widths that are rendered; a request gets the next larger one, so that a list of tiles shares its pictures. */
const widths = [320, 640, 1280, 1920] as const;

/** A picture this young is served again although a newer key frame is there. */
const freshMs = 2_000;

/**
 * Stills of running streams: the newest key frame as a JPEG, rendered on request only, once for all who ask.
 * The last one is kept when a stream pauses or fails, for its tile. Over `maxBytes` the least recently used go.
 */
export class Pictures {
  readonly #render: Render;
  readonly #clock: Clock;
  readonly #maxBytes: number;
  /** In order of use, the least recently used first. */
  readonly #entries = new Map<string, Entry>();
  readonly #rendering = new Map<string, Promise<Picture>>();
  #bytes = 0;

  constructor(options: { render: Render; clock: Clock; maxBytes?: number }) {
    this.#render = options.render;
    this.#clock = options.clock;
    this.#maxBytes = options.maxBytes ?? 64 * 1024 * 1024;
  }

  /** The newest picture of a stream. Throws Unavailable when none was ever seen. */
  async newest(stream: Stream, requestedWidth: number): Promise<Picture> {
    const width = widths.find((candidate) => candidate >= requestedWidth) ?? 1920;
    const key = `${stream.uid}/${width}`;
    const entry = this.#use(key);
    const frame = newestKeyFrame(stream);
    if (!frame || frame.sample.dts === entry?.keyDts) {
      if (entry) return entry.picture;
      throw new Fault('Unavailable', 'There is no picture of this stream yet.');
    }
    if (entry && this.#clock.monotonicMs() - entry.renderedAtMs < freshMs) return entry.picture;
    let rendering = this.#rendering.get(key);
    if (!rendering) {
      rendering = this.#renderFrame(key, frame, width).finally(() => this.#rendering.delete(key));
      this.#rendering.set(key, rendering);
    }
    return rendering;
  }

  /** Forgets the pictures of a stream that is no more. */
  forget(uid: string): void {
    for (const width of widths) this.#drop(`${uid}/${width}`);
  }

  async #renderFrame(key: string, frame: KeyFrame, width: number): Promise<Picture> {
    const jpeg = await this.#render(frame.track, frame.sample, width);
    const picture = { jpeg, timeMs: Math.round((frame.sample.pts / frame.track.timescale) * 1000) };
    this.#drop(key);
    this.#entries.set(key, { picture, keyDts: frame.sample.dts, renderedAtMs: this.#clock.monotonicMs() });
    this.#bytes += jpeg.byteLength;
    for (const oldest of this.#entries.keys()) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#drop(oldest);
    }
    return picture;
  }

  #use(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  #drop(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    this.#bytes -= entry.picture.jpeg.byteLength;
  }
}

interface KeyFrame {
  readonly track: VideoTrack;
  readonly sample: Sample;
}

function newestKeyFrame(stream: Stream): KeyFrame | undefined {
  const sample = stream.gop[0];
  const track = stream.tracks?.find((candidate) => candidate.id === sample?.trackId);
  return sample && track?.kind === 'video' ? { track, sample } : undefined;
}
