import { Button } from '@mantine/core';
import type { GapCause } from '@vidette/contract/entities';
import { isErrorCode, messageOf } from '@vidette/contract/errors';
import { useCallback, useEffect } from 'react';
import { Delayed } from '../../../components/delayed.tsx';
import type { MessageKey } from '../../../i18n/i18n.ts';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { OldFrame } from '../../../playback/frame-age.ts';
import type { PlayerState, TranscodingRefusal } from '../../../playback/state.ts';
import { isSourceAway, type TileSnapshot } from '../../../playback/wall/tile-snapshot.ts';
import type { WallTile } from '../../../playback/wall/wall-tile.ts';
import { gapText } from './gap-text.ts';
import { LastFrame, useOldFrame } from '../../../playback/react/last-frame.tsx';
import { lossOf, lossText } from './lost-tile.tsx';
import type { StreamFacts } from './stream-facts.ts';
import { OutageNote } from '../../streams/details/outage-note.tsx';
import { TileSnapshots } from './tile-snapshots.tsx';
import { useTileSnapshot } from './use-wall.ts';
import classes from './wall.module.css';

/** Rarer than on the own page of a stream: many streams of a wall may have failed together. */
const OUTAGE_EVERY_MS = 10_000;

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
  const old = useTileAge(tile);
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
      data-quiet={!isInGap && MOVING.includes(state.name)}
      data-old={!isInGap && old !== undefined && !MOVING.includes(state.name)}
    >
      {isInGap ? (
        <GapText cause={gapCauseOf(uid)} />
      ) : (
        <TileStateText {...props} snapshot={snapshot} old={old} />
      )}
    </div>
  );
}

/** States without a text: nothing is amiss. */
const MOVING: readonly PlayerState['name'][] = ['playing', 'paused', 'idle'];

/** The tile's live frame, once it is old. */
function useTileAge(tile: WallTile): OldFrame | undefined {
  return useOldFrame(
    useCallback(() => tile.frameMs, [tile]),
    useCallback(() => tile.getSnapshot().state.name === 'playing', [tile]),
  );
}

function GapText({ cause }: { cause: GapCause | undefined }) {
  return <p>{gapText(cause, useI18n())}</p>;
}

interface TileStateTextProps extends TileTextProps {
  readonly snapshot: TileSnapshot;
  readonly old: OldFrame | undefined;
}

function TileStateText({ tile, uid, facts, snapshot, old }: TileStateTextProps) {
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
        <>
          <Delayed>
            <p>{trouble ?? i18n.t(state.name === 'connecting' ? 'wall.connecting' : 'wall.buffering')}</p>
          </Delayed>
          <LastFrame old={old} />
        </>
      );
    case 'waiting':
      return (
        <>
          <p>{(isSourceAway(state) ? trouble : undefined) ?? i18n.t(waitingText[state.reason])}</p>
          {isSourceAway(state) && !isArchive && (
            <OutageNote uid={uid} everyMs={OUTAGE_EVERY_MS} className={classes.outage} />
          )}
          {state.reason !== 'gesture' && <LastFrame old={old} />}
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
          <LastFrame old={old} />
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
