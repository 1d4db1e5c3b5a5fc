import { ApiError } from '@vidette/contract/client';
import { isErrorCode } from '@vidette/contract/errors';
import { addressOf } from '@vidette/contract/routes';
import { api } from '../../../api/api.ts';
import { parseArchivePlaylist, type ByteSpan } from '../../../playback/archive-playlist.ts';
import type { PlayerSource } from '../../../playback/player-source.ts';
import type { RangesLoader } from '../../../timeline/ranges-loader.ts';

/** The media of one stream, through the calls of the contract. */
export function streamSource(
  uid: string,
  ranges: Pick<RangesLoader, 'nextPlayable' | 'previousPlayable'>,
): PlayerSource {
  const params = { uid };
  return {
    openLive({ audio, convert }) {
      const query = { ...(audio ? {} : { audio: false }), ...(convert ? { convert: true } : {}) };
      const address = new URL(addressOf('watchStream', params, query), location.href);
      address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
      return new WebSocket(address);
    },
    async playlist(startMs, endMs, signal) {
      const query = { start_time: Math.floor(startMs), end_time: Math.ceil(endMs), entry_seconds: 0 };
      const reply = await api.getArchivePlaylist({ params, query }, { signal });
      return parseArchivePlaylist(
        await reply.text(),
        new URL(addressOf('getArchivePlaylist', params), location.href).href,
      );
    },
    bytes: (span, signal) => loadBytes(span, signal),
    loadTranscoded: (time, signal) => {
      const { href } = new URL(addressOf('getArchiveConverted', params, { time }), location.href);
      return loadBytes({ url: href, offset: 0, length: undefined }, signal);
    },
    nextPlayable: (fromMs, signal) => ranges.nextPlayable(fromMs, signal),
    previousPlayable: (beforeMs, signal) => ranges.previousPlayable(beforeMs, signal),
  };
}

/** A range of a recorded file. @throws ApiError, or the signal's reason when it was aborted */
async function loadBytes(span: ByteSpan, signal: AbortSignal): Promise<Uint8Array> {
  const isPart = span.length !== undefined;
  const headers: HeadersInit = isPart
    ? { range: `bytes=${span.offset}-${span.offset + (span.length ?? 0) - 1}` }
    : {};
  try {
    const reply = await fetch(span.url, { headers, credentials: 'same-origin', signal });
    if (!reply.ok) throw await refusalOf(reply);
    const bytes = new Uint8Array(await reply.arrayBuffer());
    // A proxy may answer a range request with the whole file.
    const part =
      !isPart || reply.status === 206 ? bytes : bytes.subarray(span.offset, span.offset + (span.length ?? 0));
    // The file was found to be damaged behind these bytes, which may end inside a frame.
    if (part.length < (span.length ?? 0)) throw new ApiError('NotFound', 'Not found.', 404);
    return part;
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof ApiError) throw error;
    throw new ApiError('SERVER_NOT_RESPONSE_ERR', 'Server is not responding.', 0, { cause: error });
  }
}

async function refusalOf(reply: Response): Promise<ApiError> {
  const isJson = reply.headers.get('content-type')?.startsWith('application/json') ?? false;
  const body: unknown = isJson ? await reply.json() : {};
  const code = typeof body === 'object' && body !== null && 'code' in body ? body.code : undefined;
  return new ApiError(isErrorCode(code) ? code : 'SERVER_UNKNOWN_ERR', reply.statusText, reply.status);
}
