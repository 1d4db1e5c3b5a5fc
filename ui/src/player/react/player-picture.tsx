import { useEffect, useRef, type ReactNode, type Ref } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { Player } from '../player.ts';
import { PlayerBadge } from './player-badge.tsx';
import { PlayerNotice } from './player-notice.tsx';
import classes from './player-picture.module.css';
import { usePlayer } from './use-player.ts';

const MARK_MS = 100;

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
  return (
    <div className={classes.box}>
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
