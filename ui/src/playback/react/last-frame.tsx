import { useEffect, useState } from 'react';
import { browserClock } from '../../base/clock.ts';
import { LastFrameText } from '../../components/last-frame-text.tsx';
import { FrameAge, type OldFrame } from '../frame-age.ts';

const LOOK_MS = 250;

/**
 * The live frame on screen once it is old; undefined while it changes.
 * @param frameMs when it was captured, UTC ms
 * @param isLive whether it is on screen as live video
 */
export function useOldFrame(frameMs: () => number | undefined, isLive: () => boolean): OldFrame | undefined {
  const [old, setOld] = useState<OldFrame>();
  useEffect(() => {
    const age = new FrameAge(browserClock);
    const timer = setInterval(() => setOld(age.look(frameMs(), isLive())), LOOK_MS);
    return () => clearInterval(timer);
  }, [frameMs, isLive]);
  return old;
}

/** When an old frame behind a text was captured. Nothing if there is none. */
export function LastFrame({ old }: { old: OldFrame | undefined }) {
  return (
    old && (
      <p>
        <LastFrameText {...old} />
      </p>
    )
  );
}
