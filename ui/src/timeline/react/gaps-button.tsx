import { Popover } from '@mantine/core';
import { useState } from 'react';
import { useI18n } from '../../i18n/i18n-context.tsx';
import { leadTo, listedGaps } from '../gaps.ts';
import type { Timeline } from '../timeline.ts';
import { GapList } from './gap-list.tsx';
import classes from './timeline-navigation.module.css';

/** The gaps in view as a list: time, duration, cause, and a link to each. */
export function GapsButton({ timeline }: { timeline: Timeline }) {
  const i18n = useI18n();
  const [view, setView] = useState<ReturnType<Timeline['getView']>>();
  // The gaps at the moment the list was opened: it must not change under the pointer.
  const gaps = view ? listedGaps(view.gaps, view.intervals, view.scale.startMs, view.scale.endMs) : [];
  return (
    <Popover
      opened={view !== undefined}
      onChange={(isOpen) => !isOpen && setView(undefined)}
      position="top"
      width="min(22.5rem, 92vw)"
      withinPortal={false}
      trapFocus
      returnFocus
    >
      <Popover.Target>
        <button
          type="button"
          className={classes.listed}
          title={i18n.t('timeline.gaps.list')}
          onClick={() => setView(view ? undefined : timeline.getView())}
        >
          <span className={classes.words} data-mark="gap">
            {i18n.t('timeline.gaps')}
          </span>
        </button>
      </Popover.Target>
      <Popover.Dropdown className={classes.gaps}>
        {gaps.length === 0 && <p className={classes.none}>{i18n.t('timeline.gaps.none')}</p>}
        {view && gaps.length > 0 && (
          <GapList
            label={i18n.t('timeline.gaps.list')}
            gaps={gaps.map(({ startMs, endMs, cause }) => ({ startTime: startMs, endTime: endMs, cause }))}
            onGo={({ startTime: startMs, endTime: endMs, cause }) => {
              setView(undefined);
              timeline.goTo(leadTo({ startMs, endMs, cause }, view.intervals));
            }}
          />
        )}
      </Popover.Dropdown>
    </Popover>
  );
}
