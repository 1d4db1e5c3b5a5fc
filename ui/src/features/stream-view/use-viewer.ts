import { useEffect, useState, type RefObject } from 'react';
import { useSettings, useUser } from '../../api/session.ts';
import { Viewer } from './viewer.ts';

/**
 * The viewer of a stream; it exists as long as the video element.
 * @param firstMs the archive's moment to start at, UTC ms; undefined: live. Later values have no effect
 */
export function useViewer(
  uid: string,
  videoRef: RefObject<HTMLVideoElement | null>,
  firstMs: number | undefined,
): Viewer | undefined {
  const { rangesMaxSeconds } = useSettings();
  const { playerSound: hasAudio = false, archiveSpeed = 1 } = useUser()?.preferences ?? {};
  const [startMs] = useState(firstMs);
  const [viewer, setViewer] = useState<Viewer>();
  useEffect(() => {
    if (!videoRef.current) return;
    const made = new Viewer({
      uid,
      video: videoRef.current,
      rangesMaxMs: rangesMaxSeconds * 1000,
      startMs,
      hasAudio,
      archiveSpeed,
    });
    setViewer(made);
    return () => {
      setViewer(undefined);
      made.dispose();
    };
  }, [videoRef, uid, rangesMaxSeconds, startMs, hasAudio, archiveSpeed]);
  return viewer;
}

/** The moment of the `t` parameter: ms since the epoch or a date with a time; undefined without a valid one. */
export function momentOf(t: unknown): number | undefined {
  const ms = typeof t === 'number' ? t : typeof t === 'string' ? Date.parse(t) : Number.NaN;
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}
