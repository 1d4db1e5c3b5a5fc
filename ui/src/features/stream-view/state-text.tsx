import { Button, Loader } from '@mantine/core';
import { isErrorCode, messageOf } from '@vidette/contract/errors';
import type { Stream } from '@vidette/contract/entities';
import { useCallback } from 'react';
import { usePauseStream } from '../streams/streams-api.ts';
import { Delayed } from '../../components/delayed.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { Player } from '../../playback/player.ts';
import type { TranscodingRefusal, WaitReason } from '../../playback/state.ts';
import { LastFrame, useOldFrame } from '../../playback/react/last-frame.tsx';
import { usePlayer } from '../../playback/react/use-player.ts';
import { reasonOf } from '../streams/reason.ts';
import { FailedCamera } from './failed-camera.tsx';
import classes from './stream-view.module.css';

interface StateTextProps {
  readonly player: Player;
  /** Undefined until the server has answered. */
  readonly stream: Stream | undefined;
  readonly onLive: () => void;
}

/** Why there is no moving video, and what the viewer can do about it; nothing while there is. */
export function StateText({ player, stream, onLive }: StateTextProps) {
  const i18n = useI18n();
  const { state, mode } = usePlayer(player);
  const old = useOldLiveFrame(player);
  switch (state.name) {
    case 'idle':
    case 'playing':
    case 'paused':
      return null;
    case 'connecting':
    case 'buffering':
      return (
        <>
          {mode === 'live' && stream && stream.status !== 'running' ? (
            <Reason stream={stream} />
          ) : (
            <Delayed>
              <Loader size="sm" color="gray.0" aria-hidden="true" />
              <p>
                {i18n.t(
                  mode === 'live' && state.name === 'connecting' ? 'player.connecting' : 'player.buffering',
                )}
              </p>
            </Delayed>
          )}
          <LastFrame old={old} />
        </>
      );
    case 'waiting':
      return (
        <>
          <Waiting reason={state.reason} player={player} stream={stream} />
          {state.reason !== 'gesture' && <LastFrame old={old} />}
        </>
      );
    case 'failed':
      return (
        <>
          <p>{messageOf(isErrorCode(state.code) ? state.code : 'SERVER_UNKNOWN_ERR', i18n.language)}</p>
          <LastFrame old={old} />
          <Button variant="default" onClick={() => player.play()}>
            {i18n.t('action.retry')}
          </Button>
        </>
      );
    case 'unsupported':
      return <Unsupported codec={state.codec} refusal={state.refusal} player={player} />;
    case 'ended':
      return (
        <>
          <p>{i18n.t('player.ended')}</p>
          <Button onClick={onLive}>{i18n.t('player.live.go')}</Button>
        </>
      );
  }
}

/** The live frame on screen, once it is old. */
function useOldLiveFrame(player: Player) {
  return useOldFrame(
    useCallback(() => (player.getSnapshot().mode === 'live' ? player.utcMs : undefined), [player]),
    useCallback(() => player.getSnapshot().state.name === 'playing', [player]),
  );
}

const refusalText = {
  QuotaReached: 'player.refusal.busy',
  ActionNotAcceptable: 'player.refusal.off',
  ProbeError: 'player.refusal.failed',
} as const;

interface UnsupportedProps {
  readonly codec: string;
  readonly refusal: TranscodingRefusal | undefined;
  readonly player: Player;
}

/** Why still images are shown of video that this browser can't decode. */
function Unsupported({ codec, refusal, player }: UnsupportedProps) {
  const i18n = useI18n();
  if (codec === '') return <p>{i18n.t('player.unsupported.mse')}</p>;
  return (
    <div className={classes.below}>
      <p>
        <strong>{i18n.t('player.unsupported.title', { codec })}</strong>
      </p>
      {refusal !== undefined && <p>{i18n.t(refusalText[refusal])}</p>}
      <p>{i18n.t('player.unsupported.text', { codec })}</p>
      {refusal === 'QuotaReached' && (
        <Button size="compact-md" variant="default" onClick={() => player.play()}>
          {i18n.t('action.retry')}
        </Button>
      )}
    </div>
  );
}

function Waiting({
  reason,
  player,
  stream,
}: {
  readonly reason: WaitReason;
  readonly player: Player;
  readonly stream: Stream | undefined;
}) {
  const i18n = useI18n();
  switch (reason) {
    case 'network':
      return <p>{i18n.t('player.waiting.network')}</p>;
    case 'storage':
      return <p>{i18n.t('player.waiting.storage')}</p>;
    case 'overload':
      return <p>{i18n.t('player.waiting.overload')}</p>;
    case 'source':
    case 'silent':
      if (stream && stream.status !== 'running') return <Reason stream={stream} />;
      return <p>{i18n.t(`player.waiting.${reason}`)}</p>;
    case 'gesture':
      return (
        <>
          <p>{i18n.t('player.waiting.gesture')}</p>
          <Button onClick={() => player.play()}>{i18n.t('player.play')}</Button>
        </>
      );
  }
}

/** The server's text about a stream that is not running. */
function Reason({ stream }: { stream: Stream }) {
  const i18n = useI18n();
  const pause = usePauseStream();
  if (stream.status === 'failed' && stream.node.available) return <FailedCamera stream={stream} />;
  // The stream is being watched: an on-demand one connects now.
  if (stream.status !== 'paused') return <p>{reasonOf({ ...stream, live: { onDemand: false } }, i18n)}</p>;
  return (
    <>
      <p>{i18n.t('player.streamPaused')}</p>
      {stream.canEdit && (
        <Button loading={pause.isPending} onClick={() => pause.mutate({ uid: stream.uid, isPaused: true })}>
          {i18n.t('player.streamPaused.resume')}
        </Button>
      )}
    </>
  );
}
