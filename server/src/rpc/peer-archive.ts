import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import {
  entriesLength,
  wholeSlice,
  type CatalogSlice,
  type SliceSpan,
  type CoverageWindows,
  type RecordingSpan,
  type RecordedDay,
  type TimeZone,
  type SegmentBytes,
  type RecordingStats,
} from '../archive/read/read.ts';
import type { SegmentReader } from '../archive/segments/segments.ts';
import type { RetentionLoss } from '../archive/retention/retention.ts';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { steadyBody, streamOf } from './answer-body.ts';
import type { NodeRpc, NodeRpcRequest } from './node-rpc.ts';
import {
  believed,
  believedSlice,
  RemoteDays,
  RemoteLoss,
  RemoteRecorded,
  RemoteSize,
  RemoteStats,
} from './peer-answers.ts';

/** Encoded as in an address. */
function writeSpans(spans: readonly RecordingSpan[]): string {
  return spans
    .map(({ startMs, endMs, isFirst }) => [startMs, endMs ?? '', isFirst ? 1 : 0].join('-'))
    .join(',');
}

/** @throws Fault BadRequest */
export function readSpans(text: string): RecordingSpan[] {
  return text.split(',').map((part) => {
    const [, start, end, first] = /^(\d{1,16})-(\d{0,16})-([01])$/.exec(part) ?? [];
    if (start === undefined || end === undefined) throw new Fault('BadRequest', 'The times are not valid.');
    return { startMs: Number(start), endMs: end === '' ? null : Number(end), isFirst: first === '1' };
  });
}

/**
 * Maximum size of a slice with its indexes: a day of one-minute segments is some megabytes; an older version
 * may send more.
 */
const sliceLimits = { maxBytes: 48 * 1024 * 1024, timeoutMs: 6_000 };
/** Maximum for all slices of one request: a node that answers endlessly is left out. */
const wholeMs = 10_000;
const wholeSegmentsMax = 100_000;
const wholeEntriesMax = 64 * 1024 * 1024;
/** A slow disk or bucket on the other node may delay the next byte of footage for this long. */
const silenceMs = 10_000;
/** Maximum size of what is read in one piece: a GOP. */
const readMaxBytes = 64 * 1024 * 1024;

/** The calls that may be made to it; part of the protocol between nodes. */
export type PeerArchiveRpc = Pick<NodeRpc, 'ask' | 'askJson' | 'avoid'>;

/** Whose recordings of another node: its own, or those that other programs have made on it. Part of the protocol. */
export type FootageArea = 'footage' | 'imported';

/**
 * The recordings of another node, fetched by RPC. All of it rejects with Fault Unavailable while the node is
 * unavailable, and when its answer is invalid: too long, too late, or not what was requested.
 */
export class PeerArchive {
  readonly #rpc: PeerArchiveRpc;
  readonly #node: string;
  readonly #clock: Clock;
  readonly #area: FootageArea;

  constructor(rpc: PeerArchiveRpc, node: string, clock: Clock, area: FootageArea = 'footage') {
    this.#rpc = rpc;
    this.#node = node;
    this.#clock = clock;
    this.#area = area;
  }

  /** The whole time range, however many slices that takes. */
  async slice(uid: string, span: SliceSpan): Promise<CatalogSlice> {
    const overdue = new AbortController();
    const cancel = this.#clock.after(wholeMs, () => overdue.abort());
    let [segments, entries] = [0, 0];
    const request = { path: `${this.#area}/${uid}`, kind: this.#area };
    try {
      return await wholeSlice(span, async (piece) => {
        const { fromTicks, toTicks, withFragments, joinTicks } = piece;
        const join = joinTicks === undefined ? '' : `&join=${joinTicks}`;
        const query = `from=${fromTicks}&to=${toTicks}&fragments=${withFragments ? 1 : 0}${join}`;
        const slice = await this.#believe(
          { ...request, path: `${request.path}?${query}`, signal: overdue.signal, body: sliceLimits },
          (answer) => believedSlice(answer, this.#node),
        );
        segments += slice.segments.length;
        entries += entriesLength(slice);
        if (segments > wholeSegmentsMax || entries > wholeEntriesMax)
          throw new RangeError('More segments than a span can contain');
        return slice;
      });
    } catch (error) {
      if (!overdue.signal.aborted && !isEndless(error)) throw error;
      this.#rpc.avoid(this.#node, request);
      throw this.#endless(error);
    } finally {
      cancel();
    }
  }

  async stats(uid: string): Promise<RecordingStats> {
    const { importedBytes, ...stats } = await this.#believe(
      { path: `${this.#area}/${uid}/stats`, kind: this.#kind('stats') },
      (answer) => believed(RemoteStats, answer, this.#node),
    );
    return { ...stats, ...(importedBytes !== undefined && { importedBytes }) };
  }

  /** How much of its assigned recording time in this range the node recorded. */
  recorded(uid: string, spans: readonly RecordingSpan[]): Promise<CoverageWindows> {
    const path = `${this.#area}/${uid}/recorded?spans=${encodeURIComponent(writeSpans(spans))}`;
    return this.#believe({ path, kind: 'recorded' }, (answer) =>
      believed(RemoteRecorded, answer, this.#node),
    );
  }

  loss(uid: string, hours: number | undefined): Promise<RetentionLoss> {
    const path = `${this.#area}/${uid}/loss${hours === undefined ? '' : `?hours=${hours}`}`;
    return this.#believe({ path, kind: 'loss' }, (answer) => believed(RemoteLoss, answer, this.#node));
  }

  days(uid: string, startMs: number, endMs: number, zone: TimeZone): Promise<RecordedDay[]> {
    const query = `start=${startMs}&end=${endMs}&zone=${encodeURIComponent(zone)}`;
    return this.#believe({ path: `${this.#area}/${uid}/days?${query}`, kind: this.#kind('days') }, (answer) =>
      believed(RemoteDays, answer, this.#node),
    );
  }

  /** For random reads within a segment. */
  open(uid: string, fileTicks: number): SegmentReader {
    return {
      read: async (offset, length) => {
        // Both come from the node's own index.
        if (length > readMaxBytes)
          throw new Fault('Unavailable', `The node ${this.#node} has no such segment range.`);
        const pieces: Buffer[] = [];
        const read = await this.#bytes(uid, fileTicks, offset, offset + length - 1);
        for await (const piece of read.pieces) pieces.push(piece);
        return Buffer.concat(pieces);
      },
      close: async () => {},
    };
  }

  /** @throws Fault NotFound */
  async openSegment(uid: string, fileTicks: number): Promise<SegmentBytes> {
    const path = `${this.#area}/${uid}/segment/${fileTicks}/size`;
    const { size, isGrowing } = await this.#believe({ path, kind: this.#kind('size') }, (answer) =>
      believed(RemoteSize, answer, this.#node),
    );
    return {
      size,
      isGrowing,
      stream: async (start, end) => {
        if (start > end) return Readable.from([]);
        const { answer, pieces } = await this.#bytes(uid, fileTicks, start, Math.min(end, size - 1));
        return streamOf(pieces, answer);
      },
      close: async () => {},
    };
  }

  /** Recordings of other programs may be on a slow disk: the node's own are asked for all the same. */
  #kind(call: string): string {
    return this.#area === 'footage' ? call : `${this.#area} ${call}`;
  }

  /** As fast as they are consumed. @throws Fault that the node answers with */
  async #bytes(
    uid: string,
    fileTicks: number,
    start: number,
    end: number,
  ): Promise<{ readonly answer: IncomingMessage; readonly pieces: AsyncGenerator<Buffer> }> {
    const request: NodeRpcRequest = {
      path: `${this.#area}/${uid}/segment/${fileTicks}?start=${start}&end=${end}`,
      kind: this.#kind('bytes'),
      timeoutMs: silenceMs,
    };
    const answer = await this.#rpc.ask(this.#node, request);
    return { answer, pieces: this.#steady(answer, request, end - start + 1) };
  }

  async *#steady(answer: IncomingMessage, request: NodeRpcRequest, length: number): AsyncGenerator<Buffer> {
    try {
      yield* steadyBody(answer, this.#clock, { length, silenceMs });
    } catch (error) {
      this.#rpc.avoid(this.#node, request);
      throw error;
    }
  }

  async #believe<T>(request: NodeRpcRequest, check: (answer: unknown) => T): Promise<T> {
    const answer = await this.#rpc.askJson(this.#node, request);
    try {
      return check(answer);
    } catch (error) {
      this.#rpc.avoid(this.#node, request);
      throw error;
    }
  }

  #endless(cause?: unknown): Fault {
    return new Fault('Unavailable', `The node ${this.#node} answers endlessly.`, { cause });
  }
}

function isEndless(error: unknown): boolean {
  return error instanceof RangeError;
}
