import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { wholeSlice, type FootageSlice, type SliceSpan } from '../archive/footage-slice.ts';
import type { RecordedParts, RecordingSpan } from '../archive/continuity-watch.ts';
import type { SegmentReader } from '../archive/file-bytes.ts';
import type { RecordedDay, TimeZone } from '../archive/recorded-days.ts';
import type { SegmentBytes } from '../archive/segment-bytes.ts';
import type { ArchiveStats } from '../archive/stream-stats.ts';
import { Fault } from '../base/fault.ts';
import type { Link } from './link.ts';

/** As they travel in an address. */
export function writeSpans(spans: readonly RecordingSpan[]): string {
  return spans
    .map(({ startMs, endMs, isFirst }) => [startMs, endMs ?? '', isFirst ? 1 : 0].join('-'))
    .join(',');
}

/** @throws Fault BadRequest */
export function readSpans(text: string): RecordingSpan[] {
  return text.split(',').map((part) => {
    const [, start, end, first] = /^(\d{1,16})-(\d{0,16})-([01])$/.exec(part) ?? [];
    if (start === undefined || end === undefined) throw new Fault('BadRequest', 'Those are no times.');
    return { startMs: Number(start), endMs: end === '' ? null : Number(end), isFirst: first === '1' };
  });
}

/** What another node has recorded, asked of it over the link. All of it rejects with Fault Unavailable while it is away. */
export class RemoteFootage {
  readonly #link: Pick<Link, 'ask' | 'askJson'>;
  readonly #node: string;

  constructor(link: Pick<Link, 'ask' | 'askJson'>, node: string) {
    this.#link = link;
    this.#node = node;
  }

  /** All of a span, however many slices that are. */
  async slice(uid: string, span: SliceSpan): Promise<FootageSlice> {
    return wholeSlice(span, (piece) => this.#slice(uid, piece));
  }

  async #slice(uid: string, { fromTicks, toTicks, withFragments }: SliceSpan): Promise<FootageSlice> {
    const query = `from=${fromTicks}&to=${toTicks}&fragments=${withFragments ? 1 : 0}`;
    return (await this.#link.askJson(this.#node, { path: `footage/${uid}?${query}` })) as FootageSlice;
  }

  async stats(uid: string): Promise<ArchiveStats> {
    return (await this.#link.askJson(this.#node, { path: `footage/${uid}/stats` })) as ArchiveStats;
  }

  /** How much of what the node was to record in these times it did. */
  async recorded(uid: string, spans: readonly RecordingSpan[]): Promise<RecordedParts> {
    const path = `footage/${uid}/recorded?spans=${encodeURIComponent(writeSpans(spans))}`;
    return (await this.#link.askJson(this.#node, { path })) as RecordedParts;
  }

  async days(uid: string, startMs: number, endMs: number, zone: TimeZone): Promise<RecordedDay[]> {
    const query = `start=${startMs}&end=${endMs}&zone=${encodeURIComponent(zone)}`;
    return (await this.#link.askJson(this.#node, { path: `footage/${uid}/days?${query}` })) as RecordedDay[];
  }

  /** To read here and there in a segment. */
  open(uid: string, fileTicks: number): SegmentReader {
    return {
      read: async (offset, length) => {
        const bytes = Buffer.allocUnsafe(length);
        let at = 0;
        try {
          for await (const chunk of await this.#bytes(uid, fileTicks, offset, offset + length - 1)) {
            at += (chunk as Buffer).copy(bytes, at);
          }
        } catch (cause) {
          if (cause instanceof Fault) throw cause;
          throw new Fault('Unavailable', `The node ${this.#node} broke off in a segment.`, { cause });
        }
        if (at < length) throw new Fault('Unavailable', `The node ${this.#node} broke off in a segment.`);
        return bytes;
      },
      close: async () => {},
    };
  }

  /** @throws Fault NotFound */
  async openSegment(uid: string, fileTicks: number): Promise<SegmentBytes> {
    const path = `footage/${uid}/segment/${fileTicks}/size`;
    const { size, isGrowing } = (await this.#link.askJson(this.#node, { path })) as {
      size: number;
      isGrowing: boolean;
    };
    return {
      size,
      isGrowing,
      stream: async (start, end) =>
        start > end ? Readable.from([]) : this.#bytes(uid, fileTicks, start, Math.min(end, size - 1)),
      close: async () => {},
    };
  }

  /** As fast as they are taken. @throws Fault that the node answers with */
  #bytes(uid: string, fileTicks: number, start: number, end: number): Promise<IncomingMessage> {
    return this.#link.ask(this.#node, {
      path: `footage/${uid}/segment/${fileTicks}?start=${start}&end=${end}`,
    });
  }
}
