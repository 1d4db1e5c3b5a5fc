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
import { ViewZoom } from './view-zoom.tsx';

const MARK_MS = 100;

interface PlayerVideoProps {
  /** Undefined until the element below exists, with which it is created. */
  readonly player: Player | undefined;
  readonly videoRef: Ref<HTMLVideoElement>;
  readonly name: string;
  /** URL of a snapshot to show before the first frame. */
  readonly poster: string | undefined;
  /** `title` says that the source sends nothing now. */
  readonly isSourceDown?: boolean;
  /** Text shown instead of missing video; null while there is video. */
  readonly words: ReactNode;
  readonly view: VideoViewport;
  /** Shown in place of the video while present. */
  readonly still: ReactNode;
  /** Over the upper edge of the video, before mode and time. */
  readonly title: ReactNode;
  /** Over the upper edge of the video, at its end. */
  readonly links: ReactNode;
  /** Shown below the end of the upper edge. */
  readonly aside: ReactNode;
  readonly onDoubleClick: () => void;
  /** The causes of gaps between two moments; notices of skipped gaps show them. */
  readonly causesOf: (startMs: number, endMs: number) => readonly GapCause[];
  /** Recording had not started before this moment. */
  readonly begunMs: () => number | undefined;
}

/** The video with its overlays: its title, mode and time, notices, zoom, and text wherever it would be black. */
export function PlayerVideo(props: PlayerVideoProps) {
  const { player, videoRef, name, poster, view, onDoubleClick, causesOf, begunMs } = props;
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
        {props.still}
      </div>
      {props.words !== null && <div className={classes.words}>{props.words}</div>}
      <div className={classes.head} data-named={name !== ''}>
        {props.title}
        {player && <PlayerBadge player={player} isSourceDown={props.isSourceDown ?? false} />}
        {props.links}
      </div>
      {player && (
        <>
          {props.aside}
          <PlayerNotice player={player} causesOf={causesOf} begunMs={begunMs} />
          <StateMarks player={player} />
        </>
      )}
      <ViewZoom view={view} />
    </div>
  );
}

/**
 * Exposes the player's state in the document, to the tenth of a second, for external observers such as tests.
 */
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
