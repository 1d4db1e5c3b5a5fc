import { useCallback } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { MessageKey } from '../../i18n/i18n.ts';
import type { Player } from '../player.ts';
import type { PlayerMode, PlayerState } from '../state.ts';
import classes from './player-badge.module.css';
import { useOldFrame } from './last-frame.tsx';
import { usePlayer, usePlayerClock } from './use-player.ts';

/** Live means that frames keep arriving. */
function badgeOf(mode: PlayerMode, { name }: PlayerState): MessageKey {
  if (mode === 'archive') return 'player.badge.archive';
  switch (name) {
    case 'playing':
      return 'player.badge.live';
    case 'paused':
      return 'player.badge.paused';
    case 'idle':
    case 'connecting':
    case 'buffering':
      return 'player.badge.connecting';
    case 'waiting':
    case 'failed':
    case 'unsupported':
    case 'ended':
      return 'player.badge.notLive';
  }
}

interface PlayerBadgeProps {
  readonly player: Player;
  /** Its title says why no live video can come; that the player waits for it says nothing more. */
  readonly isSourceDown: boolean;
}

/**
 * Live with its delay, or the archive with its date and time; the mode is shown by shape and word, not by
 * colour alone.
 */
export function PlayerBadge({ player, isSourceDown }: PlayerBadgeProps) {
  const i18n = useI18n();
  const { mode, state, isReverse, isKeyFramesOnly, isReduced, converted } = usePlayer(player);
  const { utcMs, delayMs } = usePlayerClock(player);
  const isMoving = state.name === 'playing';
  if (isSourceDown && mode === 'live' && !isMoving && state.name !== 'paused') return null;
  return (
    <div className={classes.badge}>
      <span className={classes.mode} data-mode={mode} data-moving={isMoving}>
        {i18n.t(badgeOf(mode, state))}
      </span>
      {utcMs !== undefined && (
        <time dateTime={new Date(utcMs).toISOString()}>
          <span className={classes.date} data-mode={mode}>
            {i18n.date(utcMs)},{' '}
          </span>
          {i18n.time(utcMs)}
        </time>
      )}
      <PausedAge player={player} />
      {isReverse && <span className={classes.delay}>{i18n.t('player.badge.reverse')}</span>}
      {isReduced && (
        <span className={classes.delay} title={i18n.t('player.badge.reduced.why')}>
          {i18n.t('player.badge.keyFrames')}
        </span>
      )}
      {isKeyFramesOnly && (
        <span className={classes.delay} title={i18n.t('player.badge.keyFrames.why')}>
          {i18n.t('player.badge.keyFrames')}
        </span>
      )}
      {converted !== undefined && state.name !== 'unsupported' && (
        <span className={classes.delay} title={i18n.t('player.badge.converted.why', { codec: converted })}>
          {i18n.t('player.badge.converted', { codec: converted })}
        </span>
      )}
      {mode === 'live' && isMoving && delayMs !== undefined && (
        <span className={classes.delay}>
          {i18n.t('player.badge.delay', {
            seconds: i18n.number(delayMs / 1000, { minimumFractionDigits: 1, maximumFractionDigits: 1 }),
          })}
        </span>
      )}
    </div>
  );
}

/** How old a paused live frame is. It is not dimmed: the viewer paused in order to look at it. */
function PausedAge({ player }: { player: Player }) {
  const i18n = useI18n();
  const { mode, state } = usePlayer(player);
  const old = useOldFrame(
    useCallback(() => player.utcMs, [player]),
    useCallback(() => player.getSnapshot().state.name === 'playing', [player]),
  );
  if (mode !== 'live' || state.name !== 'paused' || !old) return null;
  return (
    <span className={classes.delay}>
      {i18n.t('player.badge.age', { duration: i18n.duration(old.ageMs) })}
    </span>
  );
}
