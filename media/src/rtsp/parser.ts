/**
 * Splits the bytes of an RTSP connection into messages and interleaved packets (RFC 2326, 10.12). Works in
 * place: a packet within one chunk is passed on without a copy. Only data split between chunks is copied, so
 * that a chunk's memory can be reused as soon as `push` returns.
 */
import { MalformedError } from '../malformed.ts';
import { header, parseHead, type RtspMessage } from './message.ts';

export interface RtspParserHandler {
  /**
   * One RTP or RTCP packet is in `bytes` from `start` to `end`, until this returns. The receiver may write
   * there, and copies what it keeps.
   */
  packet(channel: number, bytes: Uint8Array, start: number, end: number): void;
  message(message: RtspMessage): void;
}

const maxHeadBytes = 32 * 1024;
const maxBodyBytes = 512 * 1024;
/** How much garbage between packets is skipped in search of the next one, before the connection is closed. */
const maxSkippedBytes = 256 * 1024;
/**
 * Packets on channels above this count as garbage unless the server announced the channel, or they follow
 * another unit and begin like RTP: some servers send tracks that were not set up.
 */
const maxChannel = 31;
/** The first byte of RTP and RTCP: version 2 (RFC 3550, 5.1). */
const versionMask = 0xc0;
const versionBits = 0x80;

/** A packet of the usual size, with some reserve. */
const usualSplitBytes = 2048;

const dollar = 0x24;
const lineFeed = 0x0a;
const carriageReturn = 0x0d;

const starts = [
  'RTSP/',
  'OPTIONS ',
  'ANNOUNCE ',
  'REDIRECT ',
  'SET_PARAMETER ',
  'GET_PARAMETER ',
  'TEARDOWN ',
].map((text) => Uint8Array.from(text, (char) => char.charCodeAt(0)));

/** `push` throws `MalformedError` if the bytes are not RTSP or exceed a limit. */
export class RtspParser {
  /** Skipped bytes that belonged to nothing. */
  skippedBytes = 0;
  readonly #handler: RtspParserHandler;
  /** The incomplete beginning of the next unit, in memory that grows by doubling, and its length. */
  #rest: Uint8Array = new Uint8Array(0);
  #restBytes = 0;
  /** The length it must reach before parsing it again can find more. */
  #wantedBytes = 0;
  /** How far the header section of a message was searched for its end. */
  #searchedBytes = 0;
  /** Where a packet of known length is assembled from several chunks, header included; reused. */
  #split: Uint8Array = new Uint8Array(0);
  /** Bytes of that packet, and how many of them have arrived; 0 if there is none. */
  #splitBytes = 0;
  #splitFilled = 0;
  readonly #named = new Set<number>();
  #seenRtsp = false;
  #skippedInARow = 0;

  constructor(handler: RtspParserHandler) {
    this.#handler = handler;
  }

  /** The server has announced this channel, 0 to 255. */
  nameChannel(channel: number): void {
    this.#named.add(channel);
  }

  /** Takes the next `length` bytes of the connection, which are at the beginning of `chunk`. */
  push(chunk: Uint8Array, length = chunk.length): void {
    if (this.#splitBytes > 0) {
      this.#consume(chunk, this.#finishSplit(chunk, length), length);
      return;
    }
    if (this.#restBytes === 0) {
      this.#consume(chunk, 0, length);
      return;
    }
    this.#appendToRest(chunk, length);
    if (this.#restBytes < this.#wantedBytes) return;
    const [rest, restBytes] = [this.#rest, this.#restBytes];
    this.#restBytes = 0;
    this.#consume(rest, 0, restBytes);
  }

  /** However small the chunks are, each byte is moved twice on average. */
  #appendToRest(chunk: Uint8Array, length: number): void {
    const bytes = this.#restBytes + length;
    if (bytes > this.#rest.length) {
      const grown = new Uint8Array(Math.max(bytes, 2 * this.#rest.length, usualSplitBytes));
      grown.set(this.#rest.subarray(0, this.#restBytes));
      this.#rest = grown;
    }
    this.#rest.set(chunk.subarray(0, length), this.#restBytes);
    this.#restBytes = bytes;
  }

  /** Fills the split packet; returns where in the chunk it ended. */
  #finishSplit(chunk: Uint8Array, length: number): number {
    const split = this.#split;
    const taken = Math.min(this.#splitBytes - this.#splitFilled, length);
    split.set(chunk.subarray(0, taken), this.#splitFilled);
    this.#splitFilled += taken;
    if (this.#splitFilled === this.#splitBytes) {
      this.#splitBytes = 0;
      this.#handler.packet(split[1] ?? 0, split, 4, this.#splitFilled);
    }
    return taken;
  }

  #beginSplit(bytes: Uint8Array, at: number, end: number, packetBytes: number): void {
    if (this.#split.length < packetBytes)
      this.#split = new Uint8Array(Math.max(packetBytes, usualSplitBytes));
    this.#split.set(bytes.subarray(at, end));
    this.#splitBytes = packetBytes;
    this.#splitFilled = end - at;
  }

  #consume(bytes: Uint8Array, from: number, end: number): void {
    let at = from;
    this.#wantedBytes = 0;
    while (at < end) {
      const first = bytes[at];
      if (first === dollar) {
        if (end - at < 4) break;
        const channel = bytes[at + 1] ?? 0;
        if (channel > maxChannel && !this.#named.has(channel)) {
          // Inside garbage such a packet is not trusted: it contains other bytes that only look like one.
          if (this.#skippedInARow === 0 && end - at < 5) break;
          if (this.#skippedInARow > 0 || ((bytes[at + 4] ?? 0) & versionMask) !== versionBits) {
            at = this.#skip(bytes, at + 1, 1, end);
            continue;
          }
        }
        const next = at + 4 + (((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0));
        if (next > end) {
          this.#beginSplit(bytes, at, end, next - at);
          return;
        }
        this.#skippedInARow = 0;
        this.#handler.packet(bytes[at + 1] ?? 0, bytes, at + 4, next);
        at = next;
      } else if (first === carriageReturn || first === lineFeed) {
        at++;
      } else {
        const match = matchStart(bytes, at, end);
        if (match === 'partial') break;
        if (match === 'no') {
          at = this.#skip(bytes, at + 1, 1, end);
          continue;
        }
        const next = this.#message(bytes, at, end);
        if (next === undefined) break;
        this.#skippedInARow = 0;
        at = next;
      }
    }
    if (at === end) {
      if (this.#rest.length > maxHeadBytes) this.#rest = new Uint8Array(0);
      return;
    }
    if (bytes === this.#rest) bytes.copyWithin(0, at, end);
    else {
      this.#restBytes = 0;
      this.#appendToRest(bytes.subarray(at, end), end - at);
    }
    this.#restBytes = end - at;
  }

  /** Parses the message at `at`; returns the position after it, or undefined while it isn't complete. */
  #message(bytes: Uint8Array, at: number, end: number): number | undefined {
    // The empty line may begin in the part already searched.
    const head = headEnd(bytes, at, at + Math.max(0, this.#searchedBytes - 3), end);
    if (!head) {
      if (end - at > maxHeadBytes) throw new MalformedError(`RTSP header over ${maxHeadBytes} bytes`);
      this.#searchedBytes = end - at;
      return undefined;
    }
    this.#searchedBytes = 0;
    const message = parseHead(latin1(bytes, at, head.end));
    const length = contentLength(message);
    const next = head.next + length;
    if (next > end) {
      this.#wantedBytes = next - at;
      return undefined;
    }
    this.#seenRtsp = true;
    this.#handler.message({ ...message, body: bytes.slice(head.next, next) });
    return next;
  }

  /**
   * Skips garbage up to something that may begin a unit; before the first message garbage means another
   * protocol.
   */
  #skip(bytes: Uint8Array, from: number, already: number, end: number): number {
    if (!this.#seenRtsp) throw new MalformedError('the response is not RTSP');
    let at = from;
    while (at < end && bytes[at] !== dollar && bytes[at] !== starts[0]?.[0]) at++;
    const count = at - from + already;
    this.skippedBytes += count;
    this.#skippedInARow += count;
    if (this.#skippedInARow > maxSkippedBytes) throw new MalformedError('lost the packet boundaries');
    return at;
  }
}

function matchStart(bytes: Uint8Array, at: number, end: number): 'yes' | 'no' | 'partial' {
  for (const start of starts) {
    const length = Math.min(start.length, end - at);
    let same = 0;
    while (same < length && bytes[at + same] === start[same]) same++;
    if (same === start.length) return 'yes';
    if (same === end - at) return 'partial';
  }
  return 'no';
}

/**
 * Where the header section at `start` ends and the body begins: after an empty line, ended by CRLF or by LF
 * alone, searched from `from`.
 */
function headEnd(
  bytes: Uint8Array,
  start: number,
  from: number,
  bytesEnd: number,
): { readonly end: number; readonly next: number } | undefined {
  // Only received bytes are searched: the memory after them would be searched again for every chunk.
  const come = bytes.subarray(0, Math.min(bytesEnd, start + maxHeadBytes));
  for (let at = come.indexOf(lineFeed, from); at >= 0; at = come.indexOf(lineFeed, at + 1)) {
    const isLineFeedOnly = bytes[at + 1] === lineFeed;
    const next = at + (isLineFeedOnly ? 2 : 3);
    if (next > bytesEnd) return undefined;
    if (isLineFeedOnly || (bytes[at + 1] === carriageReturn && bytes[at + 2] === lineFeed)) {
      return { end: at, next };
    }
  }
  return undefined;
}

function contentLength(message: RtspMessage): number {
  const value = header(message, 'content-length');
  if (value === undefined) return 0;
  if (!/^\d{1,9}$/.test(value)) throw new MalformedError('Content-Length is not a number');
  const length = Number(value);
  if (length > maxBodyBytes) throw new MalformedError(`RTSP body over ${maxBodyBytes} bytes`);
  return length;
}

/** Bytes as Latin-1 text; headers and SDP are ASCII wherever it matters. */
export function latin1(bytes: Uint8Array, from = 0, to = bytes.length): string {
  const pieces: string[] = [];
  for (let at = from; at < to; at += 4096) {
    pieces.push(String.fromCharCode(...bytes.subarray(at, Math.min(to, at + 4096))));
  }
  return pieces.join('');
}
