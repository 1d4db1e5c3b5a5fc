import { useEffect, useRef, useState } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { MessageKey } from '../../i18n/i18n.ts';
import type { Player } from '../player.ts';
import type { PlayerFigures } from '../player-figures.ts';
import classes from './player-statistics.module.css';

const LOOK_MS = 1000;

const transports = {
  websocket: 'player.figures.transport.websocket',
  http: 'player.figures.transport.http',
} as const;

interface Look extends PlayerFigures {
  readonly delayMs: number | undefined;
  readonly bitsPerS: number;
}

/** Statistics of the video and its delivery, shown over it and refreshed once a second. */
export function PlayerStatistics({ player }: { player: Player }) {
  const i18n = useI18n();
  const [look, setLook] = useState<Look>();
  const taken = useRef<number>(undefined);
  useEffect(() => {
    const read = () => {
      const { figures } = player;
      if (!figures) return;
      const bytes = figures.takenBytes - (taken.current ?? figures.takenBytes);
      taken.current = figures.takenBytes;
      setLook({ ...figures, delayMs: player.delayMs, bitsPerS: (bytes * 8000) / LOOK_MS });
    };
    read();
    const timer = setInterval(read, LOOK_MS);
    return () => clearInterval(timer);
  }, [player]);
  if (!look) return null;
  const tenths = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  const none = i18n.t('player.figures.none');
  const seconds = (ms: number) =>
    i18n.t('player.figures.seconds', { seconds: i18n.number(ms / 1000, tenths) });
  const rows: readonly (readonly [MessageKey, string])[] = [
    ['player.figures.transport', i18n.t(transports[look.transport])],
    ['player.figures.codecs', look.codecs.join(', ') || none],
    [
      'player.figures.picture',
      [
        look.width > 0
          ? i18n.t('player.figures.size', { width: String(look.width), height: String(look.height) })
          : none,
        ...(look.rate === undefined
          ? []
          : [i18n.t('player.figures.rate', { rate: i18n.number(look.rate, { maximumFractionDigits: 1 }) })]),
      ].join(', '),
    ],
    [
      'player.figures.bitrate',
      i18n.t('player.figures.mbit', { rate: i18n.number(look.bitsPerS / 1e6, tenths) }),
    ],
    ['player.figures.delay', look.delayMs === undefined ? none : seconds(look.delayMs)],
    ['player.figures.ahead', seconds(look.aheadMs)],
    [
      'player.figures.dropped',
      i18n.t('player.figures.droppedOf', {
        dropped: look.droppedFrames,
        all: look.droppedFrames + look.shownFrames,
      }),
    ],
  ];
  return (
    <dl className={classes.statistics} aria-label={i18n.t('player.figures')}>
      {rows.map(([label, value]) => (
        <div key={label}>
          <dt>{i18n.t(label)}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
