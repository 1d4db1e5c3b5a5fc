import type { SampleRecord } from '@vidette/media/sample';
import type { AudioTrack, VideoTrack } from '@vidette/media/track';

/** A video track with 25 frames per second for tests that check the flow and never decode. */
export const videoTrack: VideoTrack = {
  id: 1,
  kind: 'video',
  codec: 'h264',
  timescale: 90_000,
  codecString: 'avc1.42c01f',
  width: 320,
  height: 240,
  // The smallest avcC with a profile: no parameter sets.
  config: new Uint8Array([1, 0x42, 0xc0, 0x1f, 0xff, 0xe0, 0]),
};

export const audioTrack: AudioTrack = {
  id: 2,
  kind: 'audio',
  codec: 'aac',
  timescale: 48_000,
  codecString: 'mp4a.40.2',
  sampleRate: 48_000,
  channels: 2,
  config: new Uint8Array([0x11, 0x90]),
};

const startSeconds = 1_767_225_600;

/** Video frame number `index` of a stream with 25 frames per second. */
export function frame(index: number, options: { isKey?: boolean; size?: number } = {}): SampleRecord {
  const dts = startSeconds * 90_000 + index * 3_600;
  const size = options.size ?? 100;
  return {
    trackId: 1,
    dts,
    pts: dts,
    isKey: options.isKey ?? false,
    isDamaged: false,
    data: [new Uint8Array(size)],
    size,
  };
}

/** Audio frame number `index` of 48 kHz AAC: 1024 PCM samples each. */
export function audio(index: number): SampleRecord {
  const dts = startSeconds * 48_000 + index * 1_024;
  return { trackId: 2, dts, pts: dts, isKey: true, isDamaged: false, data: [new Uint8Array(20)], size: 20 };
}
