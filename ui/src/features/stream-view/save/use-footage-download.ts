import { useEffect, useRef, useState } from 'react';
import type { Zone } from '../../../timeline/zone.ts';
import { downloadFootage, type Delivered, type Progress } from './footage-download.ts';
import type { SaveSpan } from './span.ts';

export type DownloadState =
  | { readonly name: 'idle' }
  | { readonly name: 'running'; readonly progress: Progress }
  | { readonly name: 'failed'; readonly error: unknown }
  | { readonly name: 'done'; readonly asked: SaveSpan; readonly delivered: Delivered };

/** One download at a time; it is aborted when the panel closes. */
export function useFootageDownload(uid: string, zone: Zone) {
  const [state, setState] = useState<DownloadState>({ name: 'idle' });
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);
  /** @param name the file name without its extension; the server's if undefined */
  const begin = async (span: SaveSpan, name?: string): Promise<void> => {
    const controller = new AbortController();
    abort.current = controller;
    setState({ name: 'running', progress: { doneBytes: 0, totalBytes: 0 } });
    try {
      const offsetMinutes = Math.round(zone.offsetMs(span.startMs) / 60_000);
      const delivered = await downloadFootage({
        uid,
        span,
        name,
        offsetMinutes,
        signal: controller.signal,
        onProgress: (progress) => setState({ name: 'running', progress }),
      });
      setState({ name: 'done', asked: span, delivered });
    } catch (error) {
      setState(controller.signal.aborted ? { name: 'idle' } : { name: 'failed', error });
    }
  };
  return { state, begin, cancel: () => abort.current?.abort() };
}
