import { addressOf } from '@vidette/contract/routes';
import { useCallback } from 'react';
import { snapshotAgeMs } from '../streams/snapshot-age.ts';
import { FreshSnapshot } from '../../components/fresh-snapshot.tsx';
import type { Player } from '../../playback/player.ts';
import { usePlayer, usePlayerClock } from '../../playback/react/use-player.ts';
import classes from './stream-view.module.css';

interface UndecodedStillProps {
  readonly uid: string;
  readonly player: Player;
}

const LIVE_EVERY_MS = 1000;
const WIDTH_PX = 1280;

/**
 * For a stream that this browser can't decode: snapshots made by the server, the newest or that of the moment.
 */
export function UndecodedStill({ uid, player }: UndecodedStillProps) {
  const { mode, state } = usePlayer(player);
  const { utcMs } = usePlayerClock(player);
  const momentMs = mode === 'archive' && utcMs !== undefined ? Math.round(utcMs) : undefined;
  const load = useCallback(
    async (signal: AbortSignal) => {
      const address =
        momentMs === undefined
          ? addressOf('getStreamPicture', { uid }, { width: WIDTH_PX })
          : addressOf('getArchivePicture', { uid }, { time: momentMs, width: WIDTH_PX });
      const reply = await fetch(address, { credentials: 'same-origin', cache: 'no-store', signal });
      if (!reply.ok) throw new Error(`No snapshot: ${reply.status}`);
      const blob = await reply.blob();
      return { blob, ageMs: momentMs === undefined ? snapshotAgeMs(reply.headers) : 0 };
    },
    [uid, momentMs],
  );
  if (state.name !== 'unsupported') return null;
  return (
    <div className={classes.undecoded}>
      <FreshSnapshot load={load} everyMs={mode === 'live' ? LIVE_EVERY_MS : null} />
    </div>
  );
}
