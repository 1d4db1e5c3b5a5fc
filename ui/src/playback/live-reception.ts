import type { ReceivedLiveMessage } from '@vidette/contract/live';
import { codecsOf, spokenCodec, videoCodecOf } from './codec-name.ts';
import { FrameArrivals, type Absence } from './frame-arrivals.ts';
import type { LiveLink, LiveLinkEvents } from './live-link.ts';
import type { PlaybackParts } from './playback.ts';
import { isFinalCode, type PlayerState } from './state.ts';

/** Requests a stream, with or without audio. */
export type ConnectLive = (events: LiveLinkEvents, options: { audio: boolean }) => LiveLink;

/** `onState` reports a pause and its end, and a failure that a retry does not change. */
export interface LiveReceptionOptions extends Pick<PlaybackParts, 'clock' | 'onState'> {
  readonly sink: Pick<PlaybackParts['sink'], 'isSupported' | 'setType' | 'append'>;
  readonly connect: ConnectLive;
  /** The stream was requested: what follows is unrelated to what was received before. */
  readonly onBegin: () => void;
  /** An init segment follows. */
  readonly onInit: () => void;
  /** An init segment or a fragment was appended. */
  readonly onMedia: (bytes: Uint8Array) => void;
  /** Frames were dropped on the way. */
  readonly onSkipped: (frames: number) => void;
  /** The server is overloaded and sends only key frames, or all again. */
  readonly onReduced: (isReduced: boolean) => void;
  /** No frames come for now. */
  readonly onAway: (absence: Absence) => void;
  /** The stream can't be used as it is and is requested in another form: what was appended is of no use. */
  readonly onOtherForm: () => void;
}

/** After this many failed appends without a frame in between, this browser can't decode the stream. */
const BREAKS_LIMIT = 4;
/** Frames arrive but can't be played: the announced audio never comes, and playback would wait for it. */
const MUTE_SOURCE_AFTER_MS = 4000;

/**
 * A live stream's way into the sink: requests it, appends its media, and knows whether frames arrive. Audio that
 * this browser can't decode, or that never comes, is left out.
 */
export class LiveReception {
  readonly #options: LiveReceptionOptions;
  readonly arrivals: FrameArrivals;
  #link: LiveLink | undefined;
  #mimeType: string | undefined;
  #hasAudio = true;
  #isPaused = false;
  #isDisposed = false;
  #isReduced = false;
  /** The server said why it closes the link. */
  #endReason: Absence | undefined;
  #breaks = 0;
  /** Since when media has arrived that can't be played, on the monotonic clock. */
  #unplayableSinceMs: number | undefined;

  constructor(options: LiveReceptionOptions) {
    this.#options = options;
    this.arrivals = new FrameArrivals(options.clock);
  }

  /** The stream is requested; false before `start` and after `stop` or a failure. */
  get isActive(): boolean {
    return this.#link !== undefined;
  }

  /** The server is overloaded and sends only key frames. */
  get isReduced(): boolean {
    return this.#isReduced;
  }

  start(): void {
    this.stop();
    this.#begin();
    this.#link = this.#options.connect(
      {
        onMessage: (message) => this.#onMessage(message),
        onMedia: (bytes) => this.#onMedia(bytes),
        onLost: () => {
          this.#mimeType = undefined;
          this.#setReduced(false);
          this.#away(this.#endReason ?? 'network');
          this.#endReason = undefined;
        },
      },
      { audio: this.#hasAudio },
    );
  }

  /** Idempotent; no event follows. */
  stop(): void {
    const link = this.#link;
    this.#link = undefined;
    link?.close();
  }

  /** While paused nothing is received; afterwards, what is live then. */
  setPaused(isPaused: boolean): void {
    if (this.#isDisposed || isPaused === this.#isPaused) return;
    this.#isPaused = isPaused;
    if (isPaused) {
      this.stop();
      this.#options.onState({ name: 'paused' });
    } else {
      this.#options.onState({ name: 'connecting' });
      this.start();
    }
  }

  /** Idempotent; no event follows, and nothing starts it again. */
  dispose(): void {
    this.#isDisposed = true;
    this.#setReduced(false);
    this.stop();
  }

  wake(): void {
    this.#link?.wake();
  }

  /** Everything appended was lost; requests the stream again, a few times. */
  onSinkBroken(): void {
    if (!this.#link) return;
    this.#breaks += 1;
    if (this.#breaks >= BREAKS_LIMIT) {
      this.#fail({ name: 'unsupported', codec: spokenCodec(this.#mimeType ?? '') });
      return;
    }
    this.#begin();
    this.#link.restart();
  }

  /** A frame is on screen: this browser decodes the stream. */
  onShown(): void {
    this.#breaks = 0;
  }

  /**
   * Called several times a second. With a track that never sends, the intersection of all tracks' spans stays
   * empty for ever.
   */
  checkAudio(isPlayable: boolean): void {
    if (isPlayable) this.#unplayableSinceMs = undefined;
    if (this.#unplayableSinceMs === undefined || !this.#hasAudio || !this.#mimeType) return;
    if (codecsOf(this.#mimeType).length < 2) return;
    if (this.#options.clock.monotonicMs() - this.#unplayableSinceMs > MUTE_SOURCE_AFTER_MS)
      this.#goWithoutAudio();
  }

  #begin(): void {
    this.#mimeType = undefined;
    this.#unplayableSinceMs = undefined;
    this.#endReason = undefined;
    this.#setReduced(false);
    this.arrivals.restart();
    this.#options.onBegin();
  }

  #onMessage(message: ReceivedLiveMessage): void {
    switch (message.type) {
      case 'init':
        this.#onInit(message.mimeType);
        return;
      case 'skipped':
        if (message.samples > 0) this.#options.onSkipped(message.samples);
        return;
      case 'reduced':
        this.#setReduced(message.isReduced);
        // The interval between frames is another one now.
        this.arrivals.restart();
        return;
      case 'waiting':
        this.#away('source');
        return;
      case 'end':
        this.#onEnd(message.code);
    }
  }

  #onEnd(code: string | undefined): void {
    if (isFinalCode(code)) {
      this.#fail({ name: 'failed', code });
      return;
    }
    this.#setReduced(false);
    this.#endReason = code === 'ServerOverloaded' ? 'overload' : 'source';
    this.#away(this.#endReason);
  }

  #setReduced(isReduced: boolean): void {
    if (isReduced === this.#isReduced) return;
    this.#isReduced = isReduced;
    this.#options.onReduced(isReduced);
  }

  #onInit(mimeType: string): void {
    const { sink, onInit } = this.#options;
    this.arrivals.resume();
    if (sink.isSupported(mimeType)) {
      this.#mimeType = mimeType;
      sink.setType(mimeType);
      onInit();
      return;
    }
    const videoCodec = videoCodecOf(mimeType);
    const isAudioAtFault =
      this.#hasAudio &&
      videoCodec !== undefined &&
      codecsOf(mimeType).length > 1 &&
      sink.isSupported(`video/mp4; codecs="${videoCodec}"`);
    if (isAudioAtFault) this.#goWithoutAudio();
    else this.#fail({ name: 'unsupported', codec: spokenCodec(mimeType) });
  }

  #onMedia(bytes: Uint8Array): void {
    if (!this.#mimeType) return;
    this.#unplayableSinceMs ??= this.#options.clock.monotonicMs();
    this.#options.sink.append(bytes);
    this.#options.onMedia(bytes);
  }

  #goWithoutAudio(): void {
    this.#hasAudio = false;
    this.#options.onOtherForm();
    this.start();
  }

  #away(absence: Absence): void {
    this.arrivals.stop(absence);
    this.#options.onAway(absence);
  }

  #fail(state: PlayerState): void {
    this.stop();
    this.#options.onState(state);
  }
}
