import IconArrowsDiagonal from '@tabler/icons-react/dist/esm/icons/IconArrowsDiagonal.mjs';
import IconArrowsDiagonalMinimize from '@tabler/icons-react/dist/esm/icons/IconArrowsDiagonalMinimize.mjs';
import IconExternalLink from '@tabler/icons-react/dist/esm/icons/IconExternalLink.mjs';
import { useEffect, type CSSProperties } from 'react';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { Wall } from '../../../playback/wall/wall.ts';
import type { WallTile } from '../../../playback/wall/wall-tile.ts';
import { Link } from '../../../routing/react/link.tsx';
import { lossOf, type Loss } from './lost-tile.tsx';
import type { StreamFacts } from './stream-facts.ts';
import { TileText } from './tile-text.tsx';
import { useTileSnapshot, useWallTile } from './use-wall.ts';
import classes from './wall.module.css';

interface WallTileViewProps {
  readonly id: string;
  readonly wall: Wall | undefined;
  readonly uid: string;
  readonly name: string;
  readonly facts: StreamFacts;
  /** The stream is no longer available to the viewer, or is again. */
  readonly onLoss: (loss: Loss | undefined) => void;
  readonly style: CSSProperties;
  readonly isEnlarged: boolean;
  readonly isCovered: boolean;
  readonly onEnlarge: () => void;
}

/** One tile of a wall with its name and, wherever its video does not move, a text that says why. */
export function WallTileView(props: WallTileViewProps) {
  const i18n = useI18n();
  const { uid, name, isEnlarged, isCovered } = props;
  const [tile, attachVideo] = useWallTile(props);
  const enlargeLabel = isEnlarged ? i18n.t('wall.shrink') : i18n.t('wall.enlarge', { name });
  const Sign = isEnlarged ? IconArrowsDiagonalMinimize : IconArrowsDiagonal;
  return (
    <article
      className={classes.tile}
      style={props.style}
      data-enlarged={isEnlarged}
      data-covered={isCovered}
      data-uid={uid}
      aria-label={name}
    >
      <video
        ref={attachVideo}
        className={classes.video}
        muted
        playsInline
        disablePictureInPicture
        tabIndex={-1}
        onDoubleClick={props.onEnlarge}
      />
      {tile && <TileText tile={tile} uid={uid} facts={props.facts} />}
      <div className={classes.foot}>
        <span className={classes.name}>{name}</span>
        {tile && <Marks tile={tile} onLoss={props.onLoss} />}
      </div>
      <div className={classes.controls}>
        <button type="button" aria-label={enlargeLabel} title={enlargeLabel} onClick={props.onEnlarge}>
          <Sign size={16} stroke={1.6} aria-hidden="true" />
        </button>
        <Link
          to="/stream/$uid/view"
          params={{ uid }}
          aria-label={i18n.t('wall.open', { name })}
          title={i18n.t('wall.open', { name })}
        >
          <IconExternalLink size={16} stroke={1.6} aria-hidden="true" />
        </Link>
      </div>
    </article>
  );
}

interface MarksProps {
  readonly tile: WallTile;
  readonly onLoss: (loss: Loss | undefined) => void;
}

/** How the video on screen differs from the camera's original. */
function Marks({ tile, onLoss }: MarksProps) {
  const i18n = useI18n();
  const snapshot = useTileSnapshot(tile);
  const { state, isKeyFrames, isReduced, isInGap, converted } = snapshot;
  const loss = lossOf(snapshot);
  useEffect(() => onLoss(loss), [onLoss, loss]);
  // Elsewhere a text says why there is no video.
  if (isInGap || (state.name !== 'playing' && state.name !== 'paused')) return null;
  if (isReduced)
    return (
      <span className={classes.mark} data-sign="key" title={i18n.t('wall.reduced.why')}>
        {i18n.t('wall.keyFrames')}
      </span>
    );
  if (converted !== undefined)
    return (
      <span className={classes.mark} title={i18n.t('wall.converted.why', { codec: converted })}>
        {i18n.t('wall.converted', { codec: converted })}
      </span>
    );
  if (!isKeyFrames) return null;
  return (
    <span className={classes.mark} data-sign="key" title={i18n.t('wall.keyFrames.why')}>
      {i18n.t('wall.keyFrames')}
    </span>
  );
}
