import type { GapCause } from '@vidette/contract/entities';
import { useEffect, useRef, useSyncExternalStore, type ReactNode, type Ref } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { VideoViewport } from '../video-viewport.ts';
import type { Player } from '../player.ts';
import { PlayerBadge } from './player-badge.tsx';
import { PlayerNotice } from './player-notice.tsx';
import classes from './player-video.module.css';
import { useVideoGestures } from './use-video-gestures.ts';
import { usePlayer } from './use-player.ts';

const MARK_MS = 100;

interface PlayerVideoProps {
  /** Undefined until the element below exists, which it is made with. */
  readonly player: Player | undefined;
  readonly videoRef: Ref<HTMLVideoElement>;
  readonly name: string;
  /** A still to show before the first frame; an address. */
  readonly poster: string | undefined;
  /** Words in place of a picture that isn't there; null while there is one. */
  readonly words: ReactNode;
  readonly view: VideoViewport;
  /** In the picture's place while it is there. */
  readonly still: ReactNode;
  /** In the corner opposite to mode and time. */
  readonly aside: ReactNode;
  readonly onDoubleClick: () => void;
  /** Why nothing is recorded between two moments; what is skipped says so. */
  readonly causesOf: (startMs: number, endMs: number) => readonly GapCause[];
  /** Up to here recording had not begun. */
  readonly begunMs: () => number | undefined;
}

/** The picture with what belongs on it: mode and time, passing notices, and words wherever it would be black. */
export function PlayerVideo(props: PlayerVideoProps) {
  const { player, videoRef, name, poster, words, view, still, aside, onDoubleClick, causesOf, begunMs } =
    props;
  const i18n = useI18n();
  const box = useRef<HTMLDivElement>(null);
  const { fit, zoom, left, top } = useSyncExternalStore(view.subscribe, view.getLook);
  const pointers = useVideoGestures(box, view);
  return (
    <div ref={box} className={classes.box} data-zoomed={zoom > 1} {...pointers}>
      <div
        className={classes.view}
        style={{ transform: `translate(${left * 100}%, ${top * 100}%) scale(${zoom})` }}
      >
        <video
          ref={videoRef}
          className={classes.video}
          style={{ objectFit: fit }}
          aria-label={i18n.t('player.region', { name })}
          poster={poster}
          muted
          playsInline
          onDoubleClick={onDoubleClick}
        />
        {still}
      </div>
      {words !== null && <div className={classes.words}>{words}</div>}
      {player && (
        <>
          <div className={classes.corner}>
            <PlayerBadge player={player} />
          </div>
          {aside}
          <PlayerNotice player={player} causesOf={causesOf} begunMs={begunMs} />
          <StateMarks player={player} />
        </>
      )}
    </div>
  );
}

/** Says in the document what the player is doing, to the tenth of a second, for whoever looks from outside. */
function StateMarks({ player }: { player: Player }) {
  const { mode, state } = usePlayer(player);
  const mark = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const timer = setInterval(() => {
      const { utcMs } = player;
      mark.current?.setAttribute('data-utc-ms', utcMs === undefined ? '' : String(Math.round(utcMs)));
    }, MARK_MS);
    return () => clearInterval(timer);
  }, [player]);
  return <div ref={mark} hidden data-player-mode={mode} data-player-state={state.name} />;
}
