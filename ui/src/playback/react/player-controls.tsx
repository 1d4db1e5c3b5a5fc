import { Button, NativeSelect, Slider, Tooltip } from '@mantine/core';
import IconCamera from '@tabler/icons-react/dist/esm/icons/IconCamera.mjs';
import IconDots from '@tabler/icons-react/dist/esm/icons/IconDots.mjs';
import IconMaximize from '@tabler/icons-react/dist/esm/icons/IconMaximize.mjs';
import IconMinimize from '@tabler/icons-react/dist/esm/icons/IconMinimize.mjs';
import IconPictureInPicture from '@tabler/icons-react/dist/esm/icons/IconPictureInPicture.mjs';
import IconPlayerPause from '@tabler/icons-react/dist/esm/icons/IconPlayerPause.mjs';
import IconPlayerPlay from '@tabler/icons-react/dist/esm/icons/IconPlayerPlay.mjs';
import IconChevronRightPipe from '@tabler/icons-react/dist/esm/icons/IconChevronRightPipe.mjs';
import IconChevronLeftPipe from '@tabler/icons-react/dist/esm/icons/IconChevronLeftPipe.mjs';
import IconPlayerTrackPrev from '@tabler/icons-react/dist/esm/icons/IconPlayerTrackPrev.mjs';
import IconRewindBackward10 from '@tabler/icons-react/dist/esm/icons/IconRewindBackward10.mjs';
import IconRewindForward10 from '@tabler/icons-react/dist/esm/icons/IconRewindForward10.mjs';
import IconVolume from '@tabler/icons-react/dist/esm/icons/IconVolume.mjs';
import IconVolumeOff from '@tabler/icons-react/dist/esm/icons/IconVolumeOff.mjs';
import { playbackSpeeds } from '@vidette/contract/constants';
import { useState, type ReactNode } from 'react';
import { SignButton } from '../../components/sign-button.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { Player } from '../player.ts';
import classes from './player-controls.module.css';
import { usePlayer } from './use-player.ts';

interface PlayerControlsProps {
  readonly player: Player;
  /** Without an archive these controls do nothing. */
  readonly hasArchive: boolean;
  readonly isFullScreen: boolean;
  readonly onStep: (byMs: number) => void;
  readonly onLive: () => void;
  readonly onFullScreen: () => void;
  /** Absent where the browser has no picture-in-picture. */
  readonly onPictureInPicture: (() => void) | undefined;
  readonly onSnapshot: () => void;
  /** Longer jumps through the archive, from event to event and from gap to gap. */
  readonly navigation?: ReactNode;
  /** Further controls, such as jumping to a date. */
  readonly children?: ReactNode;
}

const STEP_MS = 10_000;

/** The row of buttons below the video. */
export function PlayerControls(props: PlayerControlsProps) {
  const { player, hasArchive } = props;
  const i18n = useI18n();
  const [isMore, setMore] = useState(false);
  return (
    <fieldset className={classes.controls} data-more={isMore} aria-label={i18n.t('player.controls')}>
      <PlayButton player={player} />
      {hasArchive && <JumpButtons player={player} onStep={props.onStep} />}
      <LiveButton player={player} onLive={props.onLive} />
      {props.navigation}
      <SignButton
        icon={IconDots}
        label={i18n.t('player.more')}
        className={classes.moreButton}
        aria-expanded={isMore}
        onClick={() => setMore(!isMore)}
      />
      <div className={classes.secondary}>
        {hasArchive && <SpeedSelect player={player} />}
        {hasArchive && <FrameButtons player={player} />}
        <Volume player={player} />
        <div className={classes.more}>{props.children}</div>
        <SignButton icon={IconCamera} label={i18n.t('player.snapshot')} onClick={props.onSnapshot} />
        {props.onPictureInPicture && (
          <SignButton
            icon={IconPictureInPicture}
            label={i18n.t('player.pip')}
            onClick={props.onPictureInPicture}
          />
        )}
      </div>
      <SignButton
        icon={props.isFullScreen ? IconMinimize : IconMaximize}
        label={i18n.t(props.isFullScreen ? 'player.fullScreen.leave' : 'player.fullScreen')}
        className={classes.fullScreen}
        onClick={props.onFullScreen}
      />
    </fieldset>
  );
}

interface PlayerProps {
  readonly player: Player;
}

function PlayButton({ player }: PlayerProps) {
  const i18n = useI18n();
  const { state } = usePlayer(player);
  const isRunning = !['paused', 'ended', 'failed', 'unsupported', 'idle'].includes(state.name);
  return (
    <SignButton
      icon={isRunning ? IconPlayerPause : IconPlayerPlay}
      label={i18n.t(isRunning ? 'player.pause' : 'player.play')}
      isMain
      onClick={() => player.toggle()}
    />
  );
}

function JumpButtons({ player, onStep }: PlayerProps & Pick<PlayerControlsProps, 'onStep'>) {
  const i18n = useI18n();
  const { mode } = usePlayer(player);
  return (
    <>
      <SignButton
        icon={IconRewindBackward10}
        label={i18n.t('player.back')}
        onClick={() => onStep(-STEP_MS)}
      />
      <SignButton
        icon={IconRewindForward10}
        label={i18n.t('player.forward')}
        isDisabled={mode === 'live'}
        onClick={() => onStep(STEP_MS)}
      />
    </>
  );
}

function LiveButton({ player, onLive }: PlayerProps & Pick<PlayerControlsProps, 'onLive'>) {
  const i18n = useI18n();
  const { mode, state } = usePlayer(player);
  return (
    <Button
      size="sm"
      variant={mode === 'live' ? 'light' : 'default'}
      aria-pressed={mode === 'live'}
      leftSection={
        <span
          className={classes.dot}
          data-live={mode === 'live' && state.name === 'playing'}
          aria-hidden="true"
        />
      }
      aria-label={i18n.t('player.live.go')}
      onClick={onLive}
    >
      {i18n.t('player.live')}
    </Button>
  );
}

function SpeedSelect({ player }: PlayerProps) {
  const i18n = useI18n();
  const { mode, speed } = usePlayer(player);
  return (
    <Tooltip label={i18n.t('player.speed.live')} disabled={mode === 'archive'}>
      <NativeSelect
        size="sm"
        className={classes.speed}
        aria-label={i18n.t('player.speed')}
        disabled={mode === 'live'}
        value={String(speed)}
        onChange={(event) => {
          const chosen = playbackSpeeds.find((one) => String(one) === event.currentTarget.value);
          if (chosen !== undefined) player.setSpeed(chosen);
        }}
        data={playbackSpeeds.map((one) => ({
          value: String(one),
          label: i18n.t('player.speed.value', { speed: i18n.number(one) }),
        }))}
      />
    </Tooltip>
  );
}

/** Reverse playback and single frames. */
function FrameButtons({ player }: PlayerProps) {
  const i18n = useI18n();
  const { isReverse } = usePlayer(player);
  return (
    <>
      <SignButton
        icon={IconPlayerTrackPrev}
        label={i18n.t('player.reverse')}
        aria-pressed={isReverse}
        onClick={() => player.shuttle(-1)}
      />
      <SignButton
        icon={IconChevronLeftPipe}
        label={i18n.t('player.step.back')}
        onClick={() => player.step(-1)}
      />
      <SignButton
        icon={IconChevronRightPipe}
        label={i18n.t('player.step.on')}
        onClick={() => player.step(1)}
      />
    </>
  );
}

function Volume({ player }: PlayerProps) {
  const i18n = useI18n();
  const { isMuted, volume } = usePlayer(player);
  return (
    <div className={classes.volume}>
      <SignButton
        icon={isMuted ? IconVolumeOff : IconVolume}
        label={i18n.t(isMuted ? 'player.unmute' : 'player.mute')}
        onClick={() => player.setMuted(!isMuted)}
      />
      <Slider
        className={classes.volumeSlider}
        size="sm"
        label={null}
        thumbLabel={i18n.t('player.volume')}
        thumbSize={14}
        min={0}
        max={1}
        step={0.05}
        value={isMuted ? 0 : volume}
        onChange={(value) => player.setVolume(value)}
      />
    </div>
  );
}
