import { useEffect, useRef, useState } from 'react';
import { probe, type Probed } from '../../api/probe.ts';

/** The check of a source address: at most one at a time, the latest wins. */
export interface SourceCheck {
  readonly isRunning: boolean;
  /** What the last check found; null before one, or since the address changed. */
  readonly probed: Probed | null;
  readonly run: () => void;
  readonly cancel: () => void;
}

/**
 * Checks `source` on demand and forgets the result when it changes.
 * @param onError told why the source did not answer as a stream
 */
export function useSourceCheck(
  source: string,
  streamId: string | undefined,
  onError: (error: unknown) => void,
): SourceCheck {
  const abort = useRef<AbortController | null>(null);
  const [isRunning, setRunning] = useState(false);
  const [probed, setProbed] = useState<Probed | null>(null);

  const cancel = () => {
    abort.current?.abort();
    abort.current = null;
    setRunning(false);
  };
  useEffect(() => {
    setProbed(null);
    setRunning(false);
    return () => {
      abort.current?.abort();
      abort.current = null;
    };
  }, [source]);

  const check = async () => {
    cancel();
    const mine = new AbortController();
    abort.current = mine;
    setRunning(true);
    setProbed(null);
    try {
      const found = await probe(source.trim(), streamId, mine.signal);
      if (!mine.signal.aborted) setProbed(found);
    } catch (error) {
      if (!mine.signal.aborted) onError(error);
    }
    if (!mine.signal.aborted) setRunning(false);
  };
  return { isRunning, probed, run: () => void check(), cancel };
}
