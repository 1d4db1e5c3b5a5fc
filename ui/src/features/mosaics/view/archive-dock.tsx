import { useCallback, useState } from 'react';
import { api } from '../../../api/api.ts';
import { useSettings } from '../../../api/session.ts';
import { browserClock } from '../../../base/clock.ts';
import { ArchiveWall } from '../../../playback/wall/archive-wall.ts';
import type { TimelineTrackCall } from '../../../timeline/timeline-tracks.ts';
import { streamSource } from '../../stream-view/media/stream-source.ts';
import { ArchivePanel } from './archive-panel.tsx';
import classes from './mosaic.module.css';

interface ArchiveDockProps {
  readonly name: string;
  /** The streams of the visible page whose archive may be watched. */
  readonly streams: readonly { readonly uid: string; readonly name: string }[];
  /** The initial moment; later values have no effect. */
  readonly startMs: number;
  /** Called with the archive when it is created, and with undefined when it is disposed. */
  readonly onArchive: (archive: ArchiveWall | undefined) => void;
  readonly onLive: () => void;
  readonly onMoment: (utcMs: number) => void;
  /** Only the video is shown, without controls; the clock runs all the same. */
  readonly isBare: boolean;
}

/** Owns the archive of a mosaic while it is watched: passes it to the tiles and shows its controls. */
export function ArchiveDock(props: ArchiveDockProps) {
  const { streams, onArchive, onLive } = props;
  const { rangesMaxSeconds } = useSettings();
  const [startMs] = useState(props.startMs);
  const [archive, setArchive] = useState<ArchiveWall>();
  // Each poll returns a new list of the same streams.
  const uids = streams.map(({ uid }) => uid).join();
  const attach = useCallback(() => {
    const made = new ArchiveWall({
      clock: browserClock,
      uids: uids === '' ? [] : uids.split(','),
      call: trackCall,
      rangesMaxMs: rangesMaxSeconds * 1000,
      sourceOf: streamSource,
      startMs,
      onLive,
    });
    const onVisibility = () => made.setVisible(document.visibilityState === 'visible');
    document.addEventListener('visibilitychange', onVisibility);
    setArchive(made);
    onArchive(made);
    return () => {
      document.removeEventListener('visibilitychange', onVisibility);
      setArchive(undefined);
      onArchive(undefined);
      made.dispose();
    };
  }, [uids, rangesMaxSeconds, startMs, onArchive, onLive]);
  return (
    <div ref={attach} className={classes.dock} hidden={props.isBare}>
      {archive && !props.isBare && (
        <ArchivePanel
          archive={archive}
          name={props.name}
          streams={streams}
          onLive={onLive}
          onMoment={props.onMoment}
        />
      )}
    </div>
  );
}

const trackCall: TimelineTrackCall = async (uid, startMs, endMs, signal) => {
  const query = { start_time: Math.floor(startMs), end_time: Math.ceil(endMs) };
  const { ranges, gaps, period, begunAt } = await api.getArchiveRanges(
    { params: { uid }, query },
    { signal },
  );
  return {
    ranges,
    gaps: gaps.map(({ startTime, endTime, cause }) => ({ startMs: startTime, endMs: endTime, cause })),
    beginsMs: period?.startTime,
    begunMs: begunAt ?? undefined,
  };
};
