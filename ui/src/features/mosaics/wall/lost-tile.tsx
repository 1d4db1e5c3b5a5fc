import type { CSSProperties } from 'react';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { TileSnapshot } from '../../../playback/wall/tile-snapshot.ts';
import classes from './wall.module.css';

/** Why a stream that was being watched is no longer part of the mosaic, as far as its viewer may know. */
export type Loss = 'Forbidden' | 'NotFound';

export const lossText = { Forbidden: 'wall.forbidden', NotFound: 'wall.deleted' } as const;

/** Whether the live video of a tile is gone for good, and why. */
export function lossOf({ state, isArchive }: TileSnapshot): Loss | undefined {
  if (isArchive || state.name !== 'failed') return undefined;
  return state.code === 'Forbidden' || state.code === 'NotFound' ? state.code : undefined;
}

interface LostTileProps {
  readonly name: string;
  readonly loss: Loss;
  readonly style: CSSProperties;
}

/** The tile of a stream that the viewer was watching until it was deleted or their right was revoked. */
export function LostTile({ name, loss, style }: LostTileProps) {
  const i18n = useI18n();
  return (
    <article className={classes.tile} style={style} aria-label={name}>
      <div className={classes.words} data-tile-state="failed">
        <p>{i18n.t(lossText[loss])}</p>
      </div>
      <div className={classes.foot}>
        <span className={classes.name}>{name}</span>
      </div>
    </article>
  );
}
