import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api } from '../../../api/api.ts';
import { forEachOf, type ManyOutcome } from './many.ts';
import { changeTags, streamsChanged } from '../streams-api.ts';
import type { PickedStream } from './picked.ts';

/** The action for each of the selected streams. */
export type Work =
  | { readonly kind: 'pause' }
  | { readonly kind: 'resume' }
  | { readonly kind: 'tags'; readonly added: readonly string[]; readonly removed: readonly string[] }
  | { readonly kind: 'delete'; readonly purge: boolean };

type Outcome = ManyOutcome<PickedStream>;

/** The progress of the work, or its outcome. */
export type WorkState =
  | { readonly kind: 'running'; readonly work: Work; readonly finished: number; readonly total: number }
  | { readonly kind: 'over'; readonly work: Work; readonly outcome: Outcome };

function doOne(work: Work, { uid }: PickedStream): Promise<unknown> {
  switch (work.kind) {
    case 'pause':
      return api.pauseStream({ body: { uid } });
    case 'resume':
      return api.resumeStream({ body: { uid } });
    case 'tags':
      return changeTags(uid, work.added, work.removed);
    case 'delete':
      return api.deleteStream({ params: { uid }, query: { purge: work.purge } });
  }
}

/** Applies one action to many streams; no further ones are started after the screen is left. */
export function usePickedWork() {
  const queryClient = useQueryClient();
  const abort = useRef<AbortController | null>(null);
  const [state, setState] = useState<WorkState | null>(null);
  useEffect(() => () => abort.current?.abort(), []);
  const run = async (work: Work, streams: readonly PickedStream[], onOver?: (outcome: Outcome) => void) => {
    const mine = new AbortController();
    abort.current = mine;
    const total = streams.length;
    setState({ kind: 'running', work, finished: 0, total });
    const outcome = await forEachOf(streams, (stream) => doOne(work, stream), {
      signal: mine.signal,
      onProgress: (finished) => setState({ kind: 'running', work, finished, total }),
    });
    void streamsChanged(queryClient);
    setState({ kind: 'over', work, outcome });
    onOver?.(outcome);
  };
  return {
    state,
    /** @param onOver called once, when all are finished or stopped */
    run: (work: Work, streams: readonly PickedStream[], onOver?: (outcome: Outcome) => void) =>
      void run(work, streams, onOver),
    stop: () => abort.current?.abort(),
    close: () => setState(null),
  };
}
