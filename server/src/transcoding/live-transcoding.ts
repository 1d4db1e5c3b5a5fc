import type { Sample } from '@vidette/media/sample';
import type { Track, VideoTrack } from '@vidette/media/track';
import { Fault } from '../base/fault.ts';
import type { FfmpegJob } from '../ffmpeg/job.ts';
import type { FfmpegPool } from '../ffmpeg/pool.ts';
import type { SampleMessage } from '../ffmpeg/protocol.ts';
import type { Reader, ReaderEvent } from '../hub/reader.ts';
import { Stream } from '../hub/stream.ts';
import { requestFor } from './request.ts';

/**
 * What may wait in the hub for transcoding; beyond it, transcoding continues at a key frame, as any reader
 * does.
 */
const queueBytes = 8 * 1024 * 1024;

/**
 * The video of a stream as H.264, in a hub of its own that a viewer reads like any other; the audio passes
 * through unchanged. It is a Reader of the stream, so its failures delay no other reader.
 */
export class LiveTranscoding {
  /** The hub that the viewer reads. */
  readonly stream: Stream;
  readonly #pool: FfmpegPool;
  readonly #onFailed: () => void;
  readonly #reader: Reader;
  #job: FfmpegJob | undefined;
  #declared: readonly Track[] = [];
  #videoId: number | undefined;
  #awaitsKey = true;
  #isClosed = false;

  /** @param onFailed called when transcoding cannot continue; not after `close` */
  constructor(source: Stream, pool: FfmpegPool, onFailed: () => void) {
    this.stream = new Stream(source.uid);
    this.#pool = pool;
    this.#onFailed = onFailed;
    this.#reader = source.addReader({
      name: 'conversion',
      maxBytes: queueBytes,
      from: 'gop',
      onReadable: () => queueMicrotask(() => this.#takeAll()),
    });
  }

  /** Ends transcoding immediately. Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#reader.close();
    this.#job?.close();
    this.#job = undefined;
    this.stream.end('ended');
  }

  #takeAll(): void {
    for (let event = this.#reader.take(); event && !this.#isClosed; event = this.#reader.take())
      this.#handle(event);
  }

  #handle(event: ReaderEvent): void {
    switch (event.type) {
      case 'tracks':
        this.#begin(event.tracks);
        return;
      case 'sample':
        this.#onSample(event.sample);
        return;
      case 'skipped':
        this.#awaitsKey = true;
        return;
      case 'pause':
        this.#job?.close();
        this.#job = undefined;
        this.stream.pause(event.cause);
        return;
      case 'end':
        this.#job?.close();
        this.#job = undefined;
        this.stream.end(event.cause);
    }
  }

  #begin(tracks: readonly Track[]): void {
    this.#job?.close();
    this.#declared = tracks;
    this.#awaitsKey = true;
    const video = tracks.find((track): track is VideoTrack => track.kind === 'video');
    this.#videoId = video?.id;
    this.#job = undefined;
    if (!video) {
      this.stream.setTracks(tracks);
      return;
    }
    let job: FfmpegJob | undefined;
    try {
      job = this.#pool.open(() => requestFor(video, true), 'transcode', {
        message: (message) => {
          if (this.#isClosed || this.#job !== job) return;
          if (message.type === 'tracks') this.#declare(message.tracks, video.id);
          else if (message.type === 'sample') this.stream.write(sampleOf(message, video.id));
        },
        ended: () => {
          if (!this.#isClosed && this.#job === job) this.#onFailed();
        },
      });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      // node-av is not installed here, or the server is about to stop.
      this.#onFailed();
    }
    this.#job = job;
  }

  #declare(converted: readonly Track[], videoId: number): void {
    const [track] = converted;
    if (!track) return;
    this.stream.setTracks([
      { ...track, id: videoId },
      ...this.#declared.filter(({ kind }) => kind === 'audio'),
    ]);
  }

  #onSample(sample: Sample): void {
    if (sample.trackId !== this.#videoId) {
      this.stream.write(sample);
      return;
    }
    if (this.#awaitsKey && !sample.isKey) return;
    // Frames for which the child has no capacity are dropped up to a key frame.
    const isTaken = this.#job?.data(Buffer.concat(sample.data), sample.pts) ?? false;
    this.#awaitsKey = !isTaken;
  }
}

/** The child's output, under the number of the source track. */
export function sampleOf(message: SampleMessage, trackId: number): Sample {
  const { dts, pts, isKey, isDamaged } = message;
  // The message is a view of the pipe's read buffer.
  const bytes = Uint8Array.from(message.bytes);
  return { trackId, dts, pts, isKey, isDamaged, data: [bytes], size: bytes.length };
}
