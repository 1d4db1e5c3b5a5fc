import type { Stream } from '@vidette/contract/entities';
import { Suspense, useSyncExternalStore } from 'react';
import { Delayed } from '../../../components/delayed.tsx';
import { useI18n } from '../../../i18n/i18n-context.tsx';
import type { Player } from '../../../playback/player.ts';
import type { Timeline } from '../../../timeline/timeline.ts';
import classes from './save.module.css';
import { useSelection } from './use-selection.ts';
import { lazyPart } from '../../../page/lazy-part.ts';

const SavePanel = lazyPart(() => import('./save-panel.tsx').then((module) => module.SavePanel));

/** The resolution of the present; users don't type a range to the second of it. */
const STEP_MS = 10_000;

interface SaveSideProps {
  readonly timeline: Timeline;
  readonly player: Player;
  readonly stream: Stream;
}

/** Next to the video while a range is selected on the timeline; loaded when first needed. */
export function SaveSide({ timeline, player, stream }: SaveSideProps) {
  const i18n = useI18n();
  const span = useSelection(timeline);
  const nowMs = useSyncExternalStore(
    timeline.subscribe,
    () => Math.ceil(timeline.getView().nowMs / STEP_MS) * STEP_MS,
  );
  if (!span) return null;
  return (
    <aside className={classes.side} data-save-side>
      <Suspense fallback={<Delayed>{i18n.t('save.measuring')}</Delayed>}>
        <SavePanel
          stream={stream}
          span={span}
          nowMs={nowMs}
          shownMs={() => player.utcMs ?? Date.now()}
          onSpan={(chosen) => timeline.select(chosen)}
          onReveal={(chosen) => {
            timeline.select(chosen);
            timeline.revealSelection();
          }}
          onClose={() => timeline.select(undefined)}
        />
      </Suspense>
    </aside>
  );
}
