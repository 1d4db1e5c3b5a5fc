import { ApiError } from '@vidette/contract/client';
import { isErrorCode } from '@vidette/contract/errors';
import { addressOf } from '@vidette/contract/routes';
import type { SaveSpan } from './span.ts';

/** What the server delivered, as it reports it: cut at frames, with gaps closed. */
export interface Delivered extends SaveSpan {
  readonly durationMs: number;
  readonly bytes: number;
  /** The request exceeds the limit of one file. */
  readonly endsEarly: boolean;
}

export interface Progress {
  readonly doneBytes: number;
  readonly totalBytes: number;
}

interface FootageRequest {
  readonly uid: string;
  readonly span: SaveSpan;
  /** The file name without its extension; the server's if undefined. */
  readonly name: string | undefined;
  readonly offsetMinutes: number;
  readonly signal: AbortSignal;
  readonly onProgress: (progress: Progress) => void;
}

/**
 * Downloads one MP4 and saves it through the browser. @throws ApiError with the server's code, the signal's
 * reason, or TypeError when the connection breaks
 */
export async function downloadFootage(request: FootageRequest): Promise<Delivered> {
  const { uid, span, name, offsetMinutes, signal, onProgress } = request;
  const query = {
    start_time: Math.floor(span.startMs),
    end_time: Math.ceil(span.endMs),
    timezone_offset: offsetMinutes,
  };
  const response = await fetch(addressOf('downloadArchive', { uid }, query), { signal });
  if (!response.ok || !response.body) throw await errorOf(response);
  const totalBytes = Number(response.headers.get('content-length') ?? 0);
  let doneBytes = 0;
  const counted = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform(chunk, controller) {
        doneBytes += chunk.length;
        onProgress({ doneBytes, totalBytes });
        controller.enqueue(chunk);
      },
    }),
  );
  // The browser stores a blob of this size on disk, not in memory.
  const blob = await new Response(counted, { headers: { 'content-type': 'video/mp4' } }).blob();
  const own = nameInHeader(response.headers.get('content-disposition'));
  saveBlob(blob, name === undefined ? own : `${name}.mp4`);
  const header = (field: string) => Number(response.headers.get(field) ?? 0);
  return {
    startMs: header('x-archive-start'),
    endMs: header('x-archive-end'),
    durationMs: header('x-archive-duration'),
    bytes: blob.size,
    endsEarly: response.headers.get('x-archive-stops-at-change') === 'true',
  };
}

/** The file name of RFC 6266, in its extended form. */
function nameInHeader(disposition: string | null): string {
  const encoded = /filename\*=UTF-8''([^;]+)/.exec(disposition ?? '')?.[1];
  return encoded === undefined ? 'footage.mp4' : decodeURIComponent(encoded);
}

async function errorOf(response: Response): Promise<ApiError> {
  const body: unknown = await response.json().catch(() => undefined);
  const { code, error } = (body ?? {}) as { code?: unknown; error?: unknown };
  const known = typeof code === 'string' && isErrorCode(code) ? code : 'SERVER_UNKNOWN_ERR';
  return new ApiError(known, typeof error === 'string' ? error : '', response.status);
}

function saveBlob(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser holds the blob by the next task.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
