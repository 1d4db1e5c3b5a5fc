import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { FfmpegPool } from '../ffmpeg/pool.ts';
import type { Stream } from '../hub/stream.ts';
import { transcodeGop, type RecordedGop } from './gop-transcoding.ts';
import { LiveTranscoding } from './live-transcoding.ts';
import { TranscodeSlots } from './transcode-slots.ts';

/** The users for whom streams are transcoded; `everyone` means all who have that individual right. */
export type TranscodingAudience = 'everyone' | 'administrators' | 'nobody';

export interface TranscodingOptions {
  readonly pool: FfmpegPool;
  readonly clock: Clock;
  /** Read at every use, so that saved changes take effect immediately. */
  readonly rules: () => { readonly for: TranscodingAudience; readonly atOnce: number };
}

/** The requesting viewer: the same name means the same slot. */
export interface TranscodingViewer {
  readonly name: string;
  readonly person: TranscodingPerson;
}

/** The fields of a user that determine their transcoding. */
export interface TranscodingPerson {
  readonly isAdmin: boolean;
  /** The right of the individual user. */
  readonly canConvert: boolean;
}

/**
 * Transcodes video that a viewer's browser can't decode, for that viewer alone, up to a limit of simultaneous
 * viewers. All of it happens in child processes with low priority.
 */
export class Transcoding {
  readonly #options: TranscodingOptions;
  readonly #slots: TranscodeSlots;
  /** The GOPs of one viewer are transcoded one after the other: the end of the last requested one. */
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(options: TranscodingOptions) {
    this.#options = options;
    this.#slots = new TranscodeSlots(options.clock, () => options.rules().atOnce);
  }

  /** Whether streams are transcoded for a user at all, under the current configuration. */
  allows({ isAdmin, canConvert }: TranscodingPerson): boolean {
    const { for: whom, atOnce } = this.#options.rules();
    if (atOnce === 0 || whom === 'nobody') return false;
    return isAdmin || (whom === 'everyone' && canConvert);
  }

  /** Slots in use, for statistics. */
  get taken(): number {
    return this.#slots.taken;
  }

  /**
   * Starts transcoding a live stream.
   * @param onFailed called when transcoding cannot continue
   * @returns what the viewer reads, and how to end it when the viewer disconnects
   * @throws Fault ActionNotAcceptable, QuotaReached
   */
  live(
    viewer: TranscodingViewer,
    source: Stream,
    onFailed: () => void,
  ): { stream: Stream; close: () => void } {
    this.#requireAllowed(viewer);
    const leave = this.#slots.take(viewer.name, false);
    const conversion = new LiveTranscoding(source, this.#options.pool, onFailed);
    return {
      stream: conversion.stream,
      close() {
        conversion.close();
        leave();
      },
    };
  }

  /**
   * One recorded GOP as a self-contained fMP4.
   * @throws Fault ActionNotAcceptable, QuotaReached, ProbeError, NotFound; the signal's reason
   */
  async gop(
    viewer: TranscodingViewer,
    read: () => Promise<RecordedGop>,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const { name } = viewer;
    const before = this.#queues.get(name) ?? Promise.resolve();
    const made = before.then(() => this.#makeGop(viewer, read, signal));
    const settled = made.catch(() => {});
    this.#queues.set(name, settled);
    try {
      return await made;
    } finally {
      if (this.#queues.get(name) === settled) this.#queues.delete(name);
    }
  }

  async #makeGop(
    viewer: TranscodingViewer,
    read: () => Promise<RecordedGop>,
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    // A viewer who has seeked on has abandoned the requests that still wait.
    signal.throwIfAborted();
    this.#requireAllowed(viewer);
    const leave = this.#slots.take(viewer.name, true);
    try {
      return await transcodeGop(await read(), this.#options.pool, signal);
    } finally {
      leave();
    }
  }

  /** Idempotent. The transcodings themselves end with the pool. */
  close(): void {
    this.#slots.clear();
  }

  #requireAllowed({ person }: TranscodingViewer): void {
    if (this.allows(person)) return;
    throw new Fault(
      'ActionNotAcceptable',
      'Transcoding for viewers is switched off, or not allowed for this viewer.',
    );
  }
}
