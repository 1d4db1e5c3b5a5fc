import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import type { ComponentProps, ReactNode } from 'react';
import { useFullScreen } from '../../components/use-full-screen.ts';
import { PlayerControls } from '../../playback/react/player-controls.tsx';
import { PlayerVideo } from '../../playback/react/player-video.tsx';
import { VideoViewport } from '../../playback/video-viewport.ts';
import { eventLeadMs } from '@vidette/contract/constants';
import { causesWithin } from '../../timeline/gaps.ts';
import { notifyError } from '../../page/notify.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { watchedStreamQuery } from '../streams/watched-stream.ts';
import { ArchiveStrip } from '../stream-view/archive-strip.tsx';
import { ScrubbedStill } from '../stream-view/scrubbed-still.tsx';
import { saveSnapshot } from '../stream-view/snapshot.ts';
import { StateText } from '../stream-view/state-text.tsx';
import { UndecodedStill } from '../stream-view/undecoded-still.tsx';
import { useViewer } from '../stream-view/use-viewer.ts';
import type { Viewer } from '../stream-view/viewer.ts';
import classes from './events.module.css';

interface EventStageProps {
  readonly uid: string;
  readonly name: string;
  /** When the event begins, UTC ms. */
  readonly startMs: number;
  /** Called with the viewer of the camera on screen, and with undefined when it is disposed. */
  readonly onViewer: (viewer: Viewer | undefined) => void;
  /** Shown between the video and its controls. */
  readonly children: ReactNode;
}

/** The player of one camera; another event of the same camera is a jump. */
export function EventStage({ uid, name, startMs, onViewer, children }: EventStageProps) {
  const i18n = useI18n();
  const stage = useRef<HTMLDivElement>(null);
  const video = useRef<HTMLVideoElement>(null);
  const fromMs = startMs - eventLeadMs;
  const viewer = useViewer(uid, video, fromMs);
  const { data: stream } = useQuery(watchedStreamQuery(uid));
  const [view] = useState(() => new VideoViewport());
  const [isFullScreen, toggleFullScreen] = useFullScreen(stage);
  useJump(viewer, fromMs);
  useEffect(() => {
    onViewer(viewer);
    return () => onViewer(undefined);
  }, [onViewer, viewer]);
  const { causesOf, begunMs } = useGapFacts(viewer);
  const snapshot = () => {
    if (!video.current) return;
    saveSnapshot(video.current, name, viewer?.player.utcMs ?? startMs).catch((error: unknown) =>
      notifyError(i18n.t('player.snapshot.failed'), error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <div ref={stage} className={classes.stage} data-full-screen={isFullScreen}>
      <PlayerVideo
        player={viewer?.player}
        videoRef={video}
        name={name}
        poster={undefined}
        words={
          viewer && <StateText player={viewer.player} stream={stream} onLive={() => viewer.timeline.live()} />
        }
        view={view}
        title={<h2 className={classes.stageName}>{name}</h2>}
        links={null}
        still={viewer && <EventStills uid={uid} viewer={viewer} />}
        aside={null}
        onDoubleClick={toggleFullScreen}
        causesOf={causesOf}
        begunMs={begunMs}
      />
      {children}
      {viewer && (
        <StageButtons
          viewer={viewer}
          hasArchive={stream?.canArchive ?? true}
          isFullScreen={isFullScreen}
          onFullScreen={toggleFullScreen}
          onSnapshot={snapshot}
        />
      )}
      {viewer && stream ? (
        <ArchiveStrip viewer={viewer} stream={stream} />
      ) : (
        <div className={classes.strip} />
      )}
    </div>
  );
}

type StageButtonsProps = Pick<
  ComponentProps<typeof PlayerControls>,
  'hasArchive' | 'isFullScreen' | 'onFullScreen' | 'onSnapshot'
> & { readonly viewer: Viewer };

function StageButtons({ viewer, ...props }: StageButtonsProps) {
  const { player, timeline } = viewer;
  return (
    <PlayerControls
      {...props}
      player={player}
      onStep={(byMs) => timeline.step(byMs)}
      onLive={() => timeline.live()}
      onPictureInPicture={undefined}
    />
  );
}

function EventStills({ uid, viewer }: { readonly uid: string; readonly viewer: Viewer }) {
  return (
    <>
      <UndecodedStill uid={uid} player={viewer.player} />
      <ScrubbedStill viewer={viewer} />
    </>
  );
}

/** What the notices about skipped gaps need to know. */
function useGapFacts(viewer: Viewer | undefined) {
  const causesOf = useCallback(
    (fromMs: number, toMs: number) => causesWithin(viewer?.timeline.getView().gaps ?? [], fromMs, toMs),
    [viewer],
  );
  const begunMs = useCallback(() => viewer?.timeline.getView().begunMs, [viewer]);
  return { causesOf, begunMs };
}

/** Goes to the beginning of another event; the viewer begins with that of the first. */
function useJump(viewer: Viewer | undefined, fromMs: number): void {
  const shown = useRef<{ readonly viewer: Viewer; readonly fromMs: number }>(undefined);
  useEffect(() => {
    if (!viewer) return;
    const isFirst = shown.current?.viewer !== viewer;
    if (!isFirst && shown.current?.fromMs === fromMs) return;
    shown.current = { viewer, fromMs };
    if (isFirst) return;
    viewer.timeline.goTo(fromMs);
    viewer.player.play();
  }, [viewer, fromMs]);
}
