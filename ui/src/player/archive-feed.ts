import { ApiError } from '@vidette/contract/client';
import { parseInit } from '@vidette/media/fmp4/read-init';
import type { ArchiveSource } from './archive-player.ts';
import { joinable, pieceIndexAt, type ArchivePiece, type ByteSpan } from './archive-playlist.ts';
import type { Cancel, Clock } from './clock.ts';
import { codecName } from './codec-name.ts';
import type { MediaSink } from './media-sink.ts';

/** What follows when all that is recorded has been fed. */
export type ArchiveFeedEnd = 'live' | 'nothing';

export interface ArchiveFeedOptions {
  readonly source: ArchiveSource;
  readonly sink: MediaSink;
  readonly clock: Clock;
  readonly fromMs: number;
  /** Where the viewer is, UTC ms. */
  readonly playheadMs: () => number;
  /** What the element still has to play, ms. */
  readonly leftMs: () => number;
  readonly speed: () => number;
  /** The first bytes are appended; playing can begin at `startMs`, which is later than asked when that was a gap. */
  readonly onStart: (startMs: number) => void;
  readonly onEnd: (end: ArchiveFeedEnd) => void;
  /** The server can't be reached; tried again with growing pauses. */
  readonly onWaiting: (isWaiting: boolean) => void;
  readonly onUnsupported: (codec: string) => void;
  /** Given up for a reason that trying again does not change. */
  readonly onFailed: (error: unknown) => void;
}

/** A question to the server covers this much, with a little before the moment for small steps back. */
const WINDOW_MS = 10 * 60_000;
const WINDOW_BEFORE_MS = 15_000;
/** Kept in hand ahead of the playhead, seconds of playing; and at most, ms of media. */
const AHEAD_S = 12;
const AHEAD_MOST_MS = 90_000;
const AFTER_PIECE_MS = 2;
const BATCH_BYTES = 6 * 1024 * 1024;
const BATCH_S = 4;
/** Within this of the present the archive grows under our hands: the next question waits until little is left. */
const GROWING_MS = 15_000;
const LITTLE_LEFT_MS = 3000;
const NOTHING_LEFT_MS = 400;
const GROWING_PAUSE_MS = 700;
const RETRY_PAUSES_MS = [500, 1000, 2000, 4000, 8000] as const;

/**
 * Brings the recorded fragments from one moment on into the sink, in order, as far ahead of the playhead as playing
 * needs, until nothing recorded is left. One feed per seek: it is closed when the viewer goes elsewhere.
 */
export class ArchiveFeed {
  readonly #options: ArchiveFeedOptions;
  readonly #abort = new AbortController();
  readonly #inits = new Map<string, { bytes: Uint8Array; mimeType: string }>();
  #pieces: readonly ArchivePiece[] = [];
  #next = 0;
  /** Up to here the server was asked. */
  #knownUntilMs: number;
  /** What was fed and not yet played. */
  #fed: { readonly startMs: number; readonly endMs: number }[] = [];
  #initInUse: string | undefined;
  #isStarted = false;
  #wakeUp: (() => void) | undefined;
  /** Pauses between tries; each ends itself, all end when the network is back. */
  readonly #pauses = new Set<() => void>();

  constructor(options: ArchiveFeedOptions) {
    this.#options = options;
    this.#knownUntilMs = options.fromMs - WINDOW_BEFORE_MS;
    this.#run().catch((error: unknown) => {
      if (!this.#abort.signal.aborted) options.onFailed(error);
    });
  }

  /** The playhead moved: perhaps more is wanted now. */
  moved(): void {
    this.#wakeUp?.();
  }

  /** The network is back: a pause between tries ends now. */
  wake(): void {
    for (const end of this.#pauses) end();
  }

  /** Idempotent; nothing is appended afterwards. */
  close(): void {
    this.#abort.abort();
    this.#wakeUp?.();
    for (const end of this.#pauses) end();
  }

  async #run(): Promise<void> {
    const { signal } = this.#abort;
    await this.#options.sink.clear();
    while (!signal.aborted) {
      if (this.#next >= this.#pieces.length) {
        if (!(await this.#extend())) return;
      } else if (this.#aheadMs() < this.#goalMs()) await this.#feedNext();
      else await this.#untilMoved();
    }
  }

  /** Media fed and not yet played, ms; gaps don't count. */
  #aheadMs(): number {
    const playheadMs = this.#options.playheadMs();
    let sumMs = 0;
    this.#fed = this.#fed.filter((piece) => piece.endMs > playheadMs - AHEAD_MOST_MS);
    for (const piece of this.#fed) sumMs += Math.max(0, piece.endMs - Math.max(piece.startMs, playheadMs));
    return sumMs;
  }

  #goalMs(): number {
    return Math.min(AHEAD_MOST_MS, AHEAD_S * 1000 * Math.max(1, this.#options.speed()));
  }

  async #feedNext(): Promise<void> {
    const { sink, speed, onStart, fromMs } = this.#options;
    const batch = this.#isStarted
      ? joinable(this.#pieces, this.#next, {
          durationMs: BATCH_S * 1000 * Math.max(1, speed()),
          bytes: BATCH_BYTES,
        })
      : joinable(this.#pieces, this.#next, { durationMs: 0, bytes: 0 });
    const first = batch[0];
    const last = batch.at(-1);
    if (!first || !last) return;
    const length = last.length === undefined ? undefined : last.offset + last.length - first.offset;
    const [init, bytes] = await Promise.all([
      this.#init(first.init),
      this.#tried((signal) =>
        this.#options.source.bytes({ url: first.url, offset: first.offset, length }, signal),
      ),
    ]);
    if (this.#abort.signal.aborted) return;
    this.#next += batch.length;
    // Retention took the file between the playlist and now: what comes after it may still be there.
    if (!bytes || !init) return;
    if (!sink.isSupported(init.mimeType)) {
      this.close();
      this.#options.onUnsupported(codecName(/codecs="([^",]*)/.exec(init.mimeType)?.[1] ?? init.mimeType));
      return;
    }
    if (this.#initInUse !== keyOf(first.init)) {
      this.#initInUse = keyOf(first.init);
      sink.setType(init.mimeType);
      sink.append(init.bytes);
    }
    sink.append(bytes);
    this.#fed.push({ startMs: first.startMs, endMs: last.endMs });
    if (this.#isStarted) return;
    this.#isStarted = true;
    onStart(Math.max(fromMs, first.startMs));
  }

  async #init(span: ByteSpan): Promise<{ bytes: Uint8Array; mimeType: string } | undefined> {
    const known = this.#inits.get(keyOf(span));
    if (known) return known;
    const bytes = await this.#tried((signal) => this.#options.source.bytes(span, signal));
    if (!bytes) return undefined;
    const codecs = parseInit(bytes).map((track) => track.codecString);
    const init = { bytes, mimeType: `video/mp4; codecs="${codecs.join(',')}"` };
    this.#inits.set(keyOf(span), init);
    return init;
  }

  /** Asks for what follows. False when this feed has come to its end (which it then has told). */
  async #extend(): Promise<boolean> {
    const { clock, source } = this.#options;
    const nowMs = clock.wallMs();
    const isGrowing = this.#knownUntilMs > nowMs - GROWING_MS;
    if (isGrowing && this.#isStarted && this.#options.leftMs() > LITTLE_LEFT_MS) {
      await this.#untilMoved();
      return true;
    }
    const fromMs = this.#knownUntilMs;
    const toMs = Math.max(fromMs + 1, Math.min(nowMs, fromMs + WINDOW_MS));
    const found = await this.#tried((signal) => source.playlist(fromMs, toMs, signal));
    if (this.#abort.signal.aborted) return false;
    const lastMs = this.#pieces.at(-1)?.endMs ?? 0;
    // Answers may begin with the piece that holds `fromMs`, which the last answer ended with.
    const pieces = (found ?? []).filter((piece) => piece.endMs > lastMs + 1);
    if (pieces.length > 0) {
      this.#pieces = pieces;
      this.#next = this.#isStarted ? 0 : pieceIndexAt(pieces, this.#options.fromMs);
      // A little after the end, or rounding would bring the last piece once more.
      const endMs = (pieces.at(-1)?.endMs ?? toMs) + AFTER_PIECE_MS;
      this.#knownUntilMs = Math.max(endMs, Math.min(toMs, nowMs - GROWING_MS));
      return true;
    }
    return this.#afterNothing(toMs, nowMs);
  }

  /** The server knows no piece between the last one and `toMs`. */
  async #afterNothing(toMs: number, nowMs: number): Promise<boolean> {
    const { source, onEnd } = this.#options;
    if (toMs < nowMs - GROWING_MS) {
      const next = await this.#tried((signal) => source.nextPlayable(toMs, signal));
      if (this.#abort.signal.aborted) return false;
      if (next?.kind === 'fragment') {
        // What the ranges promise and the playlist hasn't is passed over a window at a time.
        this.#knownUntilMs = Math.max(toMs, next.startMs);
        return true;
      }
      onEnd(next ? 'live' : 'nothing');
      return false;
    }
    if (this.#isStarted && this.#options.leftMs() > NOTHING_LEFT_MS) {
      await this.#pause(GROWING_PAUSE_MS);
      return true;
    }
    const next = await this.#tried((signal) => source.nextPlayable(this.#knownUntilMs, signal));
    if (this.#abort.signal.aborted) return false;
    if (next?.kind === 'fragment') {
      // Written since the playlist was asked for.
      await this.#pause(GROWING_PAUSE_MS);
      return true;
    }
    onEnd(next ? 'live' : 'nothing');
    return false;
  }

  /**
   * Does what may fail for want of a network until it succeeds. Undefined for what isn't there any more (404).
   * @throws what trying again does not change
   */
  async #tried<T>(ask: (signal: AbortSignal) => Promise<T>): Promise<T | undefined> {
    const { onWaiting } = this.#options;
    const { signal } = this.#abort;
    for (let failures = 0; ; failures++) {
      try {
        const answer = await ask(signal);
        if (failures > 0) onWaiting(false);
        return answer;
      } catch (error) {
        if (signal.aborted) return undefined;
        if (error instanceof ApiError && error.status === 404) return undefined;
        const mayPass =
          error instanceof ApiError && (error.status === 0 || error.status >= 500 || error.status === 429);
        if (!mayPass) throw error;
        onWaiting(true);
        await this.#pause(RETRY_PAUSES_MS[Math.min(failures, RETRY_PAUSES_MS.length - 1)] ?? 8000);
        if (signal.aborted) return undefined;
      }
    }
  }

  #untilMoved(): Promise<void> {
    return new Promise((resolve) => {
      this.#wakeUp = () => {
        this.#wakeUp = undefined;
        resolve();
      };
    });
  }

  #pause(delayMs: number): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        this.#pauses.delete(end);
        cancel();
        resolve();
      };
      const cancel: Cancel = this.#options.clock.after(delayMs, end);
      this.#pauses.add(end);
    });
  }
}

function keyOf(span: ByteSpan): string {
  return `${span.url} ${span.offset} ${span.length}`;
}
