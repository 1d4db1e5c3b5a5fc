import type { VideoTrack } from '@vidette/media/track';
import type { TranscodeRequest } from '../ingest/av/protocol.ts';

/** What a viewer gets at most: a large window on an office screen. More would cost several cores for one person. */
const fpsMax = 30;
const heightMax = 1080;

/** The order to convert a track. */
export function requestFor(track: VideoTrack, mayLeaveOut: boolean): TranscodeRequest {
  return {
    kind: 'convert',
    codec: track.codec,
    config: Buffer.from(track.config).toString('base64'),
    fpsMax,
    heightMax,
    mayLeaveOut,
  };
}
