import { NativeSelect } from '@mantine/core';
import IconExternalLink from '@tabler/icons-react/dist/esm/icons/IconExternalLink.mjs';
import IconMaximize from '@tabler/icons-react/dist/esm/icons/IconMaximize.mjs';
import IconMinimize from '@tabler/icons-react/dist/esm/icons/IconMinimize.mjs';
import IconPlayerPause from '@tabler/icons-react/dist/esm/icons/IconPlayerPause.mjs';
import IconPlayerPlay from '@tabler/icons-react/dist/esm/icons/IconPlayerPlay.mjs';
import IconPlayerSkipBack from '@tabler/icons-react/dist/esm/icons/IconPlayerSkipBack.mjs';
import IconPlayerSkipForward from '@tabler/icons-react/dist/esm/icons/IconPlayerSkipForward.mjs';
import { playbackSpeeds } from '@vidette/contract/constants';
import { useRef, type RefObject } from 'react';
import { SignButton } from '../../components/sign-button.tsx';
import { useFullScreen } from '../../components/use-full-screen.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { Link } from '../../routing/react/link.tsx';
import type { Digested } from './digest-export.tsx';
import { DigestHead } from './digest-head.tsx';
import { DigestList } from './digest-list.tsx';
import type { DigestPlan } from '@vidette/contract/digest-plan';
import type { DigestPlayer } from './digest-player.ts';
import classes from './digest.module.css';
import { useDigestKeys } from './use-digest-keys.ts';
import { useDigest, useDigestClock, useDigestPlayer, useShownSlot } from './use-digest-player.ts';

interface DigestStageProps {
  readonly plan: DigestPlan;
  readonly digested: Digested;
}

/** The video, which clip it is, and the list of all of them. */
export function DigestStage({ plan, digested }: DigestStageProps) {
  const i18n = useI18n();
  const stage = useRef<HTMLDivElement>(null);
  const first = useRef<HTMLVideoElement>(null);
  const second = useRef<HTMLVideoElement>(null);
  const player = useDigestPlayer(plan, first, second);
  const shown = useShownSlot(player, plan);
  const [isFullScreen, toggleFullScreen] = useFullScreen(stage);
  return (
    <>
      <div ref={stage} className={classes.stage} data-full-screen={isFullScreen}>
        <div className={classes.video}>
          <ClipVideo videoRef={first} isShown={shown === 0} onDoubleClick={toggleFullScreen} />
          <ClipVideo videoRef={second} isShown={shown === 1} onDoubleClick={toggleFullScreen} />
          {player && <DigestHead player={player} plan={plan} />}
        </div>
        {player && (
          <DigestControls
            player={player}
            plan={plan}
            isFullScreen={isFullScreen}
            onFullScreen={toggleFullScreen}
          />
        )}
      </div>
      {player ? (
        <DigestList player={player} plan={plan} digested={digested} />
      ) : (
        <div className={classes.list} aria-label={i18n.t('digest.parts')} />
      )}
    </>
  );
}

interface ClipVideoProps {
  readonly videoRef: RefObject<HTMLVideoElement | null>;
  readonly isShown: boolean;
  readonly onDoubleClick: () => void;
}

/** One of the two elements; the hidden one loads the next clip. */
function ClipVideo({ videoRef, isShown, onDoubleClick }: ClipVideoProps) {
  return (
    <video
      ref={videoRef}
      data-shown={isShown}
      muted
      playsInline
      aria-hidden="true"
      onDoubleClick={onDoubleClick}
    />
  );
}

interface DigestControlsProps {
  readonly player: DigestPlayer;
  readonly plan: DigestPlan;
  readonly isFullScreen: boolean;
  readonly onFullScreen: () => void;
}

function DigestControls({ player, plan, isFullScreen, onFullScreen }: DigestControlsProps) {
  const i18n = useI18n();
  const { place, state } = useDigest(player);
  const part = plan.parts[place];
  const utcMs = useDigestClock(player);
  useDigestKeys(player, onFullScreen);
  const isRunning = state === 'playing' || state === 'loading';
  return (
    <fieldset className={classes.controls}>
      <legend className="visually-hidden">{i18n.t('player.controls')}</legend>
      <SignButton
        icon={IconPlayerSkipBack}
        label={i18n.t('digest.previous')}
        isDisabled={place === 0}
        aria-keyshortcuts="K"
        onClick={() => player.goTo(place - 1)}
      />
      <SignButton
        icon={isRunning ? IconPlayerPause : IconPlayerPlay}
        label={i18n.t(isRunning ? 'player.pause' : 'player.play')}
        isMain
        aria-keyshortcuts="Space"
        onClick={() => player.toggle()}
      />
      <SignButton
        icon={IconPlayerSkipForward}
        label={i18n.t('digest.next')}
        isDisabled={place >= plan.parts.length - 1}
        aria-keyshortcuts="J"
        onClick={() => player.goTo(place + 1)}
      />
      <SpeedSelect player={player} />
      <span className={classes.progress}>
        {i18n.t('digest.progress', { place: place + 1, count: plan.parts.length })}
      </span>
      {part && (
        <Link
          to="/stream/$uid/view"
          params={{ uid: part.uid }}
          search={{ t: Math.round(utcMs ?? part.fromMs) }}
          className={classes.open}
          aria-keyshortcuts="O"
        >
          <IconExternalLink size={16} aria-hidden="true" />
          <span>{i18n.t('events.open')}</span>
        </Link>
      )}
      <SignButton
        icon={isFullScreen ? IconMinimize : IconMaximize}
        label={i18n.t(isFullScreen ? 'player.fullScreen.leave' : 'player.fullScreen')}
        onClick={onFullScreen}
      />
    </fieldset>
  );
}

function SpeedSelect({ player }: { readonly player: DigestPlayer }) {
  const i18n = useI18n();
  const { speed } = useDigest(player);
  return (
    <NativeSelect
      size="sm"
      className={classes.speed}
      aria-label={i18n.t('player.speed')}
      value={String(speed)}
      data={playbackSpeeds.map((one) => ({
        value: String(one),
        label: i18n.t('player.speed.value', { speed: i18n.number(one) }),
      }))}
      onChange={(event) => {
        const chosen = playbackSpeeds.find((one) => String(one) === event.currentTarget.value);
        if (chosen !== undefined) player.setSpeed(chosen);
      }}
    />
  );
}
