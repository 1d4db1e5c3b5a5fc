import type { ReplyOf } from '@vidette/contract/client';
import { api } from '../../../api/api.ts';

/** What a source delivers, with a snapshot if one could be taken. */
export interface Probed {
  readonly source: ReplyOf<'probeStream'>;
  readonly picture: Blob | null;
}

/**
 * Probes a source, then takes a snapshot. The snapshot is optional: a source without one still works.
 * @param streamId lends the stored credentials of a stream to an address typed without them
 * @throws ApiError with one of the probe's codes when the source does not answer as a stream
 */
export async function probe(url: string, streamId: string | undefined, signal: AbortSignal): Promise<Probed> {
  const query = streamId === undefined ? { url } : { url, stream_id: streamId };
  const source = await api.probeStream({ query }, { signal });
  return { source, picture: await preview(query, signal) };
}

async function preview(
  query: { url: string; stream_id?: string },
  signal: AbortSignal,
): Promise<Blob | null> {
  try {
    const response = await api.previewStream({ query }, { signal });
    return await response.blob();
  } catch (error) {
    if (signal.aborted) throw error;
    // The screen says that there is no snapshot, next to what the source does deliver.
    return null;
  }
}
