import type { VideoTrack } from '@vidette/media/track';
import type { TranscodeRequest } from '../ffmpeg/protocol.ts';

/** The maximum for a viewer: a large window on an office screen. More would cost several cores for one user. */
const fpsMax = 30;
const heightMax = 1080;

/** The request to transcode a track. */
export function requestFor(track: VideoTrack, mayLeaveOut: boolean): TranscodeRequest {
  return {
    kind: 'transcode',
    codec: track.codec,
    config: Buffer.from(track.config).toString('base64'),
    fpsMax,
    heightMax,
    mayLeaveOut,
  };
}
