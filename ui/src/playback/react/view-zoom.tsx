import IconMinus from '@tabler/icons-react/dist/esm/icons/IconMinus.mjs';
import IconPlus from '@tabler/icons-react/dist/esm/icons/IconPlus.mjs';
import IconZoomReset from '@tabler/icons-react/dist/esm/icons/IconZoomReset.mjs';
import { useSyncExternalStore } from 'react';
import { SignButton } from '../../components/sign-button.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { VIDEO_ZOOM_MOST, VIDEO_ZOOM_STEP, type VideoViewport } from '../video-viewport.ts';
import classes from './player-video.module.css';

/** Zooms the video, in its corner: shown while the pointer is over the video, or while it is zoomed. */
export function ViewZoom({ view }: { view: VideoViewport }) {
  const i18n = useI18n();
  const { zoom } = useSyncExternalStore(view.subscribe, view.getLook);
  return (
    <div
      className={classes.zoom}
      data-shown={zoom > 1}
      // A press must not begin to drag the video.
      onPointerDown={(event) => event.stopPropagation()}
    >
      {zoom > 1 && (
        <SignButton icon={IconZoomReset} label={i18n.t('player.view.reset')} onClick={() => view.reset()} />
      )}
      <SignButton
        icon={IconMinus}
        label={i18n.t('player.view.zoomOut')}
        isDisabled={zoom <= 1}
        onClick={() => view.zoomBy(1 / VIDEO_ZOOM_STEP)}
      />
      <SignButton
        icon={IconPlus}
        label={i18n.t('player.view.zoomIn')}
        isDisabled={zoom >= VIDEO_ZOOM_MOST}
        onClick={() => view.zoomBy(VIDEO_ZOOM_STEP)}
      />
    </div>
  );
}
