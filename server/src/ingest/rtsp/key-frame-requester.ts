import { keyFrameRequest } from '@vidette/media/rtp/rtcp';
import type { RtspConnection } from './connection.ts';
import type { RtpReceiver } from './rtp-receiver.ts';

/** How to request a key frame from a video sender. */
export interface KeyFrameSource {
  readonly connection: RtspConnection;
  readonly receiver: RtpReceiver;
  readonly kind: 'pli' | 'fir';
  /** The interleaved channel of its RTCP. */
  readonly channel: number;
}

/** Interval of requests while a key frame is missing, ms. */
const periodMs = 5000;
/** The SSRC of our reports, any number: this connection has no other receiver. */
const ourSsrc = 0x7669_6465;

/** Requests key frames from one video sender, not more often than it can produce them. */
export class KeyFrameRequester {
  readonly #source: KeyFrameSource;
  #requests = 0;
  #requestedMs = Number.NEGATIVE_INFINITY;

  constructor(source: KeyFrameSource) {
    this.#source = source;
  }

  /** @param nowMs of any clock that doesn't step, the same for all calls */
  request(nowMs: number): void {
    const { connection, receiver, kind, channel } = this.#source;
    if (receiver.ssrc === undefined || nowMs - this.#requestedMs < periodMs) return;
    this.#requestedMs = nowMs;
    connection.sendPacket(channel, keyFrameRequest(kind, ourSsrc, receiver.ssrc, this.#requests++));
  }
}
