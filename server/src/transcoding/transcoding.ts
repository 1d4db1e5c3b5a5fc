import type { ErrorCode } from '@vidette/contract/errors';
import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { LoadLevel } from '../base/load-level.ts';
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
  readonly load: Pick<LoadLevel, 'requireRoom' | 'defers' | 'onChange'>;
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
  /** Ends the transcodings of live streams. */
  readonly #endings = new Set<() => void>();
  readonly #stopLoad: Cancel;

  constructor(options: TranscodingOptions) {
    this.#options = options;
    this.#slots = new TranscodeSlots(options.clock, () => options.rules().atOnce);
    this.#stopLoad = options.load.onChange(() => {
      if (options.load.defers('transcoding')) for (const end of [...this.#endings]) end();
    });
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
   * @param onEnded called with the reason when transcoding ends by itself; the caller then closes it
   * @returns what the viewer reads, and how to end it when the viewer disconnects
   * @throws Fault ActionNotAcceptable, QuotaReached, ServerOverloaded
   */
  live(
    viewer: TranscodingViewer,
    source: Stream,
    onEnded: (code: ErrorCode) => void,
  ): { stream: Stream; close: () => void } {
    this.#requireAllowed(viewer);
    const leave = this.#slots.take(viewer.name, false);
    const conversion = new LiveTranscoding(source, this.#options.pool, () => onEnded('ProbeError'));
    const end = () => onEnded('ServerOverloaded');
    this.#endings.add(end);
    return {
      stream: conversion.stream,
      close: () => {
        this.#endings.delete(end);
        conversion.close();
        leave();
      },
    };
  }

  /**
   * One recorded GOP as a self-contained fMP4.
   * @throws Fault ActionNotAcceptable, QuotaReached, ServerOverloaded, ProbeError, NotFound; the signal's reason
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
    this.#stopLoad();
    this.#slots.clear();
  }

  #requireAllowed({ person }: TranscodingViewer): void {
    if (!this.allows(person)) {
      throw new Fault(
        'ActionNotAcceptable',
        'Transcoding for viewers is switched off, or not allowed for this viewer.',
      );
    }
    this.#options.load.requireRoom('transcoding');
  }
}
