import { useSyncExternalStore } from 'react';
import type { SelectedSpan } from '../../../timeline/span-selection.ts';
import type { Timeline } from '../../../timeline/timeline.ts';

/** The range selected on a timeline. */
export function useSelection(timeline: Timeline): SelectedSpan | undefined {
  return useSyncExternalStore(timeline.subscribe, () => timeline.getView().selection);
}
