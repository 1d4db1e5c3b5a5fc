import { catalogMs, catalogTicks } from '../segments/segments.ts';

/** What is known about when a recording began. */
export interface StartFacts {
  /** When it may begin by its name, ms since the epoch; none if the name is a time that clocks skip. */
  readonly startsMs: readonly number[];
  /** The name is a local time, of a zone that may not be that of its program. */
  readonly isLocal: boolean;
  /** How long it lasts. */
  readonly lengthTicks: number;
  /** When its file was changed last: usually when it ended. */
  readonly modifiedMs: number;
  /** When it begins by what is in the file. */
  readonly insideMs: number | undefined;
}

export interface RecordingStart {
  readonly startTicks: number;
  /** Why it may be another time than that in its name, or the wrong one of two. */
  readonly doubt?: string;
  /** For how many quarters of an hour the file was changed later than its name says; undefined if that is no number of them. */
  readonly zoneQuarters?: number | undefined;
}

const quarterMs = 900_000;
/** How exactly the last change of a file says when its recording ended. */
const modifiedWithinMs = 60_000;
/** Zones are at most this far from each other. */
const quartersMax = 26 * 4;
/** How far a name may be from the time in the file. */
const insideWithinMs = 2_000;

/** When a recording begins; undefined if nothing says it. */
export function startOf(facts: StartFacts): RecordingStart | undefined {
  const { startsMs, insideMs, isLocal } = facts;
  if (insideMs !== undefined && isLocal) {
    const named = startsMs.find((ms) => Math.abs(ms - insideMs) < insideWithinMs);
    if (named !== undefined) return { startTicks: catalogTicks(named) };
    const doubt = 'its name is a time of another time zone: the time inside of the file is used';
    return { startTicks: catalogTicks(insideMs), doubt };
  }
  const [only, ...others] = startsMs;
  if (only === undefined) return undefined;
  if (others.length > 0) return likelyStart(facts);
  const startTicks = catalogTicks(only);
  return { startTicks, zoneQuarters: isLocal ? quartersLate(startTicks, facts) : undefined };
}

/** Of several times at which a recording may begin, that with which it ends when its file was changed last. */
function likelyStart({ startsMs, lengthTicks, modifiedMs }: StartFacts): RecordingStart | undefined {
  const missedBy = (ms: number) => Math.abs(lateMs(catalogTicks(ms), lengthTicks, modifiedMs));
  const [likely] = startsMs.toSorted((a, b) => missedBy(a) - missedBy(b));
  if (likely === undefined) return undefined;
  const startTicks = catalogTicks(likely);
  return missedBy(likely) <= modifiedWithinMs
    ? { startTicks }
    : {
        startTicks,
        doubt: 'its name fits two times, and its file was changed at neither: it may be at the wrong one',
      };
}

function lateMs(startTicks: number, lengthTicks: number, modifiedMs: number): number {
  return modifiedMs - catalogMs(startTicks + lengthTicks);
}

function quartersLate(startTicks: number, { lengthTicks, modifiedMs }: StartFacts): number | undefined {
  const late = lateMs(startTicks, lengthTicks, modifiedMs);
  const quarters = Math.round(late / quarterMs);
  const isNear = Math.abs(late - quarters * quarterMs) <= modifiedWithinMs;
  return isNear && Math.abs(quarters) <= quartersMax ? quarters : undefined;
}

interface Late {
  files: number;
  readonly example: string;
}

/**
 * Whether names are times of another zone than the one that was assumed. A single file that was changed hours after it ended has
 * been copied; if that goes for most of them, and for the same number of quarters of an hour, their clock was another one.
 */
export class ZoneEvidence {
  readonly #late = new Map<number, Late>();

  add(quarters: number, example: string): void {
    const known = this.#late.get(quarters);
    if (known) known.files++;
    else this.#late.set(quarters, { files: 1, example });
  }

  /** What to say about it; undefined if the zone seems to be right. */
  get suspicion(): { readonly reason: string; readonly files: number; readonly example: string } | undefined {
    const [most] = [...this.#late].toSorted(([, a], [, b]) => b.files - a.files);
    if (!most || most[0] === 0) return undefined;
    const [quarters, { files, example }] = most;
    const hours = Math.abs(quarters) / 4;
    const reason = `it was changed ${hours} h ${quarters > 0 ? 'after' : 'before'} its end by its name: is that a time of another time zone? Name it, as in TZ=Europe/Berlin`;
    return { reason, files, example };
  }
}
