import IconLayoutSidebarRight from '@tabler/icons-react/dist/esm/icons/IconLayoutSidebarRight.mjs';
import IconInfoCircle from '@tabler/icons-react/dist/esm/icons/IconInfoCircle.mjs';
import { useQuery } from '@tanstack/react-query';
import { posterWidthPx } from '@vidette/contract/constants';
import type { Stream } from '@vidette/contract/entities';
import { addressOf } from '@vidette/contract/routes';
import { useCallback, useEffect, useMemo, useRef, useState, type ReactNode, type RefObject } from 'react';
import { textOf } from '../../page/failures.ts';
import { KeysDialog } from '../../components/keys-dialog.tsx';
import { SignButton } from '../../components/sign-button.tsx';
import { ForbiddenScreen } from '../../components/fallback-screens.tsx';
import { StreamClock } from '../streams/stream-clock.tsx';
import { usePageTitle } from '../../page/title.ts';
import { StreamStatus } from '../streams/stream-status.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { VideoViewport } from '../../playback/video-viewport.ts';
import type { Player } from '../../playback/player.ts';
import { PlayerVideo } from '../../playback/react/player-video.tsx';
import { PlayerStatistics } from '../../playback/react/player-statistics.tsx';
import { usePlayer } from '../../playback/react/use-player.ts';
import { causesWithin } from '../../timeline/gaps.ts';
import { Link } from '../../routing/react/link.tsx';
import { useParams, useSearch } from '../../routing/react/router-context.tsx';
import { ArchiveStrip } from './archive-strip.tsx';
import { CameraStrip } from './camera-strip.tsx';
import { ScrubbedStill } from './scrubbed-still.tsx';
import { SaveSide } from './save/save-side.tsx';
import { ShareControl } from './share-control.tsx';
import { StageControls } from './stage-controls.tsx';
import { StateText } from './state-text.tsx';
import classes from './stream-view.module.css';
import { useFullScreen } from '../../components/use-full-screen.ts';
import { UndecodedStill } from './undecoded-still.tsx';
import { useShortcuts, type ShortcutTargets } from './use-shortcuts.ts';
import { useTop } from '../../components/use-top.ts';
import { isRefused, watchedStreamQuery } from '../streams/watched-stream.ts';
import { useNeighbours, type Neighbours } from './use-neighbours.ts';
import { useStripChoice } from './use-strip-choice.ts';
import { momentOf, useViewer } from './use-viewer.ts';
import { viewKeys } from './view-keys.ts';
import type { Viewer } from './viewer.ts';

/** One stream, live and recorded [R2.8]. */
export function StreamViewScreen() {
  const { uid } = useParams({ from: '/stream/$uid/view' });
  const screen = useRef<HTMLDivElement>(null);
  const viewerRef = useRef<Viewer>(undefined);
  const [isFullScreen, toggleFullScreen] = useFullScreen(screen);
  const [hasStrip, toggleStrip] = useStripChoice();
  const neighbours = useNeighbours(uid, viewerRef);
  const frame: StageFrame = { viewerRef, neighbours, isFullScreen, toggleFullScreen, hasStrip, toggleStrip };
  return (
    <div ref={screen} className={classes.screen} data-full-screen={isFullScreen}>
      {/* Each stream gets its own player: no state of the previous one may stay. */}
      <StreamView key={uid} uid={uid} frame={frame} />
      {hasStrip && neighbours.hasOthers && <CameraStrip uid={uid} neighbours={neighbours} />}
    </div>
  );
}

/** What stays while the user changes from one camera to another. */
interface StageFrame {
  /** Receives the viewer of the stream on screen. */
  readonly viewerRef: RefObject<Viewer | undefined>;
  readonly neighbours: Neighbours;
  readonly isFullScreen: boolean;
  readonly toggleFullScreen: () => void;
  readonly hasStrip: boolean;
  readonly toggleStrip: () => void;
}

function StreamView({ uid, frame }: { readonly uid: string; readonly frame: StageFrame }) {
  const i18n = useI18n();
  const { data: stream, error } = useQuery(watchedStreamQuery(uid));
  usePageTitle(stream?.name);
  if (isRefused(error)) return <ForbiddenScreen message={textOf(error, i18n)} />;
  return (
    <StreamClock stream={stream}>
      <Stage uid={uid} stream={stream} frame={frame} />
    </StreamClock>
  );
}

interface StageProps {
  readonly uid: string;
  /** Undefined until the server has answered; the video does not wait for that. */
  readonly stream: Stream | undefined;
}

function Stage({ uid, stream, frame }: StageProps & { readonly frame: StageFrame }) {
  const stage = useRef<HTMLDivElement>(null);
  const video = useRef<HTMLVideoElement>(null);
  const search = useSearch({ from: '/stream/$uid/view' });
  const viewer = useViewer(uid, video, momentOf(search.t));
  const { viewerRef, neighbours, isFullScreen, toggleFullScreen } = frame;
  useEffect(() => {
    viewerRef.current = viewer;
  }, [viewerRef, viewer]);
  const [view] = useState(() => new VideoViewport());
  const [hasFigures, setFigures] = useState(false);
  const [hasKeys, setKeys] = useState(false);
  const targets = useMemo(
    () => ({
      viewer,
      view,
      toggleFullScreen,
      toggleFigures: () => setFigures((has) => !has),
      showKeys: () => setKeys(true),
      neighbours,
    }),
    [viewer, view, toggleFullScreen, neighbours],
  );
  useShortcuts(targets);
  useTop(stage);
  return (
    <div ref={stage} className={classes.stage} data-full-screen={isFullScreen}>
      <StageVideo
        uid={uid}
        stream={stream}
        isAtMoment={search.t !== undefined}
        targets={targets}
        videoRef={video}
        hasFigures={hasFigures}
        links={<StageLinks uid={uid} stream={stream} {...frame} />}
      />
      {viewer && (
        <StageControls
          uid={uid}
          stream={stream}
          targets={targets}
          viewer={viewer}
          videoRef={video}
          isFullScreen={isFullScreen}
          hasFigures={hasFigures}
        />
      )}
      {viewer && stream ? (
        <ArchiveStrip viewer={viewer} stream={stream} />
      ) : (
        <div className={classes.timeline} />
      )}
      {viewer && stream?.canArchive && (
        <SaveSide timeline={viewer.timeline} player={viewer.player} stream={stream} />
      )}
      <KeysDialog rows={viewKeys} isOpen={hasKeys} onClose={() => setKeys(false)} isInside={isFullScreen} />
    </div>
  );
}

/** The stream's name, and its state unless it runs: whether it is live shows in its frames. */
function StageTitle({ stream, viewer }: Pick<StageProps, 'stream'> & Pick<ShortcutTargets, 'viewer'>) {
  return (
    <>
      <h1 className={classes.name}>{stream?.name || '\u00a0'}</h1>
      {stream && stream.status !== 'running' && viewer && (
        <StageStatus stream={stream} player={viewer.player} />
      )}
    </>
  );
}

/** An on-demand stream connects for its live video only. */
function StageStatus({ stream, player }: { readonly stream: Stream; readonly player: Player }) {
  const { mode } = usePlayer(player);
  return <StreamStatus status={stream.status} isOnDemand={stream.live.onDemand && mode === 'archive'} />;
}

type StageLinksProps = StageProps & Pick<StageFrame, 'neighbours' | 'hasStrip' | 'toggleStrip'>;

function StageLinks({ uid, stream, neighbours, hasStrip, toggleStrip }: StageLinksProps) {
  const i18n = useI18n();
  return (
    <div className={classes.links}>
      <Link to="/stream/$uid/info" params={{ uid }} className={classes.info}>
        <IconInfoCircle size={18} stroke={1.6} aria-hidden="true" />
        <span className={classes.infoWords}>{i18n.t('player.info')}</span>
      </Link>
      {stream?.canShare && <ShareControl stream={stream} className={classes.overVideo} />}
      {neighbours.hasOthers && (
        <SignButton
          icon={IconLayoutSidebarRight}
          label={i18n.t('player.cameras')}
          className={`${classes.overVideo} ${classes.stripButton}`}
          aria-expanded={hasStrip}
          onClick={toggleStrip}
        />
      )}
    </div>
  );
}

interface StageVideoProps extends StageProps {
  /** It starts in the archive, where a still of now would be the wrong frame. */
  readonly isAtMoment: boolean;
  readonly targets: ShortcutTargets;
  readonly videoRef: RefObject<HTMLVideoElement | null>;
  readonly hasFigures: boolean;
  readonly links: ReactNode;
}

/** The video, with what is shown over it. */
function StageVideo(props: StageVideoProps) {
  const { uid, stream, isAtMoment, targets, videoRef, hasFigures, links } = props;
  const { viewer, view, toggleFullScreen } = targets;
  const causesOf = useCallback(
    (startMs: number, endMs: number) => causesWithin(viewer?.timeline.getView().gaps ?? [], startMs, endMs),
    [viewer],
  );
  const begunMs = useCallback(() => viewer?.timeline.getView().begunMs, [viewer]);
  return (
    <PlayerVideo
      player={viewer?.player}
      videoRef={videoRef}
      name={stream?.name ?? ''}
      isSourceDown={stream !== undefined && stream.status !== 'running'}
      poster={isAtMoment ? undefined : addressOf('getStreamPicture', { uid }, { width: posterWidthPx })}
      words={
        viewer && <StateText player={viewer.player} stream={stream} onLive={() => viewer.timeline.live()} />
      }
      view={view}
      title={<StageTitle stream={stream} viewer={viewer} />}
      links={links}
      still={
        viewer && (
          <>
            <UndecodedStill uid={uid} player={viewer.player} />
            <ScrubbedStill viewer={viewer} />
          </>
        )
      }
      aside={viewer && hasFigures && <PlayerStatistics player={viewer.player} />}
      onDoubleClick={toggleFullScreen}
      causesOf={causesOf}
      begunMs={begunMs}
    />
  );
}
