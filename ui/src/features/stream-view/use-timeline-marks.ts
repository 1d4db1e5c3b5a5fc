import type { FootageHold, Stream } from '@vidette/contract/entities';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { Timeline } from '../../timeline/timeline.ts';
import { streamBookmarksQuery } from '../bookmarks/bookmarks-api.ts';
import { holdsQuery } from './holds-api.ts';

const none: readonly FootageHold[] = [];

/** Shows the bookmarks and the held footage of a stream on its timeline; returns what is held. */
export function useTimelineMarks(timeline: Timeline, { uid, canArchive }: Stream): readonly FootageHold[] {
  const { data: bookmarks } = useQuery(streamBookmarksQuery(uid, canArchive));
  const { data: held } = useQuery(holdsQuery(uid, canArchive));
  const holds = held?.items ?? none;
  useEffect(() => {
    const marks = bookmarks?.items.map(({ id, startTime, endTime, note }) => ({
      id,
      startMs: startTime,
      endMs: endTime ?? startTime,
      note,
    }));
    timeline.setBookmarks(marks ?? []);
  }, [timeline, bookmarks]);
  useEffect(() => {
    const spans = holds.map(({ startTime, endTime, heldUntil, rule }) => ({
      startMs: startTime,
      endMs: endTime,
      untilMs: heldUntil,
      rule,
    }));
    timeline.setHolds(spans);
  }, [timeline, holds]);
  return holds;
}
