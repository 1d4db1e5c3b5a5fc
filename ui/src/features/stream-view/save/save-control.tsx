import IconDownload from '@tabler/icons-react/dist/esm/icons/IconDownload.mjs';
import { SignButton } from '../../../components/sign-button.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { Timeline } from '../../../timeline/timeline.ts';
import { firstLengthMs, spanAround } from './span.ts';
import { useSelection } from './use-selection.ts';

interface SaveControlProps {
  readonly timeline: Timeline;
  /** The moment on screen, around which the initial range is placed. */
  readonly shownMs: () => number;
}

/** Starts or cancels the selection of a range on the timeline. */
export function SaveControl({ timeline, shownMs }: SaveControlProps) {
  const i18n = useI18n();
  const span = useSelection(timeline);
  const toggle = () => {
    if (span) {
      timeline.select(undefined);
      return;
    }
    timeline.select(spanAround(shownMs(), firstLengthMs, Date.now()));
    timeline.revealSelection();
  };
  return (
    <SignButton
      icon={IconDownload}
      label={i18n.t('save.open')}
      aria-pressed={span !== undefined}
      onClick={toggle}
    />
  );
}
