import type { Packet } from 'node-av/lib';
import type { Track } from '@vidette/media/track';
import type { SampleMessage } from '../../protocol.ts';

export type OutgoingSample = Omit<SampleMessage, 'type' | 'job'>;

/**
 * The output of a path: parameters, whenever they change, and the samples they apply to; `awaiting` for a valid
 * frame that arrives before its parameters.
 */
export type PathOutput =
  | { readonly type: 'awaiting' }
  | { readonly type: 'track'; readonly track: Track }
  | { readonly type: 'sample'; readonly sample: OutgoingSample };

/** Decode and presentation time of a packet, in seconds of the source's clock. */
export interface PacketTimes {
  readonly dtsSeconds: number;
  readonly ptsSeconds: number;
}

/** The path of one elementary stream from the demuxer to samples, copied or transcoded. */
export interface MediaPath {
  /** The caller still owns the packet. Throws for an unusable packet; the next one may be usable. */
  push(packet: Packet, times: PacketTimes): Promise<PathOutput[]>;
  close(): void;
}
