import { Anchor } from '@mantine/core';
import IconInfoCircle from '@tabler/icons-react/dist/esm/icons/IconInfoCircle.mjs';
import { useQuery } from '@tanstack/react-query';
import type { Stream } from '@vidette/contract/entities';
import { addressOf } from '@vidette/contract/routes';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useSettings, useUser } from '../../api/session.ts';
import { textOf } from '../../page/failures.ts';
import { ForbiddenScreen } from '../../components/fallback-screens.tsx';
import { StreamClock } from '../streams/stream-clock.tsx';
import { notifyError } from '../../page/notify.ts';
import { usePageTitle } from '../../page/title.ts';
import { StreamStatus } from '../streams/stream-status.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { VideoViewport } from '../../playback/video-viewport.ts';
import { PlayerControls } from '../../playback/react/player-controls.tsx';
import { PlayerVideo } from '../../playback/react/player-video.tsx';
import { PlayerStatistics } from '../../playback/react/player-statistics.tsx';
import { ViewMenu } from '../../playback/react/view-menu.tsx';
import { causesWithin } from '../../timeline/gaps.ts';
import { ZoomControls } from '../../timeline/react/zoom-controls.tsx';
import { Link } from '../../routing/react/link.tsx';
import { useParams, useSearch } from '../../routing/react/router-context.tsx';
import { ArchiveStrip } from './archive-strip.tsx';
import { BookmarkControl } from './bookmark-control.tsx';
import { KeysDialog } from './keys-dialog.tsx';
import { JumpControl } from './jump-control.tsx';
import { ScrubbedStill } from './scrubbed-still.tsx';
import { SaveControl } from './save/save-control.tsx';
import { SaveSide } from './save/save-side.tsx';
import { saveSnapshot } from './snapshot.ts';
import { StateText } from './state-text.tsx';
import classes from './stream-view.module.css';
import { useFullScreen } from '../../components/use-full-screen.ts';
import { UndecodedStill } from './undecoded-still.tsx';
import { useShortcuts } from './use-shortcuts.ts';
import { useTop } from '../../components/use-top.ts';
import { Viewer } from './viewer.ts';
import { isRefused, watchedStreamQuery } from '../streams/watched-stream.ts';

/** One stream, live and recorded [R2.8]. */
export function StreamViewScreen() {
  const { uid } = useParams({ from: '/stream/$uid/view' });
  // Each stream gets its own player: no state of the previous one may stay.
  return <StreamView key={uid} uid={uid} />;
}

function StreamView({ uid }: { uid: string }) {
  const i18n = useI18n();
  const { data: stream, error } = useQuery(watchedStreamQuery(uid));
  usePageTitle(stream?.name);
  if (isRefused(error)) return <ForbiddenScreen message={textOf(error, i18n)} />;
  return (
    <StreamClock stream={stream}>
      <Stage uid={uid} stream={stream} />
    </StreamClock>
  );
}

interface StageProps {
  readonly uid: string;
  /** Undefined until the server has answered; the video does not wait for that. */
  readonly stream: Stream | undefined;
}

function Stage({ uid, stream }: StageProps) {
  const i18n = useI18n();
  const { rangesMaxSeconds } = useSettings();
  const { playerSound: hasAudio = false, archiveSpeed = 1 } = useUser()?.preferences ?? {};
  const search = useSearch({ from: '/stream/$uid/view' });
  const [startMs] = useState(() => momentOf(search.t));
  const stage = useRef<HTMLDivElement>(null);
  const video = useRef<HTMLVideoElement>(null);
  const [viewer, setViewer] = useState<Viewer>();
  const [isFullScreen, toggleFullScreen] = useFullScreen(stage);
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
    }),
    [viewer, view, toggleFullScreen],
  );
  useShortcuts(targets);
  useTop(stage);

  useEffect(() => {
    if (!video.current) return;
    const made = new Viewer({
      uid,
      video: video.current,
      rangesMaxMs: rangesMaxSeconds * 1000,
      startMs,
      hasAudio,
      archiveSpeed,
    });
    setViewer(made);
    return () => {
      setViewer(undefined);
      made.dispose();
    };
  }, [uid, rangesMaxSeconds, startMs, hasAudio, archiveSpeed]);

  const shownMs = useCallback(() => viewer?.player.utcMs ?? Date.now(), [viewer]);
  const causesOf = useCallback(
    (startMs: number, endMs: number) => causesWithin(viewer?.timeline.getView().gaps ?? [], startMs, endMs),
    [viewer],
  );
  const begunMs = useCallback(() => viewer?.timeline.getView().begunMs, [viewer]);
  const snapshot = () => {
    if (!video.current) return;
    saveSnapshot(video.current, stream?.name ?? uid, shownMs()).catch((error: unknown) =>
      notifyError(i18n.t('player.snapshot.failed'), error instanceof Error ? error.message : String(error)),
    );
  };
  const name = stream?.name ?? '';
  return (
    <div ref={stage} className={classes.stage} data-full-screen={isFullScreen}>
      <header className={classes.head}>
        <h1 className={classes.name}>{name || '\u00a0'}</h1>
        {stream && <StreamStatus status={stream.status} />}
        <Anchor
          renderRoot={(props) => <Link to="/stream/$uid/info" params={{ uid }} {...props} />}
          className={classes.info}
          inherit
        >
          <IconInfoCircle size={18} stroke={1.6} aria-hidden="true" />
          <span className={classes.infoWords}>{i18n.t('player.info')}</span>
        </Anchor>
      </header>
      <PlayerVideo
        player={viewer?.player}
        videoRef={video}
        name={name}
        poster={addressOf('getStreamPicture', { uid }, { width: 1280 })}
        words={
          viewer && <StateText player={viewer.player} stream={stream} onLive={() => viewer.timeline.live()} />
        }
        view={view}
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
      {viewer && (
        <PlayerControls
          player={viewer.player}
          // Most users have this right: it is better to remove buttons for the few than to shift them for the
          // many.
          hasArchive={stream?.canArchive ?? true}
          isFullScreen={isFullScreen}
          onStep={(byMs) => viewer.timeline.step(byMs)}
          onLive={() => viewer.timeline.live()}
          onFullScreen={toggleFullScreen}
          onPictureInPicture={
            document.pictureInPictureEnabled ? () => togglePictureInPicture(video.current) : undefined
          }
          onSnapshot={snapshot}
        >
          {stream?.canArchive && (
            <>
              <BookmarkControl uid={uid} shownMs={shownMs} />
              <JumpControl uid={uid} shownMs={shownMs} onJump={(utcMs) => viewer.timeline.goTo(utcMs)} />
              <SaveControl timeline={viewer.timeline} shownMs={shownMs} />
              <ZoomControls timeline={viewer.timeline} />
            </>
          )}
          <ViewMenu
            view={view}
            hasFigures={hasFigures}
            onFigures={targets.toggleFigures}
            onKeys={targets.showKeys}
          />
        </PlayerControls>
      )}
      {viewer && stream ? (
        <ArchiveStrip viewer={viewer} stream={stream} />
      ) : (
        <div className={classes.timeline} />
      )}
      {viewer && stream?.canArchive && <SaveSide timeline={viewer.timeline} stream={stream} />}
      <KeysDialog isOpen={hasKeys} onClose={() => setKeys(false)} />
    </div>
  );
}

/** The moment of the `t` parameter: ms since the epoch or a date with a time; undefined without a valid one. */
function momentOf(t: unknown): number | undefined {
  const ms = typeof t === 'number' ? t : typeof t === 'string' ? Date.parse(t) : Number.NaN;
  return Number.isFinite(ms) && ms > 0 ? ms : undefined;
}

function togglePictureInPicture(video: HTMLVideoElement | null): void {
  const change = document.pictureInPictureElement
    ? document.exitPictureInPicture()
    : video?.requestPictureInPicture();
  // Refused before the first frame has arrived: there is nothing to show yet.
  change?.catch((error: unknown) => {
    if (!(error instanceof DOMException)) throw error;
  });
}
