import { Button } from '@mantine/core';
import type { GapCause } from '@vidette/contract/entities';
import { isErrorCode, messageOf } from '@vidette/contract/errors';
import { useCallback } from 'react';
import { loadStreamPicture } from '../../api/streams.ts';
import { Delayed } from '../../components/delayed.tsx';
import { FreshPicture } from '../../components/fresh-picture.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { WallTile } from '../wall-tile.ts';
import { gapWords } from './gap-words.ts';
import { useTileSnapshot } from './use-wall.ts';
import classes from './wall.module.css';

interface TileWordsProps {
  readonly tile: WallTile;
  readonly uid: string;
  readonly gapCauseOf: (uid: string) => GapCause | undefined;
}

const stillEveryMs = 5_000;
const stillWidthPx = 640;

/** Why a tile has no moving picture; nothing while it has one. Its state stands in the document for whoever looks from outside. */
export function TileWords({ tile, uid, gapCauseOf }: TileWordsProps) {
  const { state, isKeyFrames, isInGap } = useTileSnapshot(tile);
  return (
    <div
      className={classes.words}
      data-tile-state={isInGap ? 'gap' : state.name}
      data-key-frames={isKeyFrames}
      data-quiet={!isInGap && (state.name === 'playing' || state.name === 'paused' || state.name === 'idle')}
    >
      {isInGap ? <GapWords cause={gapCauseOf(uid)} /> : <StateWords tile={tile} uid={uid} />}
    </div>
  );
}

function GapWords({ cause }: { cause: GapCause | undefined }) {
  return <p>{gapWords(cause, useI18n())}</p>;
}

function StateWords({ tile, uid }: { tile: WallTile; uid: string }) {
  const i18n = useI18n();
  const { state } = useTileSnapshot(tile);
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
          <p>{i18n.t(state.name === 'connecting' ? 'wall.connecting' : 'wall.buffering')}</p>
        </Delayed>
      );
    case 'waiting':
      return <p>{i18n.t(waitingWords[state.reason])}</p>;
    case 'failed':
      return (
        <>
          <p>{messageOf(isErrorCode(state.code) ? state.code : 'SERVER_UNKNOWN_ERR', i18n.language)}</p>
          <Button size="compact-sm" variant="default" onClick={() => tile.retry()}>
            {i18n.t('action.retry')}
          </Button>
        </>
      );
    case 'unsupported':
      return (
        <>
          <Stills uid={uid} />
          <p className={classes.ribbon}>
            {state.codec === '' ? i18n.t('wall.mse') : i18n.t('wall.codec', { codec: state.codec })}
          </p>
        </>
      );
  }
}

const waitingWords = {
  network: 'wall.network',
  source: 'wall.source',
  gesture: 'wall.gesture',
} as const;

/** What this browser can't play, as pictures that the server made. */
function Stills({ uid }: { uid: string }) {
  const load = useCallback((signal: AbortSignal) => loadStreamPicture(uid, stillWidthPx, signal), [uid]);
  return <FreshPicture load={load} everyMs={stillEveryMs} />;
}
