import type { ErrorCode } from '@vidette/contract/errors';
import type { LiveMessage } from '@vidette/contract/live';
import type { PreparedMessage } from '../base/web-socket.ts';
import type { Stream } from '../hub/stream.ts';
import type { LiveSession, LiveSink, LiveVariant } from './session.ts';

/** A stream to which the viewer was admitted. */
export interface WallSource {
  readonly stream: Stream;
  /** It is the camera's sub-stream. */
  readonly isSub: boolean;
  /** Called once, when the viewer has disconnected. */
  readonly leave: () => void;
}

/** The functions of the shared socket that a channel uses. */
export interface WallLine {
  /** More is in transit to the viewer than the network accepts. */
  readonly isFull: boolean;
  text(channel: number, message: LiveMessage): void;
  media(channel: number, bytes: Uint8Array, onSent: () => void): void;
  /** Nothing more follows on a channel. */
  closed(channel: number, code: ErrorCode, error: unknown): void;
}

/**
 * One stream of a wall: a live session whose sink is a share of the wall's socket. The channel exists before it
 * is known whether its viewer may watch, and may be closed by then.
 */
export class WallChannel implements LiveSink {
  readonly #number: number;
  readonly #line: WallLine;
  #session: LiveSession | undefined;
  #source: WallSource | undefined;
  #ownBytes = 0;
  #isClosed = false;

  constructor(number: number, line: WallLine) {
    this.#number = number;
    this.#line = line;
  }

  /** While the socket is full every channel on it holds back, so that none starves the others. */
  get bufferedBytes(): number {
    return this.#line.isFull ? Infinity : this.#ownBytes;
  }

  text(message: LiveMessage): void {
    this.#line.text(this.#number, message);
  }

  binary({ payload }: PreparedMessage): void {
    this.#ownBytes += payload.length;
    this.#line.media(this.#number, payload, () => {
      this.#ownBytes -= payload.length;
      this.#session?.resume();
    });
  }

  /** The viewer may watch. `open` creates the session. */
  begin(
    source: WallSource,
    variant: LiveVariant,
    open: (
      stream: Stream,
      sink: LiveSink,
      variant: LiveVariant,
      onEnd: (code: ErrorCode, error?: unknown) => void,
    ) => LiveSession,
  ): void {
    if (this.#isClosed) {
      source.leave();
      return;
    }
    this.#source = source;
    this.#session = open(source.stream, this, { ...variant, isSub: source.isSub }, (code, error) =>
      this.#finish(code, error),
    );
  }

  /** The socket accepts data again. */
  resume(): void {
    this.#session?.resume();
  }

  /** Informs the viewer why the channel is closed. Idempotent. */
  end(code: ErrorCode): void {
    if (this.#isClosed) return;
    if (this.#session) {
      this.#session.end(code);
      return;
    }
    this.text({ type: 'end', code });
    this.#finish(code, undefined);
  }

  /** Releases the stream without a message, because the viewer has disconnected. Idempotent. */
  close(): void {
    if (this.#isClosed) return;
    if (this.#session) this.#session.close();
    else this.#finish('Unavailable', undefined);
  }

  #finish(code: ErrorCode, error: unknown): void {
    this.#isClosed = true;
    this.#source?.leave();
    this.#line.closed(this.#number, code, error);
  }
}
