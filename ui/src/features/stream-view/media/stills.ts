import { ApiError } from '@vidette/contract/client';
import { addressOf } from '@vidette/contract/routes';
import type { ArchiveAccess } from '../../../playback/archive-access.ts';
import { browserClock } from '../../../base/clock.ts';
import { KeyFrameStills, type StillFrame, type StillSource } from '../../../playback/key-frame-stills.ts';
import type { MseEnvironment } from '../../../playback/media-sink.ts';

/** Width of a snapshot made by the server, pixels. */
const SERVER_WIDTH_PX = 640;

/** The recorded still frames of one stream: decoded in this browser if it can, else by the server. */
export function streamStills(
  uid: string,
  reader: ArchiveAccess,
  environment: MseEnvironment | undefined,
): StillSource {
  const otherwise = (utcMs: number, signal: AbortSignal) => serverStill(uid, utcMs, signal);
  if (!environment) return { at: otherwise, dispose: () => {} };
  const video = document.createElement('video');
  video.muted = true;
  video.playsInline = true;
  return new KeyFrameStills({ video, clock: browserClock, environment, reader, otherwise });
}

/** @throws ApiError, or the signal's reason */
async function serverStill(uid: string, utcMs: number, signal: AbortSignal): Promise<StillFrame | undefined> {
  const query = { time: Math.round(utcMs), width: SERVER_WIDTH_PX };
  const reply = await fetch(addressOf('getArchivePicture', { uid }, query), {
    credentials: 'same-origin',
    signal,
  });
  if (reply.status === 404) return undefined;
  if (!reply.ok) throw new ApiError('SERVER_UNKNOWN_ERR', reply.statusText, reply.status);
  const image = await createImageBitmap(await reply.blob());
  return { utcMs: Number(reply.headers.get('x-picture-time') ?? utcMs), image };
}
