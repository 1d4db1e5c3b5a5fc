import { useEffect, useRef, type ReactNode, type Ref, type RefObject } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { Player } from '../player.ts';
import { PlayerBadge } from './player-badge.tsx';
import { PlayerNotice } from './player-notice.tsx';
import classes from './player-picture.module.css';
import { usePlayer } from './use-player.ts';

interface PlayerPictureProps {
  /** Undefined until the element below exists, which it is made with. */
  readonly player: Player | undefined;
  readonly videoRef: Ref<HTMLVideoElement>;
  readonly name: string;
  /** A still to show before the first picture; an address. */
  readonly poster: string | undefined;
  /** Words in place of a picture that isn't there; null while there is one. */
  readonly words: ReactNode;
  readonly onDoubleClick: () => void;
}

/** The picture with what belongs on it: mode and time, passing notices, and words wherever it would be black. */
export function PlayerPicture({ player, videoRef, name, poster, words, onDoubleClick }: PlayerPictureProps) {
  const i18n = useI18n();
  const box = useRef<HTMLDivElement>(null);
  return (
    <div ref={box} className={classes.box}>
      <video
        ref={videoRef}
        className={classes.video}
        aria-label={i18n.t('player.region', { name })}
        poster={poster}
        muted
        playsInline
        onDoubleClick={onDoubleClick}
      />
      {words !== null && <div className={classes.words}>{words}</div>}
      {player && (
        <>
          <div className={classes.corner}>
            <PlayerBadge player={player} />
          </div>
          <PlayerNotice player={player} />
          <StateMarks player={player} box={box} />
        </>
      )}
    </div>
  );
}

/** Says on the element itself what the player is doing, for style sheets and for whoever looks from outside. */
function StateMarks({ player, box }: { player: Player; box: RefObject<HTMLDivElement | null> }) {
  const { mode, state } = usePlayer(player);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    element.dataset['playerMode'] = mode;
    element.dataset['playerState'] = state.name;
  }, [box, mode, state]);
  useEffect(() => {
    const timer = setInterval(() => {
      const element = box.current;
      if (element)
        element.dataset['utcMs'] = player.utcMs === undefined ? '' : String(Math.round(player.utcMs));
    }, 100);
    return () => clearInterval(timer);
  }, [box, player]);
  return null;
}
