import type { Sample } from '@vidette/media/sample';
import type { Track } from '@vidette/media/track';
import { Fault } from '../../base/fault.ts';
import { AvSession, type AvSessionOptions } from './session.ts';

export interface AvProbe {
  readonly tracks: readonly Track[];
  /** The first key frame of the picture, for a preview. */
  readonly keySample: Sample;
}

/**
 * Opens a source just long enough to see its tracks and one key frame.
 * Rejects with a Fault: EHOSTUNREACH, HTTP_UNAUTHORIZED, HTTP_NOT_FOUND, STREAM_SOURCE_ERR, ProbeError.
 */
export async function probeAv(
  options: AvSessionOptions & { timeoutMs: number },
  signal?: AbortSignal,
): Promise<AvProbe> {
  const { clock, timeoutMs } = options;
  const abort = new AbortController();
  const stop = () => abort.abort(signal?.reason);
  signal?.addEventListener('abort', stop, { once: true });
  const late = new Fault(
    'EHOSTUNREACH',
    `The source sent no picture within ${Math.round(timeoutMs / 1000)} s.`,
  );
  const cancel = clock.after(timeoutMs, () => abort.abort(late));
  let tracks: readonly Track[] = [];
  let keySample: Sample | undefined;
  try {
    await new AvSession(options).run(
      {
        tracks: (found) => (tracks = found),
        sample: (sample) => {
          const track = tracks.find(({ id }) => id === sample.trackId);
          if (keySample || track?.kind !== 'video' || !sample.isKey) return;
          keySample = sample;
          abort.abort();
        },
        note: () => {},
      },
      abort.signal,
    );
    signal?.throwIfAborted();
    if (keySample) return { tracks, keySample };
    throw abort.signal.aborted ? late : new Fault('ProbeError', 'The source ended before it sent a picture.');
  } finally {
    cancel();
    signal?.removeEventListener('abort', stop);
  }
}
