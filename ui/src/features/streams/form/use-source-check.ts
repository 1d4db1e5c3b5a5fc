import { useEffect, useRef, useState } from 'react';
import { probe, type Probed } from './probe-api.ts';

/** The probe of a source address: at most one at a time, the latest wins. */
export interface SourceCheck {
  readonly isRunning: boolean;
  /** The result of the last probe; null before one, or after the address has changed. */
  readonly probed: Probed | null;
  readonly run: () => void;
  readonly cancel: () => void;
}

/** A result belongs to the address it was made for; another address has none. */
type SourceCheckState =
  | { readonly kind: 'running'; readonly source: string }
  | { readonly kind: 'probed'; readonly source: string; readonly probed: Probed };

/**
 * Probes `source` on demand; the result is valid only while the address is unchanged.
 * @param onError called with the reason when the source did not answer as a stream
 */
export function useSourceCheck(
  source: string,
  streamId: string | undefined,
  onError: (error: unknown) => void,
): SourceCheck {
  const abort = useRef<AbortController | null>(null);
  const [state, setState] = useState<SourceCheckState | null>(null);
  useEffect(() => () => abort.current?.abort(), [source]);

  const cancel = () => {
    abort.current?.abort();
    setState(null);
  };
  const check = async () => {
    cancel();
    const mine = new AbortController();
    abort.current = mine;
    setState({ kind: 'running', source });
    try {
      const probed = await probe(source.trim(), streamId, mine.signal);
      if (!mine.signal.aborted) setState({ kind: 'probed', source, probed });
    } catch (error) {
      if (mine.signal.aborted) return;
      setState(null);
      onError(error);
    }
  };
  const own = state?.source === source ? state : null;
  return {
    isRunning: own?.kind === 'running',
    probed: own?.kind === 'probed' ? own.probed : null,
    run: () => void check(),
    cancel,
  };
}
