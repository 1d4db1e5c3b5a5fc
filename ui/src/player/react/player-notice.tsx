import { useEffect, useState } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { Player } from '../player.ts';
import classes from './player-picture.module.css';
import { usePlayer } from './use-player.ts';

const SHOWN_MS = 5000;

/** What playback did by itself, told in passing: "Skipped 3 min 12 s: not recorded". */
export function PlayerNotice({ player }: { player: Player }) {
  const i18n = useI18n();
  const { notice } = usePlayer(player);
  const [goneId, setGoneId] = useState<number>();
  const id = notice?.id;
  useEffect(() => {
    if (id === undefined) return;
    const timer = setTimeout(() => setGoneId(id), SHOWN_MS);
    return () => clearTimeout(timer);
  }, [id]);
  let text = '';
  if (notice && notice.id !== goneId) {
    text =
      notice.notice.type === 'gap'
        ? i18n.t('player.notice.gap', {
            duration: i18n.duration(Math.round((notice.notice.endMs - notice.notice.startMs) / 1000) * 1000),
          })
        : i18n.t('player.notice.frames', { count: notice.notice.frames });
  }
  return (
    <output className={classes.notice} data-empty={text === ''}>
      {text}
    </output>
  );
}
