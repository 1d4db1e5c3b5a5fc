import { Anchor } from '@mantine/core';
import { messageOf } from '@vidette/contract/errors';
import type { Stream } from '@vidette/contract/entities';
import { useCallback, useSyncExternalStore } from 'react';
import { useQuery } from '@tanstack/react-query';
import { HeldList } from './held-list.tsx';
import { wholeDepthQuery } from '../streams/recorded-days-api.ts';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { OverviewStrip } from '../../timeline/react/overview-strip.tsx';
import { TimelineSlider } from '../../timeline/react/timeline-slider.tsx';
import { ZoomControls } from '../../timeline/react/zoom-controls.tsx';
import { TimelineTip } from './timeline-tip.tsx';
import { Link } from '../../routing/react/link.tsx';
import classes from './stream-view.module.css';
import { tipText } from './tip-text.ts';
import { useTimelineMarks } from './use-timeline-marks.ts';
import type { Viewer } from './viewer.ts';

/** The overview and the timeline, or text that says why there is none. */
export function ArchiveStrip({ viewer, stream }: { viewer: Viewer; stream: Stream }) {
  const i18n = useI18n();
  const problem = useSyncExternalStore(viewer.subscribe, viewer.getArchiveProblem);
  const momentMs = useCallback(() => viewer.player.utcMs, [viewer]);
  const { data: recorded } = useQuery(wholeDepthQuery(stream.uid, i18n.timeZone, stream.canArchive));
  const holds = useTimelineMarks(viewer.timeline, stream);
  const textAt = useCallback((ms: number) => tipText(viewer, ms, i18n), [viewer, i18n]);
  if (!stream.canArchive) return <p className={classes.aside}>{i18n.t('timeline.forbidden')}</p>;
  return (
    <div className={classes.timeline}>
      <OverviewStrip
        timeline={viewer.timeline}
        recorded={recorded}
        label={i18n.t('overview.label', { name: stream.name })}
      />
      <TimelineSlider
        timeline={viewer.timeline}
        label={i18n.t('timeline.label', { name: stream.name })}
        momentMs={momentMs}
        tip={<TimelineTip timeline={viewer.timeline} scrubber={viewer.scrubber} textAt={textAt} />}
      />
      <div className={classes.timelineZoom}>
        <ZoomControls timeline={viewer.timeline} />
      </div>
      {holds.length > 0 && (
        <HeldList
          holds={holds}
          uid={stream.uid}
          mayRelease={stream.canEdit}
          onGo={(utcMs) => viewer.timeline.goTo(utcMs)}
        />
      )}
      {problem !== undefined && (
        <output className={classes.aside}>
          {i18n.t('timeline.failed', { reason: messageOf(problem, i18n.language) })}
        </output>
      )}
      {problem === undefined && !stream.archive.isEnable && (
        <p className={classes.aside}>
          {i18n.t('timeline.off')}{' '}
          {stream.canEdit && (
            <Anchor
              renderRoot={(props) => (
                <Link to="/stream/$uid/setting" params={{ uid: stream.uid }} {...props} />
              )}
              inherit
              underline="always"
            >
              {i18n.t('timeline.off.change')}
            </Anchor>
          )}
        </p>
      )}
    </div>
  );
}
