import type { Packet } from 'node-av/lib';
import type { Track } from '@vidette/media/track';
import type { SampleMessage } from '../protocol.ts';

export type OutgoingSample = Omit<SampleMessage, 'type' | 'job'>;

/**
 * What a path gives: parameters, whenever they begin to hold, and the samples they hold for; `awaiting` for a frame that is
 * sound and comes before its parameters.
 */
export type PathOutput =
  | { readonly type: 'awaiting' }
  | { readonly type: 'track'; readonly track: Track }
  | { readonly type: 'sample'; readonly sample: OutgoingSample };

/** When a packet is decoded and shown, seconds of the source's clock. */
export interface PacketTimes {
  readonly dtsSeconds: number;
  readonly ptsSeconds: number;
}

/** The way of one elementary stream from the demuxer to samples, copied or converted. */
export interface MediaPath {
  /** The packet stays the caller's. Throws on a packet that can't be used; the next one may do. */
  push(packet: Packet, times: PacketTimes): Promise<PathOutput[]>;
  close(): void;
}
