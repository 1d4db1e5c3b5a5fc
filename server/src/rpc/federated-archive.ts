import { createHash } from 'node:crypto';
import { archiveDefaults } from '@vidette/contract/constants';
import {
  sumOfParts,
  type StreamCoverage,
  planDownload,
  type Download,
  extentOf,
  splitPointOf,
  type RecordedExtent,
  type ArchiveReader,
  type LocalReader,
  type ReadLimits,
  type SegmentOpener,
  wholeSlice,
  type CatalogSlice,
  type SliceSpan,
  intervalsOf,
  rangesAnswerOf,
  type RecordedRanges,
  FederatedCatalog,
  overlap,
  type NodeCatalog,
  gopAt,
  type RecordingRun,
  keyFrameAt,
  type RecordedKeyFrame,
  assertCoarseSpan,
  assertSpan,
  joinTicksAt,
  nothingRecorded,
  vodPlaylistOf,
  type RecordedDay,
  type TimeZone,
  type SegmentBytes,
  type WantedBytes,
  type RecordedPeriod,
  type RecordingStats,
} from '../archive/read/read.ts';
import { catalogTicks, type SegmentReader } from '../archive/segments/segments.ts';
import type { ImportedFootage } from '../archive/imported/imported.ts';
import type { RetentionLoss } from '../archive/retention/retention.ts';
import type { CatalogStreamRow } from '../archive/catalog/catalog.ts';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { PeerArchive } from './peer-archive.ts';

const dayMs = 86_400_000;

/** When a node was assigned to record a stream, ms since the epoch. */
export interface Assignment {
  readonly node: string;
  readonly fromMs: number;
  /** Null: it is still assigned. */
  readonly toMs: number | null;
}

export interface FederatedArchiveOptions {
  /** This node. */
  readonly self: string;
  readonly local: LocalReader;
  readonly clock: Clock;
  /** Nodes that have had a stream, in chronological order. */
  readonly assignmentsOf: (uid: string) => Promise<readonly Assignment[]>;
  readonly peer: (node: string) => PeerArchive;
  /** Recordings of other programs on this node. */
  readonly imported: Pick<ImportedFootage, 'has' | keyof ImportedReader>;
  /** Those on other nodes: which have some of a stream, and how they are read. */
  readonly peerImports: {
    readonly nodesWith: (uid: string) => readonly string[];
    readonly of: (node: string) => ImportedReader;
  };
  readonly limits: ReadLimits;
}

/** How recordings of other programs are read, on this node or on another one. */
interface ImportedReader {
  slice(uid: string, span: SliceSpan): Promise<CatalogSlice>;
  stats(uid: string): Promise<RecordingStats>;
  days(uid: string, startMs: number, endMs: number, zone: TimeZone): Promise<RecordedDay[]>;
  open(uid: string, fileTicks: number): SegmentReader | Promise<SegmentReader>;
  openSegment(uid: string, fileTicks: number): Promise<SegmentBytes>;
}

/** Before a node's id: stands for the recordings of other programs on it. No node can have such a name. */
const importedPrefix = 'imported:';

function isImported(node: string): boolean {
  return node.startsWith(importedPrefix);
}

/** Where footage of a stream is. */
interface FootagePlaces {
  readonly assignments: readonly Assignment[];
  /** This node first. */
  readonly nodes: readonly string[];
}

/**
 * The recordings of all nodes, and those of other programs, as one timeline per stream. For streams recorded only here, this
 * node's archive answers alone, as if there were nothing else; for the rest the other catalogs are queried, and bytes are
 * fetched only when they are read.
 */
export class FederatedArchive implements ArchiveReader {
  readonly #options: FederatedArchiveOptions;

  constructor(options: FederatedArchiveOptions) {
    this.#options = options;
  }

  get downloadMaxMs(): number {
    return this.#options.limits.downloadMaxMs;
  }

  async period(uid: string): Promise<RecordedPeriod | undefined> {
    const { startTime, endTime } = await this.stats(uid);
    return startTime === null || endTime === null ? undefined : { startTime, endTime };
  }

  async ranges(uid: string, startMs: number, endMs: number): Promise<RecordedRanges> {
    const places = await this.#elsewhere(uid);
    if (!places) return this.#options.local.ranges(uid, startMs, endMs);
    assertSpan(startMs, endMs, this.#options.limits.rangesMaxMs);
    const reads = await this.#join(uid, places, startMs, endMs, false);
    const stream = reads.stream();
    if (!stream || startMs === endMs) return rangesAnswerOf(nothingRecorded(startMs, endMs));
    return rangesAnswerOf(intervalsOf(reads, stream, startMs, endMs, stream.isRecording));
  }

  async coarseRanges(
    uid: string,
    startMs: number,
    endMs: number,
    resolutionSeconds: number,
  ): Promise<RecordedRanges> {
    const { local, limits } = this.#options;
    const places = await this.#elsewhere(uid);
    if (!places) return local.coarseRanges(uid, startMs, endMs, resolutionSeconds);
    assertCoarseSpan(startMs, endMs, limits.rangesMaxMs, resolutionSeconds);
    const joinTicks = joinTicksAt(resolutionSeconds);
    const span = {
      fromTicks: catalogTicks(startMs),
      toTicks: catalogTicks(endMs),
      withFragments: false,
      joinTicks,
    };
    // Where two nodes recorded the same time, it makes no difference here which of them is shown.
    const reads = new FederatedCatalog(uid, await this.#slices(uid, places, span));
    const stream = reads.stream();
    if (!stream || startMs === endMs) return rangesAnswerOf(nothingRecorded(startMs, endMs));
    return rangesAnswerOf(intervalsOf(reads, stream, startMs, endMs, stream.isRecording, { joinTicks }));
  }

  /** Covers the nodes that are up; an unavailable one counts with the time that it was assigned to record. */
  async stats(uid: string): Promise<RecordingStats> {
    const { local, self, peer } = this.#options;
    const places = await this.#elsewhere(uid);
    if (!places) return local.stats(uid);
    const { assignments } = places;
    const withoutNodes: string[] = [];
    const parts = await Promise.all(
      places.nodes.map(async (node) => {
        const stats =
          node === self
            ? local.stats(uid)
            : await unlessAway((this.#imported(node) ?? peer(node)).stats(uid));
        if (!stats) withoutNodes.push(node.replace(importedPrefix, ''));
        return stats ?? awayStats(assignments, node);
      }),
    );
    const durationMs = sum(parts, (part) => part.durationMs);
    const bytes = sum(parts, (part) => part.bytes);
    const importedBytes = sum(parts, (part) => part.importedBytes ?? 0);
    return {
      startTime: least(parts.map(({ startTime }) => startTime)),
      endTime: most(parts.map(({ endTime }) => endTime)),
      durationMs,
      bytes,
      farBytes: sum(parts, (part) => part.farBytes),
      ...(importedBytes > 0 && { importedBytes }),
      segments: sum(parts, (part) => part.segments),
      bitrate: durationMs > 0 ? Math.round((bytes * 8000) / durationMs) : 0,
      recorded: !isRecordedElsewhere(assignments, self)
        ? local.stats(uid).recorded
        : parts.some(({ recorded }) => recorded !== null)
          ? await this.#recordedBy(uid, assignments)
          : null,
      ...(withoutNodes.length > 0 && { withoutNodes: [...new Set(withoutNodes)].sort() }),
    };
  }

  /** What each node recorded during its assignments; those of an unavailable node are omitted. */
  async #recordedBy(uid: string, assignments: readonly Assignment[]): Promise<StreamCoverage> {
    const { local, self, peer, clock } = this.#options;
    const nowMs = clock.wallMs();
    const recent = assignments.filter(({ toMs }) => (toMs ?? nowMs) > nowMs - 30 * dayMs);
    const parts = await Promise.all(
      [...Map.groupBy(recent, ({ node }) => node)].map(async ([node, own]) => {
        const spans = own.map((assignment) => ({
          startMs: assignment.fromMs,
          endMs: assignment.toMs,
          isFirst: assignment === assignments[0],
        }));
        return node === self ? local.recorded(uid, spans) : unlessAway(peer(node).recorded(uid, spans));
      }),
    );
    const isYoung = (assignments[0]?.fromMs ?? nowMs) > nowMs - dayMs;
    return { ...sumOfParts(parts.filter((part) => part !== undefined)), isYoung };
  }

  async recordedDays(uid: string, startMs: number, endMs: number, zone: TimeZone): Promise<RecordedDay[]> {
    const { local, self, peer } = this.#options;
    const places = await this.#elsewhere(uid);
    if (!places) return local.recordedDays(uid, startMs, endMs, zone);
    const days = await Promise.all(
      places.nodes.map(async (node) => {
        return node === self
          ? local.recordedDays(uid, startMs, endMs, zone)
          : unlessAway((this.#imported(node) ?? peer(node)).days(uid, startMs, endMs, zone));
      }),
    );
    return joinedDays(days.flatMap((found) => found ?? []));
  }

  async playlist(
    uid: string,
    startMs: number,
    endMs: number,
    entryMs = archiveDefaults.playlistEntrySeconds * 1000,
  ): Promise<string> {
    const places = await this.#elsewhere(uid);
    if (!places) return this.#options.local.playlist(uid, startMs, endMs, entryMs);
    assertSpan(startMs, endMs, this.#options.limits.playlistMaxMs);
    const reads = await this.#join(uid, places, startMs, endMs, true);
    return vodPlaylistOf(reads, recorded(reads), startMs, endMs, entryMs, (segment) => {
      const { node, fileTicks } = reads.placeOf(segment);
      return `segment/${fileTicks}-${nodeCode(node)}.mp4`;
    });
  }

  async openSegment(uid: string, name: string, wanted?: WantedBytes): Promise<SegmentBytes> {
    const { local, self, peer } = this.#options;
    const [, ticks, code] = /^(\d{1,16})-([0-9a-f]+)$/.exec(name) ?? [];
    if (ticks === undefined) return local.openSegment(uid, name, wanted);
    const nodes = (await this.#elsewhere(uid))?.nodes ?? [];
    const node = nodes.find((candidate) => nodeCode(candidate) === code);
    if (node === undefined) throw new Fault('NotFound', 'There is no such segment.');
    if (node === self) return local.openSegment(uid, ticks, wanted);
    return (this.#imported(node) ?? peer(node)).openSegment(uid, Number(ticks));
  }

  async extent(uid: string, startMs: number, endMs: number): Promise<RecordedExtent> {
    const places = await this.#elsewhere(uid);
    if (!places) return this.#options.local.extent(uid, startMs, endMs);
    assertSpan(startMs, endMs, this.#options.limits.playlistMaxMs);
    const reads = await this.#join(uid, places, startMs, endMs, false);
    const stream = reads.stream();
    return extentOf(reads, stream, startMs, endMs, stream?.isRecording ?? false);
  }

  /** Each node deletes its own part, after its own waiting period of an hour: the first counts. */
  async loss(uid: string, hours?: number): Promise<RetentionLoss> {
    const { local, self, peer } = this.#options;
    const places = await this.#elsewhere(uid);
    // Without a limit nothing is deleted on any node.
    if (!places || (hours ?? 0) < 0) return local.loss(uid, hours);
    const withoutNodes: string[] = [];
    const answers = await Promise.all(
      // Recordings of other programs are never deleted.
      places.nodes
        .filter((node) => !isImported(node))
        .map(async (node) => {
          const loss = node === self ? local.loss(uid, hours) : await unlessAway(peer(node).loss(uid, hours));
          if (!loss) withoutNodes.push(node);
          return loss;
        }),
    );
    const parts = answers.filter((part) => part !== undefined);
    return {
      depthHours: hours ?? least(parts.map(({ depthHours }) => depthHours)),
      fromTime: least(parts.map(({ fromTime }) => fromTime)),
      untilTime: most(parts.map(({ untilTime }) => untilTime)),
      durationMs: sum(parts, (part) => part.durationMs),
      bytes: sum(parts, (part) => part.bytes),
      beginsAt: least(parts.map(({ beginsAt }) => beginsAt)),
      ...(withoutNodes.length > 0 && { withoutNodes: withoutNodes.sort() }),
    };
  }

  async splitPoint(uid: string, fromMs: number, toMs: number): Promise<number> {
    const places = await this.#elsewhere(uid);
    if (!places) return this.#options.local.splitPoint(uid, fromMs, toMs);
    const reads = await this.#join(uid, places, fromMs, toMs, false);
    return splitPointOf(reads, { id: 0 }, fromMs, toMs);
  }

  async download(uid: string, startMs: number, endMs: number): Promise<Download> {
    const places = await this.#elsewhere(uid);
    if (!places) return this.#options.local.download(uid, startMs, endMs);
    assertSpan(startMs, endMs, this.#options.limits.downloadMaxMs);
    const reads = await this.#join(uid, places, startMs, endMs, true);
    return planDownload(reads, this.#opener(uid, reads), recorded(reads), startMs, endMs);
  }

  async frameAt(uid: string, atMs: number): Promise<RecordedKeyFrame> {
    const places = await this.#elsewhere(uid);
    if (!places) return this.#options.local.frameAt(uid, atMs);
    const reads = await this.#join(uid, places, atMs, atMs + 1, true);
    return keyFrameAt(reads, this.#opener(uid, reads), recorded(reads), atMs);
  }

  async gopAt(uid: string, atMs: number): Promise<readonly RecordingRun[]> {
    const places = await this.#elsewhere(uid);
    if (!places) return this.#options.local.gopAt(uid, atMs);
    const reads = await this.#join(uid, places, atMs, atMs + 1, true);
    return gopAt(reads, this.#opener(uid, reads), recorded(reads), atMs);
  }

  /** Undefined when this node has recorded all footage of a stream. */
  async #elsewhere(uid: string): Promise<FootagePlaces | undefined> {
    const { self, assignmentsOf, imported, peerImports } = this.#options;
    const assignments = await assignmentsOf(uid);
    const withImports = [...(imported.has(uid) ? [self] : []), ...peerImports.nodesWith(uid)];
    if (withImports.length === 0 && !isRecordedElsewhere(assignments, self)) return undefined;
    return {
      assignments,
      nodes: [...nodesOf(assignments, self), ...withImports.map((node) => importedPrefix + node)],
    };
  }

  /** Undefined for a node's own recordings. */
  #imported(node: string): ImportedReader | undefined {
    if (!isImported(node)) return undefined;
    const { self, imported, peerImports } = this.#options;
    const owner = node.slice(importedPrefix.length);
    return owner === self ? imported : peerImports.of(owner);
  }

  async #join(
    uid: string,
    places: FootagePlaces,
    startMs: number,
    endMs: number,
    withFragments: boolean,
  ): Promise<FederatedCatalog> {
    const span = { fromTicks: catalogTicks(startMs), toTicks: catalogTicks(endMs), withFragments };
    const parts = await this.#slices(uid, places, span);
    if (withFragments || !overlap(parts)) return new FederatedCatalog(uid, parts);
    return new FederatedCatalog(uid, await this.#slices(uid, places, { ...span, withFragments: true }));
  }

  #slices(uid: string, { assignments, nodes }: FootagePlaces, span: SliceSpan): Promise<NodeCatalog[]> {
    return Promise.all(
      nodes.map(async (node) => ({
        node,
        slice: await this.#slice(uid, node, span),
        assignments: assignments
          .filter((assignment) => assignment.node === node)
          .map(({ fromMs, toMs }) => ({
            startTicks: catalogTicks(fromMs),
            endTicks: toMs === null ? Infinity : catalogTicks(toMs),
          })),
        yields: isImported(node),
      })),
    );
  }

  /** Undefined while the node is offline. */
  async #slice(uid: string, node: string, span: SliceSpan): Promise<CatalogSlice | undefined> {
    const { self, local, peer } = this.#options;
    return node === self
      ? wholeSlice(span, (piece) => local.anySlice(uid, piece))
      : unlessAway((this.#imported(node) ?? peer(node)).slice(uid, span));
  }

  #opener(uid: string, reads: FederatedCatalog): SegmentOpener {
    const { self, local, peer } = this.#options;
    return async (segment) => {
      const { node, fileTicks } = reads.placeOf(segment);
      if (node === self) return local.openFile(uid, fileTicks);
      return (this.#imported(node) ?? peer(node)).open(uid, fileTicks);
    };
  }
}

/** Names a node in an address: ids may contain characters that addresses and file names can't. */
function nodeCode(node: string): string {
  return createHash('sha256').update(node).digest('hex').slice(0, 12);
}

/** @throws Fault NotFound when no node that is up has recordings of the stream */
function recorded(reads: FederatedCatalog): CatalogStreamRow {
  const stream = reads.stream();
  if (!stream) throw new Fault('NotFound', 'Nothing is recorded for this stream.');
  return stream;
}

/** Whether other nodes than this one have recorded it. */
function isRecordedElsewhere(assignments: readonly Assignment[], self: string): boolean {
  return assignments.some(({ node }) => node !== self);
}

/** Includes this node: it may have footage from before it had an id in the cluster. */
function nodesOf(assignments: readonly Assignment[], self: string): string[] {
  return [...new Set([self, ...assignments.map(({ node }) => node)])];
}

/** The recordings of several nodes on one day are added up. */
function joinedDays(found: readonly RecordedDay[]): RecordedDay[] {
  const byDay = new Map<string, RecordedDay>();
  for (const { day, spanMs, recordedMs } of found) {
    const known = byDay.get(day);
    // The node that had the stream first had it for the longest part of the day.
    const longestMs = Math.max(known?.spanMs ?? 0, spanMs);
    const sumMs = (known?.recordedMs ?? 0) + recordedMs;
    byDay.set(day, { day, spanMs: longestMs, recordedMs: Math.min(longestMs, sumMs) });
  }
  return [...byDay.values()].sort((a, b) => (a.day < b.day ? -1 : 1));
}

/**
 * Undefined while the called node is unavailable, has a version without the call, or refuses it for its own
 * reasons: the recordings of the others are still shown.
 */
async function unlessAway<T>(asked: Promise<T>): Promise<T | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Fault) return undefined;
    throw error;
  }
}

/**
 * The time range that a node was assigned to record, so that the timeline includes footage that is currently
 * unavailable.
 */
function awayStats(assignments: readonly Assignment[], away: string): RecordingStats {
  const own = assignments.filter(({ node }) => node === away);
  return {
    startTime: least(own.map(({ fromMs }) => fromMs)),
    endTime: most(own.map(({ fromMs, toMs }) => toMs ?? fromMs)),
    durationMs: 0,
    bytes: 0,
    farBytes: 0,
    segments: 0,
    bitrate: 0,
    recorded: null,
  };
}

function sum<T>(parts: readonly T[], of: (part: T) => number): number {
  return parts.reduce((total, part) => total + of(part), 0);
}

function least(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length > 0 ? Math.min(...known) : null;
}

function most(times: readonly (number | null)[]): number | null {
  const known = times.filter((time) => time !== null);
  return known.length > 0 ? Math.max(...known) : null;
}
