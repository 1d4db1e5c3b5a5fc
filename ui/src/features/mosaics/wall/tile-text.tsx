import { Button } from '@mantine/core';
import type { GapCause } from '@vidette/contract/entities';
import { isErrorCode, messageOf } from '@vidette/contract/errors';
import { useEffect } from 'react';
import { Delayed } from '../../../components/delayed.tsx';
import type { MessageKey } from '../../../i18n/i18n.ts';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { TranscodingRefusal } from '../../../playback/state.ts';
import { isSourceAway, type TileSnapshot } from '../../../playback/wall/tile-snapshot.ts';
import type { WallTile } from '../../../playback/wall/wall-tile.ts';
import { gapText } from './gap-text.ts';
import { LastFrame } from '../../../playback/react/last-frame.tsx';
import { lossOf, lossText } from './lost-tile.tsx';
import type { StreamFacts } from './stream-facts.ts';
import { TileSnapshots } from './tile-snapshots.tsx';
import { useTileSnapshot } from './use-wall.ts';
import classes from './wall.module.css';

interface TileTextProps {
  readonly tile: WallTile;
  readonly uid: string;
  readonly facts: StreamFacts;
}

/**
 * Why a tile has no moving video; nothing while it has. Its state is exposed in the document for external
 * observers such as tests.
 */
export function TileText(props: TileTextProps) {
  const { tile, uid, facts } = props;
  const { gapCauseOf, onAway } = facts;
  const snapshot = useTileSnapshot(tile);
  const { state, isKeyFrames, isInGap, converted } = snapshot;
  const isAway = isSourceAway(state);
  useEffect(() => {
    if (isAway) onAway();
  }, [isAway, onAway]);
  return (
    <div
      className={classes.words}
      data-tile-state={isInGap ? 'gap' : state.name}
      data-key-frames={isKeyFrames}
      data-converted={converted}
      data-quiet={!isInGap && (state.name === 'playing' || state.name === 'paused' || state.name === 'idle')}
    >
      {isInGap ? <GapText cause={gapCauseOf(uid)} /> : <TileStateText {...props} snapshot={snapshot} />}
    </div>
  );
}

function GapText({ cause }: { cause: GapCause | undefined }) {
  return <p>{gapText(cause, useI18n())}</p>;
}

function TileStateText({ tile, uid, facts, snapshot }: TileTextProps & { readonly snapshot: TileSnapshot }) {
  const i18n = useI18n();
  const { state, isArchive } = snapshot;
  const trouble = isArchive ? undefined : facts.troubleOf(uid);
  switch (state.name) {
    case 'idle':
    case 'playing':
    case 'paused':
    case 'ended':
      return null;
    case 'connecting':
    case 'buffering':
      return (
        <Delayed>
          <p>{trouble ?? i18n.t(state.name === 'connecting' ? 'wall.connecting' : 'wall.buffering')}</p>
        </Delayed>
      );
    case 'waiting':
      return (
        <>
          <p>{(isSourceAway(state) ? trouble : undefined) ?? i18n.t(waitingText[state.reason])}</p>
          {state.reason !== 'gesture' && <LastFrame utcMs={tile.frameMs} />}
        </>
      );
    case 'failed': {
      const loss = lossOf(snapshot);
      if (loss) return <p>{i18n.t(lossText[loss])}</p>;
      return (
        <>
          <p>
            {isArchive && state.code === 'Forbidden'
              ? i18n.t('wall.forbidden.archive')
              : messageOf(isErrorCode(state.code) ? state.code : 'SERVER_UNKNOWN_ERR', i18n.language)}
          </p>
          <RetryButton tile={tile} />
        </>
      );
    }
    case 'unsupported':
      if (state.codec === '') return <p>{i18n.t('wall.mse')}</p>;
      return (
        <>
          <TileSnapshots tile={tile} uid={uid} isArchive={isArchive} />
          <p className={classes.ribbon}>
            {i18n.t('wall.codec', { codec: state.codec })} {i18n.t(videoText(state.refusal, snapshot))}
          </p>
          {state.refusal === 'QuotaReached' && <RetryButton tile={tile} />}
        </>
      );
  }
}

function RetryButton({ tile }: { tile: WallTile }) {
  const i18n = useI18n();
  return (
    <Button size="compact-sm" variant="default" onClick={() => tile.retry()}>
      {i18n.t('action.retry')}
    </Button>
  );
}

/** Why snapshots are shown of video that this browser can't play. */
function videoText(refusal: TranscodingRefusal | undefined, { isKeyFrames }: TileSnapshot): MessageKey {
  if (refusal) return refusalText[refusal];
  return isKeyFrames ? 'wall.pictures.budget' : 'wall.pictures.none';
}

const refusalText = {
  QuotaReached: 'wall.pictures.busy',
  ActionNotAcceptable: 'wall.pictures.off',
  ProbeError: 'wall.pictures.failed',
} as const;

const waitingText = {
  network: 'wall.network',
  storage: 'player.waiting.storage',
  source: 'wall.source',
  overload: 'wall.overload',
  silent: 'wall.silent',
  gesture: 'wall.gesture',
} as const;
