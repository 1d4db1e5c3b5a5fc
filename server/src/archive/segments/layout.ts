import { join } from 'node:path';
import { msToTicks, ticksToMs, ticksToMsCeil } from '@vidette/media/time';

/**
 * The path of a segment's file and its components. Paths are built from a validated uid and a number, never
 * from user input.
 */

/** Ticks per second of all times in the catalog. */
export const CATALOG_TIMESCALE = 90_000;

/** Audio of a segment lags behind its video by at most this; with a larger lag one of the clocks is broken. */
export const driftMaxSeconds = 10;

/** Only the server and its group can read footage. */
export const archiveFolderMode = 0o750;
export const archiveFileMode = 0o640;

const uidPattern = /^[a-z0-9]{1,32}$/;
const dayPattern = /^\d{4}-\d{2}-\d{2}$/;
const namePattern = /^(\d{2})-(\d{2})-(\d{2})\.(\d{3})\.mp4$/;

/** A day and a file's name inside a stream's folder. */
export interface SegmentPlace {
  /** UTC day, YYYY-MM-DD. */
  readonly day: string;
  readonly name: string;
}

/** Milliseconds since the epoch of a catalog time, rounded down; used for starts. */
export function catalogMs(ticks: number): number {
  return ticksToMs(ticks, CATALOG_TIMESCALE);
}

/** Milliseconds since the epoch of a catalog time, rounded up; used for ends. */
export function catalogMsCeil(ticks: number): number {
  return ticksToMsCeil(ticks, CATALOG_TIMESCALE);
}

export function catalogTicks(ms: number): number {
  return msToTicks(ms, CATALOG_TIMESCALE);
}

export function isUid(text: string): boolean {
  return uidPattern.test(text);
}

export function isDay(text: string): boolean {
  return dayPattern.test(text) && !Number.isNaN(Date.parse(`${text}T00:00:00Z`));
}

/** The UTC day of a catalog time, YYYY-MM-DD. */
export function dayOf(ticks: number): string {
  return new Date(catalogMs(ticks)).toISOString().slice(0, 10);
}

export function placeOf(startTicks: number): SegmentPlace {
  const [day, time] = new Date(catalogMs(startTicks)).toISOString().split('T') as [string, string];
  return { day, name: `${time.slice(0, 12).replaceAll(':', '-')}.mp4` };
}

/** The start encoded in a path, ms since the epoch; undefined if it is not a segment's path. */
export function startMsOf(day: string, name: string): number | undefined {
  const match = namePattern.exec(name);
  if (!match || !isDay(day)) return undefined;
  const [, hours, minutes, seconds, milliseconds] = match;
  const startMs = Date.parse(`${day}T${hours}:${minutes}:${seconds}.${milliseconds}Z`);
  return Number.isNaN(startMs) ? undefined : startMs;
}

/** The folder of a stream. @throws RangeError if `uid` is not a uid */
export function streamFolder(root: string, uid: string): string {
  if (!isUid(uid)) throw new RangeError(`not a uid: ${JSON.stringify(uid)}`);
  return join(root, uid);
}

export function dayFolder(root: string, uid: string, day: string): string {
  return join(streamFolder(root, uid), day);
}

export function segmentPath(root: string, uid: string, startTicks: number): string {
  const place = placeOf(startTicks);
  return join(dayFolder(root, uid, place.day), place.name);
}

/**
 * The default location of the catalog: next to the folder of segments (design/archive.md, "Where things are").
 */
export function catalogPath(root: string): string {
  return `${root}.sqlite`;
}

/** The catalog of recordings of other programs, beside that of the archive (design/imported-footage.md). */
export function importedCatalogPath(catalog: string): string {
  return `${catalog.replace(/\.sqlite$/, '')}.imported.sqlite`;
}

/** See heartbeat.ts. */
export function heartbeatPath(catalog: string): string {
  return `${catalog.replace(/\.sqlite$/, '')}.alive`;
}

/** Exists while footage of the folder is still to be added to a rebuilt catalog. */
export function rebuildNotePath(catalog: string): string {
  return `${catalog.replace(/\.sqlite$/, '')}.rebuild`;
}

export function lockPath(catalog: string): string {
  return `${catalog.replace(/\.sqlite$/, '')}.lock`;
}

/** Locked by a process that only records, for as long as it may write; numbered from 0. */
function recorderLockPath(catalog: string, index: number): string {
  return `${lockPath(catalog)}-${index}`;
}

/** A server has at most this many processes that only record: 64, and a successor of each while they are replaced. */
const recordersMax = 128;

/** The locks of all processes that only record which a server may have, by their numbers. */
export function recorderLockPaths(catalog: string): string[] {
  return Array.from({ length: recordersMax }, (_, index) => recorderLockPath(catalog, index));
}

/** See retention-state.ts. */
export function retentionPath(catalog: string): string {
  return `${catalog.replace(/\.sqlite$/, '')}.retention`;
}
