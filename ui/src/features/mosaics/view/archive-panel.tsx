import { Button, NativeSelect } from '@mantine/core';
import IconPlayerPause from '@tabler/icons-react/dist/esm/icons/IconPlayerPause.mjs';
import IconPlayerPlay from '@tabler/icons-react/dist/esm/icons/IconPlayerPlay.mjs';
import IconRewindBackward10 from '@tabler/icons-react/dist/esm/icons/IconRewindBackward10.mjs';
import IconRewindForward10 from '@tabler/icons-react/dist/esm/icons/IconRewindForward10.mjs';
import { playbackSpeeds } from '@vidette/contract/constants';
import { messageOf } from '@vidette/contract/errors';
import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { SignButton } from '../../../components/sign-button.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import { TimelineSlider } from '../../../timeline/react/timeline-slider.tsx';
import { ZoomControls } from '../../../timeline/react/zoom-controls.tsx';
import { useRecentNotice } from '../../../playback/react/use-recent-notice.ts';
import type { ArchiveWall } from '../../../playback/wall/archive-wall.ts';
import type { SharedClock } from '../../../playback/wall/shared-clock.ts';
import { TimelineTracksView } from '../wall/timeline-tracks-view.tsx';
import { FindControl } from '../../stream-view/find/find-control.tsx';
import { JumpControl } from '../../stream-view/jump-control.tsx';
import classes from './mosaic.module.css';

interface ArchivePanelProps {
  readonly archive: ArchiveWall;
  readonly name: string;
  readonly streams: readonly { readonly uid: string; readonly name: string }[];
  readonly onLive: () => void;
  /** The clock jumped or stopped: a link to this moment should contain it. */
  readonly onMoment: (utcMs: number) => void;
}

const CLOCK_MS = 200;
const STEP_MS = 10_000;
/** The address does not change on every repeat of a held key. */
const ADDRESS_AFTER_MS = 600;

/** Below the tiles: one clock for all of them, one timeline, and a track for each stream. */
export function ArchivePanel({ archive, name, streams, onLive, onMoment }: ArchivePanelProps) {
  const i18n = useI18n();
  const { shared, timeline } = archive;
  const momentMs = useCallback(() => shared.utcMs, [shared]);
  useMomentReport(shared, onMoment);
  return (
    <>
      <div className={classes.bar} role="group" aria-label={i18n.t('player.controls')}>
        <ClockControls archive={archive} />
        <Moment archive={archive} />
        <ArchiveText archive={archive} />
        <div className={classes.actions}>
          <JumpControl shownMs={momentMs} onJump={(utcMs) => timeline.goTo(utcMs)} />
          <FindControl streams={streams} shownMs={momentMs} timeline={timeline} />
          <ZoomControls timeline={timeline} />
          <Button size="sm" variant="default" aria-label={i18n.t('mosaic.live.go')} onClick={onLive}>
            {i18n.t('mosaic.live')}
          </Button>
        </div>
      </div>
      <TimelineSlider
        timeline={timeline}
        label={i18n.t('mosaic.timeline', { name })}
        momentMs={momentMs}
        tip={null}
      />
      <TimelineTracksView archive={archive} streams={streams} />
    </>
  );
}

/** Reports the moment after the clock has jumped, stopped or continued. */
function useMomentReport(shared: SharedClock, onMoment: (utcMs: number) => void): void {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let jumps = shared.jumps;
    let wasPaused = shared.getSnapshot().isPaused;
    const unsubscribe = shared.subscribe(() => {
      const { isPaused: isPausedNow } = shared.getSnapshot();
      if (shared.jumps === jumps && isPausedNow === wasPaused) return;
      jumps = shared.jumps;
      wasPaused = isPausedNow;
      clearTimeout(timer);
      timer = setTimeout(() => onMoment(Math.round(shared.utcMs)), ADDRESS_AFTER_MS);
    });
    return () => {
      clearTimeout(timer);
      unsubscribe();
    };
  }, [shared, onMoment]);
}

/** Play and pause, jumps and speed, for all tiles. */
function ClockControls({ archive: { shared, timeline } }: { archive: ArchiveWall }) {
  const i18n = useI18n();
  const { speed, isPaused } = useSyncExternalStore(shared.subscribe, shared.getSnapshot);
  return (
    <>
      <SignButton
        icon={isPaused ? IconPlayerPlay : IconPlayerPause}
        label={i18n.t(isPaused ? 'player.play' : 'player.pause')}
        isMain
        onClick={() => shared.setPaused(!isPaused)}
      />
      <SignButton
        icon={IconRewindBackward10}
        label={i18n.t('player.back')}
        onClick={() => timeline.step(-STEP_MS)}
      />
      <SignButton
        icon={IconRewindForward10}
        label={i18n.t('player.forward')}
        onClick={() => timeline.step(STEP_MS)}
      />
      <NativeSelect
        size="sm"
        aria-label={i18n.t('player.speed')}
        value={speed}
        onChange={(event) => shared.setSpeed(Number(event.currentTarget.value))}
        data={playbackSpeeds.map((one) => ({
          value: String(one),
          label: i18n.t('player.speed.value', { speed: i18n.number(one) }),
        }))}
      />
    </>
  );
}

/** Why the tiles do not move, or what was skipped. */
function ArchiveText({ archive }: { archive: ArchiveWall }) {
  const i18n = useI18n();
  const { problem, skipped, isOver } = useSyncExternalStore(archive.subscribe, archive.getSnapshot);
  const recent = useRecentNotice(skipped);
  const words = isOver
    ? i18n.t('mosaic.ended')
    : problem !== undefined
      ? i18n.t('timeline.failed', { reason: messageOf(problem, i18n.language) })
      : recent && i18n.t('mosaic.allGap', { duration: i18n.duration(recent.endMs - recent.startMs) });
  return <output className={classes.words}>{words}</output>;
}

/** The moment on all tiles, for users and for external observers such as tests. */
function Moment({ archive }: { archive: ArchiveWall }) {
  const i18n = useI18n();
  const [utcMs, setUtcMs] = useState(() => archive.shared.utcMs);
  useEffect(() => {
    const read = () => setUtcMs(archive.shared.utcMs);
    const timer = setInterval(read, CLOCK_MS);
    // A stopped clock or a jump is shown immediately.
    const unsubscribe = archive.shared.subscribe(read);
    return () => {
      clearInterval(timer);
      unsubscribe();
    };
  }, [archive]);
  return (
    <time
      className={classes.moment}
      dateTime={new Date(utcMs).toISOString()}
      data-shared-ms={Math.floor(utcMs)}
    >
      {i18n.dateTime(utcMs)}
    </time>
  );
}
