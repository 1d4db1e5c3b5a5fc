import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { messageOf } from '@vidette/contract/errors';
import type { Stream } from '@vidette/contract/entities';
import { useCallback, useSyncExternalStore } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { EventControls } from '../../timeline/react/event-controls.tsx';
import { TimelineSlider } from '../../timeline/react/timeline-slider.tsx';
import classes from './stream-view.module.css';
import type { Viewer } from './viewer.ts';

/** The timeline, or in words why there is none. */
export function ArchiveStrip({ viewer, stream }: { viewer: Viewer; stream: Stream }) {
  const i18n = useI18n();
  const problem = useSyncExternalStore(viewer.subscribe, viewer.getArchiveProblem);
  const hasEvents = useSyncExternalStore(
    viewer.timeline.subscribe,
    () => viewer.timeline.getView().events.length > 0,
  );
  const momentMs = useCallback(() => viewer.player.utcMs, [viewer]);
  if (!stream.canArchive) return <p className={classes.aside}>{i18n.t('timeline.forbidden')}</p>;
  return (
    <div className={classes.timeline}>
      <TimelineSlider
        timeline={viewer.timeline}
        label={i18n.t('timeline.label', { name: stream.name })}
        momentMs={momentMs}
      />
      {(hasEvents || stream.motion.isEnable) && <EventControls timeline={viewer.timeline} />}
      {problem !== undefined && (
        <output className={classes.aside}>
          {i18n.t('timeline.failed', { reason: messageOf(problem, i18n.language) })}
        </output>
      )}
      {problem === undefined && !stream.archive.isEnable && (
        <p className={classes.aside}>
          {i18n.t('timeline.off')}{' '}
          {stream.canEdit && (
            <Anchor component={Link} to={`/stream/${stream.uid}/setting`} inherit>
              {i18n.t('timeline.off.change')}
            </Anchor>
          )}
        </p>
      )}
    </div>
  );
}
