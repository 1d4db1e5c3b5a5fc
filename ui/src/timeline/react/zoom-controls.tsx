import IconZoomIn from '@tabler/icons-react/dist/esm/icons/IconZoomIn.mjs';
import IconZoomOut from '@tabler/icons-react/dist/esm/icons/IconZoomOut.mjs';
import { useSyncExternalStore } from 'react';
import { SignButton } from '../../components/sign-button.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { Timeline } from '../timeline.ts';

/** Zoom buttons, disabled at the timeline's limits [R9.4]. */
export function ZoomControls({ timeline }: { timeline: Timeline }) {
  const i18n = useI18n();
  const scale = useSyncExternalStore(timeline.subscribe, () => timeline.getView().scale);
  return (
    <>
      <SignButton
        icon={IconZoomOut}
        label={i18n.t('timeline.zoomOut')}
        isDisabled={!scale.canZoomOut}
        onClick={() => timeline.zoomOut()}
      />
      <SignButton
        icon={IconZoomIn}
        label={i18n.t('timeline.zoomIn')}
        isDisabled={!scale.canZoomIn}
        onClick={() => timeline.zoomIn()}
      />
    </>
  );
}
