import type { AudioTrack } from '@vidette/media/track';
import type { Fault } from '../base/fault.ts';
import type { FfmpegPool } from './pool.ts';
import type { SourceAudioCodec } from './protocol.ts';

export interface AudioTranscoderOptions {
  readonly codec: SourceAudioCodec;
  /** Hz of the input; any value if the input itself specifies it. */
  readonly sampleRate: number;
  /** Timescale of the input, ticks per second; `sampleRate` by default. */
  readonly clockRate?: number;
  readonly channels: number;
  /** Called once, before the first frame and shortly after the first packets: the AAC track. Its `id` is 1. */
  readonly onTrack: (track: AudioTrack) => void;
  /**
   * One raw AAC frame; `ptsTicks` in the track's own timescale, on the same clock as the input, always
   * increasing.
   */
  readonly onFrame: (bytes: Uint8Array, ptsTicks: number) => void;
  /** The transcoder has failed; a new one may be opened. Not called after `close`. */
  readonly onFailed: (fault: Fault) => void;
}

/**
 * Transcodes audio that neither MP4 nor browsers support (G.711, G.722, MP3 and others) to AAC-LC in a child
 * process.
 */
export interface AudioTranscoder {
  /**
   * Sends one packet: any number of samples, or one complete frame of MPEG audio.
   * @param ptsTicks time of its first sample, in ticks of `clockRate` on any clock, including UTC
   * @returns false if the packet was dropped because the child lags
   */
  write(bytes: Uint8Array, ptsTicks: number): boolean;
  /** Idempotent. */
  close(): void;
}

/**
 * Opens a transcoder in the pool; one child serves many.
 * @throws Fault Unavailable if node-av is not installed: the caller then omits the audio and reports it
 */
export function openAudioTranscoder(options: AudioTranscoderOptions, pool: FfmpegPool): AudioTranscoder {
  const { codec, sampleRate, channels, clockRate = sampleRate } = options;
  let lastTicks = Number.NEGATIVE_INFINITY;
  const job = pool.open(() => ({ kind: 'audio', codec, sampleRate, clockRate, channels }), 'audio', {
    message(message) {
      if (message.type === 'tracks') {
        const track = message.tracks.find((candidate) => candidate.kind === 'audio');
        if (track) options.onTrack(track);
      } else if (message.type === 'sample') {
        lastTicks = Math.max(message.pts, lastTicks + 1);
        options.onFrame(message.bytes, lastTicks);
      }
    },
    ended(fault) {
      if (fault) options.onFailed(fault);
    },
  });
  return { write: (bytes, ptsTicks) => job.data(bytes, ptsTicks), close: () => job.close() };
}
