import type { Stream } from '@vidette/contract/entities';
import { useCallback, type RefObject } from 'react';
import { notifyError } from '../../page/notify.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { PlayerControls } from '../../playback/react/player-controls.tsx';
import { ViewMenu } from '../../playback/react/view-menu.tsx';
import { TimelineNavigation } from '../../timeline/react/timeline-navigation.tsx';
import { BookmarkControl } from './bookmark-control.tsx';
import { FindControl } from './find/find-control.tsx';
import { JumpControl } from './jump-control.tsx';
import { SaveControl } from './save/save-control.tsx';
import { saveSnapshot } from './snapshot.ts';
import type { ShortcutTargets } from './use-shortcuts.ts';
import type { Viewer } from './viewer.ts';
import classes from './stream-view.module.css';

interface StageControlsProps {
  readonly uid: string;
  /** Undefined until the server has answered. */
  readonly stream: Stream | undefined;
  readonly targets: ShortcutTargets;
  readonly viewer: Viewer;
  readonly videoRef: RefObject<HTMLVideoElement | null>;
  readonly isFullScreen: boolean;
  readonly hasFigures: boolean;
}

/** The buttons below the video: those of every player, and those for the archive of this stream. */
export function StageControls(props: StageControlsProps) {
  const { uid, stream, targets, viewer, videoRef, isFullScreen, hasFigures } = props;
  const i18n = useI18n();
  const shownMs = useCallback(() => viewer.player.utcMs ?? Date.now(), [viewer]);
  const snapshot = () => {
    if (!videoRef.current) return;
    saveSnapshot(videoRef.current, stream?.name ?? uid, shownMs()).catch((error: unknown) =>
      notifyError(i18n.t('player.snapshot.failed'), error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <div className={classes.controls}>
      <PlayerControls
        player={viewer.player}
        // Most users have this right: it is better to remove buttons for the few than to shift them for the
        // many.
        hasArchive={stream?.canArchive ?? true}
        isFullScreen={isFullScreen}
        onStep={(byMs) => viewer.timeline.step(byMs)}
        onLive={() => viewer.timeline.live()}
        onFullScreen={targets.toggleFullScreen}
        onPictureInPicture={
          document.pictureInPictureEnabled ? () => togglePictureInPicture(videoRef.current) : undefined
        }
        onSnapshot={snapshot}
        navigation={(stream?.canArchive ?? true) && <TimelineNavigation timeline={viewer.timeline} />}
      >
        {stream?.canArchive && (
          <>
            <BookmarkControl uid={uid} shownMs={shownMs} />
            <JumpControl uid={uid} shownMs={shownMs} onJump={(utcMs) => viewer.timeline.goTo(utcMs)} />
            <FindControl
              streams={[{ uid, name: stream.name }]}
              shownMs={shownMs}
              timeline={viewer.timeline}
            />
            <SaveControl timeline={viewer.timeline} shownMs={shownMs} />
          </>
        )}
        <ViewMenu
          view={targets.view}
          hasFigures={hasFigures}
          onFigures={targets.toggleFigures}
          onKeys={targets.showKeys}
        />
      </PlayerControls>
    </div>
  );
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
