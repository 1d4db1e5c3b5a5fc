import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { AvPool } from '../ingest/av/pool.ts';
import type { Stream } from '../hub/stream.ts';
import { transcodeGop, type RecordedGop } from './gop-transcoding.ts';
import { LiveTranscoding } from './live-transcoding.ts';
import { TranscodeSlots } from './transcode-slots.ts';

/** For whom frames are converted; `everyone` means all who have that right of their own. */
export type TranscodingAudience = 'everyone' | 'administrators' | 'nobody';

export interface TranscodingOptions {
  readonly pool: AvPool;
  readonly clock: Clock;
  /** Asked at every use, so that what is saved takes effect at once. */
  readonly rules: () => { readonly for: TranscodingAudience; readonly atOnce: number };
}

/** A viewer who asks: the same name is the same seat. */
export interface TranscodingViewer {
  readonly name: string;
  readonly person: TranscodingPerson;
}

/** What of a person their conversions depend on. */
export interface TranscodingPerson {
  readonly isAdmin: boolean;
  /** The right that each user has or has not. */
  readonly canConvert: boolean;
}

/**
 * Pictures that a viewer's browser can't decode, converted for that viewer alone, so many viewers at once and no more.
 * All of it happens in child processes that stand back behind everything else on the machine.
 */
export class Transcoding {
  readonly #options: TranscodingOptions;
  readonly #slots: TranscodeSlots;
  /** The GOPs of one viewer are made one after the other: the end of the last one asked for. */
  readonly #queues = new Map<string, Promise<unknown>>();

  constructor(options: TranscodingOptions) {
    this.#options = options;
    this.#slots = new TranscodeSlots(options.clock, () => options.rules().atOnce);
  }

  /** Whether frames are converted for somebody at all, as the rules are now. */
  allows({ isAdmin, canConvert }: TranscodingPerson): boolean {
    const { for: whom, atOnce } = this.#options.rules();
    if (atOnce === 0 || whom === 'nobody') return false;
    return isAdmin || (whom === 'everyone' && canConvert);
  }

  /** Seats in use, for statistics. */
  get taken(): number {
    return this.#slots.taken;
  }

  /**
   * Begins to convert a live stream.
   * @param onFailed it can't go on
   * @returns what the viewer reads, and how to end it when the viewer goes
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
   * One recorded GOP as an fMP4 that needs nothing else.
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
    // Whoever seeks on has given up what still waits.
    signal.throwIfAborted();
    this.#requireAllowed(viewer);
    const leave = this.#slots.take(viewer.name, true);
    try {
      return await transcodeGop(await read(), this.#options.pool, signal);
    } finally {
      leave();
    }
  }

  /** Idempotent. The conversions themselves end with the pool. */
  close(): void {
    this.#slots.clear();
  }

  #requireAllowed({ person }: TranscodingViewer): void {
    if (this.allows(person)) return;
    throw new Fault('ActionNotAcceptable', 'Conversion for viewers is switched off, or not for this viewer.');
  }
}
