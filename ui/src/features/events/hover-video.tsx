import { useEffect, useRef, useState } from 'react';
import { useSettings } from '../../api/session.ts';
import { browserClock } from '../../base/clock.ts';
import { eventLeadMs } from '@vidette/contract/constants';
import { clipPlayer } from '../stream-view/media/clip-player.ts';
import classes from './events.module.css';

interface HoverVideoProps {
  readonly uid: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** At least this much is played before it begins again. */
const LEAST_MS = 6_000;
const LOOK_MS = 250;

/** The event, muted and over and over, as long as the pointer is on its card; the still shows until the first frame. */
export function HoverVideo({ uid, startMs, endMs }: HoverVideoProps) {
  const video = useRef<HTMLVideoElement>(null);
  const { rangesMaxSeconds } = useSettings();
  const [isPlaying, setPlaying] = useState(false);
  useEffect(() => {
    if (!video.current) return;
    // A recording that can't be played here keeps its still.
    const player = clipPlayer(uid, video.current, rangesMaxSeconds * 1000);
    const fromMs = startMs - eventLeadMs;
    const toMs = Math.max(endMs, fromMs + LEAST_MS);
    player.seek(fromMs);
    const stop = browserClock.every(LOOK_MS, () => {
      const { state, mode } = player.getSnapshot();
      const { utcMs } = player;
      setPlaying(state.name === 'playing' && mode === 'archive');
      // Behind a gap, or at the end of the archive, playback would go on elsewhere.
      if (utcMs !== undefined && (utcMs > toMs || utcMs < fromMs - LEAST_MS || mode === 'live'))
        player.seek(fromMs);
    });
    return () => {
      stop();
      player.dispose();
    };
  }, [uid, startMs, endMs, rangesMaxSeconds]);
  return (
    <video
      ref={video}
      className={classes.hover}
      data-playing={isPlaying}
      muted
      playsInline
      aria-hidden="true"
    />
  );
}
