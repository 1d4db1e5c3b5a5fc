import IconPlayerSkipBack from '@tabler/icons-react/dist/esm/icons/IconPlayerSkipBack.mjs';
import IconPlayerSkipForward from '@tabler/icons-react/dist/esm/icons/IconPlayerSkipForward.mjs';
import { SignButton } from '../../components/sign-button.tsx';
import { useI18n } from '../../i18n/i18n-context.tsx';
import type { Timeline } from '../timeline.ts';
import classes from './event-controls.module.css';

/** What the marks at the foot of the timeline are, and a way from one to the next. */
export function EventControls({ timeline }: { timeline: Timeline }) {
  const i18n = useI18n();
  return (
    <div className={classes.controls}>
      <SignButton
        icon={IconPlayerSkipBack}
        label={i18n.t('timeline.event.previous')}
        onClick={() => timeline.toEvent(-1)}
      />
      <span className={classes.words}>{i18n.t('timeline.events')}</span>
      <SignButton
        icon={IconPlayerSkipForward}
        label={i18n.t('timeline.event.next')}
        onClick={() => timeline.toEvent(1)}
      />
    </div>
  );
}
