import type { GapCause } from '@vidette/contract/entities';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { I18n } from '../../i18n/i18n.ts';
import { withCauses } from '../../timeline/gap-cause-text.ts';
import type { Player } from '../player.ts';
import type { Notice } from '../state.ts';
import classes from './player-video.module.css';
import { usePlayer } from './use-player.ts';
import { useRecentNotice } from './use-recent-notice.ts';

/** A shorter gap is not worth a notice, ms. */
const LEAST_MS = 1000;

interface PlayerNoticeProps {
  readonly player: Player;
  /** The causes of gaps between two moments, as far as known. */
  readonly causesOf: (startMs: number, endMs: number) => readonly GapCause[];
  /** Recording had not started before this moment; undefined: it had before everything loaded so far. */
  readonly begunMs: () => number | undefined;
}

/**
 * Notices about what playback did by itself: "Skipped 3 min 12 s, 10:02:05 to 10:05:17, not recorded: camera
 * unreachable".
 */
export function PlayerNotice({ player, causesOf, begunMs }: PlayerNoticeProps) {
  const i18n = useI18n();
  const recent = useRecentNotice(usePlayer(player).notice);
  const text = recent ? noticeText(recent.notice, { causesOf, begunMs }, i18n) : '';
  return (
    <output className={classes.notice} data-empty={text === ''}>
      {text}
    </output>
  );
}

function noticeText(
  notice: Notice,
  { causesOf, begunMs }: Pick<PlayerNoticeProps, 'causesOf' | 'begunMs'>,
  i18n: I18n,
): string {
  if (notice.type === 'frames') return i18n.t('player.notice.frames', { count: notice.frames });
  const { endMs } = notice;
  // Before recording started nothing was skipped.
  const startMs = Math.max(notice.startMs, begunMs() ?? notice.startMs);
  if (endMs - startMs < LEAST_MS) return i18n.t('player.notice.begins', { time: i18n.dateTime(endMs) });
  const words = i18n.t('player.notice.gap', {
    duration: i18n.duration(Math.round((endMs - startMs) / 1000) * 1000),
    from: i18n.time(startMs),
    to: i18n.time(endMs),
  });
  return withCauses(words, causesOf(startMs, endMs), i18n);
}
