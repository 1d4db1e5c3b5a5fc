/** One partial segment: a few frames, addressable on its own (RFC 8216bis, 3.2.1 Partial Segments). */
export interface HlsPart {
  readonly bytes: Uint8Array;
  readonly durationSeconds: number;
  /** It starts with a key frame. */
  readonly isIndependent: boolean;
}

/** One media segment, which grows while it is the newest. */
export interface HlsSegment {
  /** Media sequence number; never reused, even after the stream was not read for a while. */
  readonly sequence: number;
  /** The init segment it needs. */
  readonly initNumber: number;
  /** Presentation time of its first frame, ms since the epoch. */
  readonly startMs: number;
  /** The times or parameters don't continue those of the previous segment. */
  readonly isDiscontinuity: boolean;
  readonly parts: readonly HlsPart[];
  readonly durationSeconds: number;
  readonly isComplete: boolean;
}

interface GrowingSegment extends HlsSegment {
  parts: HlsPart[];
  durationSeconds: number;
  isComplete: boolean;
}

/** Number of segments in the playlist: with two-second GOPs well over the required three target durations. */
const listedSegments = 8;
/** Segments kept beyond the playlist for players that loaded it shortly before (RFC 8216bis, 6.2.2). */
const keptSegments = 11;

/** The latest segments of one stream as listed by LL-HLS, with the init segments that they need. */
export class HlsWindow {
  #segments: GrowingSegment[] = [];
  #inits = new Map<number, Uint8Array>();
  #initNumber = 0;
  #nextSequence = 0;
  #isBreakDue = false;
  #discontinuitiesGone = 0;
  #longestPartSeconds = 0;
  #longestSegmentSeconds = 0;

  /** Oldest first; the last one is growing. */
  get listed(): readonly HlsSegment[] {
    return this.#segments.slice(-listedSegments);
  }

  get newest(): HlsSegment | undefined {
    return this.#segments.at(-1);
  }

  /** There is a complete segment to start with: hls.js treats a playlist with only parts as empty. */
  get isPlayable(): boolean {
    return this.#segments.some(({ isComplete }) => isComplete);
  }

  /** The longest durations so far, seconds; the playlist must declare at least these. */
  get longestPartSeconds(): number {
    return this.#longestPartSeconds;
  }

  get longestSegmentSeconds(): number {
    return this.#longestSegmentSeconds;
  }

  /** EXT-X-DISCONTINUITY-SEQUENCE: how many discontinuities precede the first listed segment. */
  get discontinuitySequence(): number {
    const hidden = this.#segments.slice(0, -listedSegments);
    return this.#discontinuitiesGone + hidden.filter(({ isDiscontinuity }) => isDiscontinuity).length;
  }

  /** New parameters: the following samples need this init segment and begin a new segment. */
  beginInit(bytes: Uint8Array): void {
    this.completeSegment();
    this.#inits.set(++this.#initNumber, bytes);
    this.#isBreakDue ||= this.#segments.length > 0;
  }

  /** Samples are missing before the following ones. */
  breakTime(): void {
    this.completeSegment();
    this.#isBreakDue ||= this.#segments.length > 0;
  }

  /** @param startMs presentation time of the part's first frame; used when it begins a segment */
  addPart(part: HlsPart, startMs: number): void {
    const segment = this.#growing() ?? this.#beginSegment(startMs);
    segment.parts.push(part);
    segment.durationSeconds += part.durationSeconds;
    this.#longestPartSeconds = Math.max(this.#longestPartSeconds, part.durationSeconds);
    this.#longestSegmentSeconds = Math.max(this.#longestSegmentSeconds, segment.durationSeconds);
  }

  completeSegment(): void {
    const segment = this.#growing();
    if (segment) segment.isComplete = true;
  }

  segment(sequence: number): HlsSegment | undefined {
    return this.#segments.find((segment) => segment.sequence === sequence);
  }

  init(number: number): Uint8Array | undefined {
    return this.#inits.get(number);
  }

  /**
   * A part with this position (or, without `part`, a complete segment) exists or existed: what a blocking
   * request waits for (RFC 8216bis, 6.2.5.2).
   */
  hasReached(sequence: number, part: number | undefined): boolean {
    const { newest } = this;
    if (!newest) return false;
    if (newest.sequence !== sequence) return newest.sequence > sequence;
    return newest.isComplete || (part !== undefined && newest.parts.length > part);
  }

  /** Drops the media but keeps the numbering, because a returning player must not meet old numbers again. */
  clear(): void {
    this.#drop(this.#segments.length);
    this.#inits.clear();
  }

  /** The number of the next segment. */
  get nextSequence(): number {
    return this.#nextSequence;
  }

  #growing(): GrowingSegment | undefined {
    const last = this.#segments.at(-1);
    return last && !last.isComplete ? last : undefined;
  }

  #beginSegment(startMs: number): GrowingSegment {
    const segment: GrowingSegment = {
      sequence: this.#nextSequence++,
      initNumber: this.#initNumber,
      startMs,
      isDiscontinuity: this.#isBreakDue,
      parts: [],
      durationSeconds: 0,
      isComplete: false,
    };
    this.#isBreakDue = false;
    this.#segments.push(segment);
    this.#drop(this.#segments.length - keptSegments);
    return segment;
  }

  #drop(count: number): void {
    if (count <= 0) return;
    const gone = this.#segments.splice(0, count);
    this.#discontinuitiesGone += gone.filter(({ isDiscontinuity }) => isDiscontinuity).length;
    const [oldest] = this.#segments;
    for (const number of this.#inits.keys()) {
      if (oldest && number < oldest.initNumber) this.#inits.delete(number);
    }
  }
}
