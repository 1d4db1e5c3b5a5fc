import type { playbackSpeeds } from '@vidette/contract/constants';

/** The state of a player, as one value; screens switch over `name` and need no other flags. */
export type PlayerState =
  /** Nothing requested yet, or disposed. */
  | { readonly name: 'idle' }
  /** Waiting for the first frame. */
  | { readonly name: 'connecting' }
  | { readonly name: 'playing' }
  /** Paused by the viewer; the frame stays. */
  | { readonly name: 'paused' }
  /** Playback is requested but the data isn't here yet; the clock stops. */
  | { readonly name: 'buffering' }
  /** Blocked by an outside condition; playback resumes by itself when it changes. */
  | { readonly name: 'waiting'; readonly reason: WaitReason }
  /** Failed: only the viewer can start it again. `code` is from the error catalogue. */
  | { readonly name: 'failed'; readonly code: string }
  /**
   * This browser has no decoder for it. `codec` is the common name, e.g. `H.265`; empty when the browser plays
   * no streams at all. `refusal`: why the server doesn't transcode it either, a code from the error catalogue.
   */
  | { readonly name: 'unsupported'; readonly codec: string; readonly refusal?: TranscodingRefusal }
  /** The archive ends here and no live video follows. */
  | { readonly name: 'ended' };

export type WaitReason =
  /** The server is unreachable; retried with growing pauses. */
  | 'network'
  /** The server is reachable, but not the storage of this part of the archive; retried in the same way. */
  | 'storage'
  /** The source delivers nothing now (camera away, stream paused). */
  | 'source'
  /** The server is overloaded and serves no new viewers; retried in the same way. */
  | 'overload'
  /** Frames stopped arriving for an unknown reason. */
  | 'silent'
  /** The browser plays only after a click. */
  | 'gesture';

export type PlayerMode = 'live' | 'archive';

export type Speed = (typeof playbackSpeeds)[number];

/** What a screen shows of a player; a new value on each change, without continuously changing values. */
export interface PlayerSnapshot {
  readonly mode: PlayerMode;
  readonly state: PlayerState;
  readonly speed: Speed;
  /** Playing the archive backwards. */
  readonly isReverse: boolean;
  /** Only the first frame of each fragment is shown: this machine can't show more at this speed. */
  readonly isKeyFramesOnly: boolean;
  /** The server is overloaded and sends only key frames. */
  readonly isReduced: boolean;
  /**
   * Common name of the codec that the server transcodes for this viewer; undefined while the stream is
   * unmodified.
   */
  readonly converted: string | undefined;
  readonly isMuted: boolean;
  /** 0 to 1. */
  readonly volume: number;
  /** A notice to show; `id` differs for each, so that the same text can be shown twice. */
  readonly notice: { readonly id: number; readonly notice: Notice } | undefined;
}

/** Before any request. */
export function beginning(volume: number): PlayerSnapshot {
  return {
    mode: 'live',
    state: { name: 'idle' },
    speed: 1,
    isReverse: false,
    isKeyFramesOnly: false,
    isReduced: false,
    converted: undefined,
    isMuted: true,
    volume,
    notice: undefined,
  };
}

/** A notice shown to the viewer once. */
export type Notice =
  /** Playback skipped a stretch that is not recorded. */
  | { readonly type: 'gap'; readonly startMs: number; readonly endMs: number }
  /** The connection was too slow and `frames` frames were dropped. */
  | { readonly type: 'frames'; readonly frames: number };

/** The valid transitions. Every state may fail, wait, pause, restart or be disposed. */
const FOLLOWS: Readonly<Record<PlayerState['name'], readonly PlayerState['name'][]>> = {
  idle: [],
  connecting: ['playing', 'buffering', 'ended'],
  playing: ['buffering', 'ended'],
  paused: ['playing', 'buffering', 'ended'],
  buffering: ['playing', 'ended'],
  waiting: ['playing', 'buffering', 'ended'],
  failed: [],
  unsupported: [],
  ended: ['playing', 'buffering'],
};
const FROM_ANYWHERE: readonly PlayerState['name'][] = [
  'idle',
  'connecting',
  'waiting',
  'paused',
  'failed',
  'unsupported',
];
/** States that only a new start leaves. */
const FINAL: readonly PlayerState['name'][] = ['failed', 'unsupported'];

/**
 * Whether `to` may follow `from`; otherwise the player keeps its state (after a late event of the element, for
 * example).
 */
export function canFollow(from: PlayerState, to: PlayerState): boolean {
  if (FINAL.includes(from.name)) return to.name === 'connecting' || to.name === 'idle';
  if (from.name === 'idle') return to.name === 'connecting' || FINAL.includes(to.name);
  return FROM_ANYWHERE.includes(to.name) || FOLLOWS[from.name].includes(to.name);
}

/** Whether two states are equal; used to suppress notifications when nothing changed. */
export function sameState(a: PlayerState, b: PlayerState): boolean {
  if (a.name !== b.name) return false;
  if (a.name === 'waiting' && b.name === 'waiting') return a.reason === b.reason;
  if (a.name === 'failed' && b.name === 'failed') return a.code === b.code;
  if (a.name === 'unsupported' && b.name === 'unsupported') {
    return a.codec === b.codec && a.refusal === b.refusal;
  }
  return true;
}

/**
 * Codes with which the server refuses to transcode: disabled or not for this viewer, too many at the same time,
 * not possible.
 */
const REFUSALS = ['ActionNotAcceptable', 'QuotaReached', 'ProbeError'] as const;

export type TranscodingRefusal = (typeof REFUSALS)[number];

/** Why the server doesn't transcode media that this browser can't play; undefined for other failures. */
export function refusalOf(code: string): TranscodingRefusal | undefined {
  return REFUSALS.find((refusal) => refusal === code);
}

/** Codes with which the server ends a session for a reason that a retry does not change. */
const FINAL_CODES: readonly string[] = [
  'Forbidden',
  'ACCESS_DENIED_ERR',
  'AuthorizationRequired',
  'NotFound',
  'LicenseExpired',
  ...REFUSALS,
];

/** Whether a retry would only end in the same way. */
export function isFinalCode(code: string | undefined): code is string {
  return code !== undefined && FINAL_CODES.includes(code);
}
