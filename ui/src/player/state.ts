import type { playbackSpeeds } from '@vidette/contract/constants';

/**
 * What a player is doing, as one value; screens switch over `name` and need no other flags.
 */
export type PlayerState =
  /** Nothing asked for yet, or disposed. */
  | { readonly name: 'idle' }
  /** On the way to the first frame. */
  | { readonly name: 'connecting' }
  | { readonly name: 'playing' }
  /** Stopped by the viewer; the picture stands. */
  | { readonly name: 'paused' }
  /** Wants to play but the data isn't here yet; the clock stands. */
  | { readonly name: 'buffering' }
  /** Something outside has to change first; it goes on by itself then. */
  | { readonly name: 'waiting'; readonly reason: WaitReason }
  /** Given up: playing again needs the viewer. `code` is of the error catalogue. */
  | { readonly name: 'failed'; readonly code: string }
  /**
   * This browser has no decoder for it. `codec` as people call it, e.g. `H.265`; empty when it plays no streams at all.
   * `refusal`: why the server doesn't convert it either, a code of the error catalogue.
   */
  | { readonly name: 'unsupported'; readonly codec: string; readonly refusal?: TranscodingRefusal }
  /** The archive ends here and nothing live follows. */
  | { readonly name: 'ended' };

export type WaitReason =
  /** The server can't be reached; tried again with growing pauses. */
  | 'network'
  /** The server can, but not the storage that holds this part of the archive; tried again in the same way. */
  | 'storage'
  /** The source delivers nothing now (camera away, stream paused). */
  | 'source'
  /** Frames stopped arriving, and nothing says why. */
  | 'silent'
  /** The browser plays only after a click. */
  | 'gesture';

export type PlayerMode = 'live' | 'archive';

export type Speed = (typeof playbackSpeeds)[number];

/** What a screen shows of a player; a new value at each change, nothing in it moves by itself. */
export interface PlayerSnapshot {
  readonly mode: PlayerMode;
  readonly state: PlayerState;
  readonly speed: Speed;
  /** Backwards through the archive. */
  readonly isReverse: boolean;
  /** Only the first frame of each fragment is shown: more is not possible at this speed here. */
  readonly isKeyFramesOnly: boolean;
  /** The codec that the server converts for this viewer, as people call it; undefined while it comes as it is. */
  readonly converted: string | undefined;
  readonly isMuted: boolean;
  /** 0 to 1. */
  readonly volume: number;
  /** What to tell in passing; `id` differs for each, so that the same words can be said twice. */
  readonly notice: { readonly id: number; readonly notice: Notice } | undefined;
}

/** Before anything was asked for. */
export function beginning(volume: number): PlayerSnapshot {
  return {
    mode: 'live',
    state: { name: 'idle' },
    speed: 1,
    isReverse: false,
    isKeyFramesOnly: false,
    converted: undefined,
    isMuted: true,
    volume,
    notice: undefined,
  };
}

/** Something the viewer should be told once, in passing. */
export type Notice =
  /** Playback went over a stretch that is not recorded. */
  | { readonly type: 'gap'; readonly startMs: number; readonly endMs: number }
  /** The connection was too slow and `frames` frames were left out. */
  | { readonly type: 'frames'; readonly frames: number };

/** The transitions that make sense. Everything may fail, wait, pause, begin anew or be disposed from anywhere. */
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

/** Whether `to` may follow `from`; a player stays where it is when not (a late event of the element, say). */
export function canFollow(from: PlayerState, to: PlayerState): boolean {
  if (FINAL.includes(from.name)) return to.name === 'connecting' || to.name === 'idle';
  if (from.name === 'idle') return to.name === 'connecting' || FINAL.includes(to.name);
  return FROM_ANYWHERE.includes(to.name) || FOLLOWS[from.name].includes(to.name);
}

/** The same state said twice; used to keep quiet when nothing changed. */
export function sameState(a: PlayerState, b: PlayerState): boolean {
  if (a.name !== b.name) return false;
  if (a.name === 'waiting' && b.name === 'waiting') return a.reason === b.reason;
  if (a.name === 'failed' && b.name === 'failed') return a.code === b.code;
  if (a.name === 'unsupported' && b.name === 'unsupported') {
    return a.codec === b.codec && a.refusal === b.refusal;
  }
  return true;
}

/** Codes with which the server refuses to convert: not here or not for this viewer, too many at once, not possible. */
const REFUSALS = ['ActionNotAcceptable', 'QuotaReached', 'ProbeError'] as const;

export type TranscodingRefusal = (typeof REFUSALS)[number];

/** Why the server doesn't convert what this browser can't play; undefined for what has other reasons. */
export function refusalOf(code: string): TranscodingRefusal | undefined {
  return REFUSALS.find((refusal) => refusal === code);
}

/** Codes with which the server ends a session for a reason that trying again does not change. */
const FINAL_CODES: readonly string[] = [
  'Forbidden',
  'ACCESS_DENIED_ERR',
  'AuthorizationRequired',
  'NotFound',
  'LicenseExpired',
  ...REFUSALS,
];

/** Whether asking again would only end the same way. */
export function isFinalCode(code: string | undefined): code is string {
  return code !== undefined && FINAL_CODES.includes(code);
}
