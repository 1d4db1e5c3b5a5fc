import { lastFrame, setDuration, type LastFrame } from '@vidette/media/fmp4/last-frame';
import { parseInit } from '@vidette/media/fmp4/read-init';
import { MalformedError } from '@vidette/media/malformed';
import type { Disposer, PageClock } from '../base/clock.ts';
import { isInit } from './frame-index.ts';
import type { MediaSink } from './media-sink.ts';

/** How long the newest frame waits for its successor, ms. */
const HOLD_MS = 60;
/**
 * A run that begins this much before the newest frame was dated by a clock that was set back, seconds: one that follows
 * another; and the first of a connection, which begins with the GOP so far.
 */
const SET_BACK_S = { next: 0.5, first: 60 };
const MOST_TICKS = 0xffffffff;

interface HeldFragment {
  readonly bytes: Uint8Array;
  readonly frame: LastFrame;
}

/**
 * A live stream's way into the sink. The server sends each frame immediately and states a generous duration, because the real
 * one is known only when the next frame arrives. The newest fragment waits here for that, so that frames in the buffer
 * have their real durations: seeking and stepping in the browser go by them. It costs no delay, because
 * playback is a few frames behind the newest one anyway.
 */
export class NewestFrame implements Pick<MediaSink, 'isSupported' | 'setType' | 'append'> {
  readonly #sink: Pick<MediaSink, 'isSupported' | 'setType' | 'append'>;
  readonly #clock: PageClock;
  #video: { readonly id: number; readonly timescale: number } | undefined;
  #held: HeldFragment | undefined;
  #cancelHold: Disposer | undefined;
  /** The last known step from frame to frame. */
  #stepTicks = 0;
  #lastDts: number | undefined;
  /** The time of the newest frame of all runs, seconds. */
  #newestS = -Infinity;
  #setBackS = SET_BACK_S.first;
  readonly #onSetBack: (endS: number) => void;

  /** @param onSetBack the first fragment of a run was appended, which ends at `endS`, before frames that were appended earlier */
  constructor(
    sink: Pick<MediaSink, 'isSupported' | 'setType' | 'append'>,
    clock: PageClock,
    onSetBack: (endS: number) => void,
  ) {
    this.#sink = sink;
    this.#clock = clock;
    this.#onSetBack = onSetBack;
  }

  /** The usual duration of the frame that waits here, seconds; 0 if none does. */
  get heldS(): number {
    return this.#held && this.#video ? this.#stepTicks / this.#video.timescale : 0;
  }

  isSupported(mimeType: string): boolean {
    return this.#sink.isSupported(mimeType);
  }

  /** An init segment follows. */
  setType(mimeType: string): void {
    this.#release();
    this.#video = undefined;
    this.#lastDts = undefined;
    this.#sink.setType(mimeType);
  }

  /** The init segment, or a fragment, in order. The first fragment doesn't wait, because the viewer does. */
  append(bytes: Uint8Array): void {
    const frame = this.#read(bytes);
    if (!frame) {
      this.#release();
      this.#sink.append(bytes);
      return;
    }
    const isFirst = this.#lastDts === undefined;
    const stepTicks = frame.firstDts - (this.#lastDts ?? frame.firstDts);
    if (stepTicks > 0 && stepTicks <= MOST_TICKS) {
      this.#stepTicks = stepTicks;
      if (this.#held) setDuration(this.#held.bytes, this.#held.frame, stepTicks);
    }
    this.#release();
    this.#lastDts = frame.dts;
    const isSetBack = this.#secondsOf(frame.dts) < this.#newestS - this.#setBackS;
    this.#newestS = this.#secondsOf(frame.dts);
    this.#setBackS = SET_BACK_S.next;
    if (isFirst) {
      this.#sink.append(bytes);
      if (isSetBack) this.#onSetBack(this.#secondsOf(frame.dts + frame.duration));
      return;
    }
    this.#held = { bytes, frame };
    this.#cancelHold = this.#clock.after(HOLD_MS, () => this.#release());
  }

  /** Discards what waits: another connection begins. Idempotent. */
  clear(): void {
    this.#cancelHold?.();
    this.#held = undefined;
    this.#lastDts = undefined;
    this.#setBackS = SET_BACK_S.first;
  }

  /** Undefined for anything but a fragment with video; the element judges what is damaged. */
  #read(bytes: Uint8Array): LastFrame | undefined {
    try {
      if (isInit(bytes)) {
        this.#video = parseInit(bytes).find(({ kind }) => kind === 'video');
        return undefined;
      }
      return this.#video && lastFrame(bytes, this.#video.id);
    } catch (error) {
      if (error instanceof MalformedError) return undefined;
      throw error;
    }
  }

  #secondsOf(ticks: number): number {
    return ticks / (this.#video?.timescale ?? 1);
  }

  #release(): void {
    this.#cancelHold?.();
    const held = this.#held;
    this.#held = undefined;
    if (held) this.#sink.append(held.bytes);
  }
}
