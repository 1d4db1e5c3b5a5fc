import { walkBoxes } from '@vidette/media/fmp4/box';
import { parseInit } from '@vidette/media/fmp4/read-init';
import { parseFragmentHeader } from '@vidette/media/fmp4/read-moof';
import type { Client } from '@vidette/contract/client';
import { parseArchivePlaylist, type ByteSpan } from '../ui/src/playback/archive-playlist.ts';

/**
 * Capture times of the recorded frames of a stream, in order, ms since the epoch, read from the files
 * themselves. A camera on a busy machine skips frames: only these times show which frame belongs to a moment.
 */
export async function recordedFrames(
  client: Client,
  server: { readonly url: string; readonly cookie: string },
  uid: string,
  [fromMs, toMs]: readonly [number, number],
): Promise<number[]> {
  const bytesOf = async ({ url, offset, length }: ByteSpan): Promise<Uint8Array> => {
    const range = `bytes=${offset}-${length === undefined ? '' : offset + length - 1}`;
    const reply = await fetch(url, { headers: { cookie: server.cookie, range } });
    return new Uint8Array(await reply.arrayBuffer());
  };
  const query = { start_time: Math.floor(fromMs), end_time: Math.ceil(toMs), entry_seconds: 0 };
  const playlist = await client.getArchivePlaylist({ params: { uid }, query });
  const address = `${server.url}/v1/stream/${uid}/archive/index.m3u8`;
  const moments: number[] = [];
  for (const piece of parseArchivePlaylist(await playlist.text(), address)) {
    const [init, bytes] = await Promise.all([bytesOf(piece.init), bytesOf(piece)]);
    const video = parseInit(init).find(({ kind }) => kind === 'video');
    const moofs = [...walkBoxes(bytes)].filter(({ type }) => type === 'moof');
    if (!video || moofs.length === 0) throw new Error('A recorded piece without frames');
    for (const moof of moofs) {
      const { tracks } = parseFragmentHeader(bytes.subarray(moof.offset, moof.offset + moof.size));
      const run = tracks.find(({ trackId }) => trackId === video.id);
      let dts = run?.baseDts ?? 0;
      for (const { duration, compositionOffset } of run?.samples ?? []) {
        moments.push(((dts + compositionOffset) * 1000) / video.timescale);
        dts += duration;
      }
    }
  }
  return moments.sort((a, b) => a - b);
}
