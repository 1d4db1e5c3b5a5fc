import type { ChangeLine, ChangeSearchEnd, ChangeStep } from '@vidette/contract/archive-changes';
import type { ErrorCode } from '@vidette/contract/errors';

/** A change that was followed to its key frames. */
export type ChangeMark = Extract<ChangeLine, { type: 'mark' }>;

/** What a search has found so far; a new value on each change. */
export interface ChangeResults {
  /** The recorded time that is searched, ms; undefined until the server has begun. */
  readonly span: { readonly startMs: number; readonly endMs: number } | undefined;
  readonly withoutNodes: readonly string[];
  readonly frames: number;
  readonly expected: number;
  /** The curve, by time, without overlaps. */
  readonly steps: readonly ChangeStep[];
  /** In the order in which they were found: what lasts first, the largest first. */
  readonly marks: readonly ChangeMark[];
  readonly unreadable: number;
  /** Undefined while it runs. */
  readonly end: ChangeSearchEnd | undefined;
  readonly failure: ErrorCode | undefined;
}

export const noResults: ChangeResults = {
  span: undefined,
  withoutNodes: [],
  frames: 0,
  expected: 0,
  steps: [],
  marks: [],
  unreadable: 0,
  end: undefined,
  failure: undefined,
};

/** The results with another line of the server. */
export function withLine(results: ChangeResults, line: ChangeLine): ChangeResults {
  switch (line.type) {
    case 'begin': {
      const { startTime: startMs, endTime: endMs, withoutNodes } = line;
      return { ...results, span: { startMs, endMs }, withoutNodes };
    }
    case 'progress':
      return { ...results, frames: line.frames, expected: line.expected };
    case 'step':
      return { ...results, steps: withStep(results.steps, line) };
    case 'mark':
      return { ...results, marks: [...results.marks, line] };
    case 'end':
      return { ...results, end: line.reason, frames: line.frames, unreadable: line.unreadable };
    case 'failed':
      return { ...results, failure: line.code };
    default:
      // Of a newer server.
      return results;
  }
}

/** A step replaces the one that it is a part of. */
function withStep(steps: readonly ChangeStep[], step: ChangeStep): ChangeStep[] {
  const kept = steps.filter(
    ({ startTime, endTime }) => endTime <= step.startTime || startTime >= step.endTime,
  );
  const place = kept.findIndex(({ startTime }) => startTime >= step.endTime);
  kept.splice(place < 0 ? kept.length : place, 0, step);
  return kept;
}
