import type { Packet } from 'node-av/lib';
import { AV_PKT_DATA_NEW_EXTRADATA, AV_PKT_FLAG_CORRUPT } from 'node-av/constants';
import type { VideoCodec } from '@vidette/media/track';
import type { MediaPath, PacketTimes, PathOutput } from '../codec/media-path.ts';
import { NalCopier } from '../codec/nal-copier.ts';

const timescale = 90000;

/** H.264 and H.265, without transcoding. */
export class VideoCopy implements MediaPath {
  readonly #copier: NalCopier;
  readonly #trackId: number;

  constructor(codec: VideoCodec, trackId: number, extradata: Uint8Array | undefined) {
    this.#copier = new NalCopier(codec, trackId, extradata);
    this.#trackId = trackId;
  }

  push(packet: Packet, times: PacketTimes): Promise<PathOutput[]> {
    const extradata = packet.getSideData(AV_PKT_DATA_NEW_EXTRADATA);
    if (extradata && extradata.length > 0) this.#copier.configure(extradata);
    const frame = this.#copier.copy(packet.data ?? new Uint8Array(), packet.isKeyframe);
    if (!frame) return Promise.resolve(this.#copier.isAwaitingKey ? [{ type: 'awaiting' }] : []);
    const { track, isKey, bytes } = frame;
    const sample = {
      trackId: this.#trackId,
      isKey,
      isDamaged: packet.hasFlags(AV_PKT_FLAG_CORRUPT),
      dts: Math.round(times.dtsSeconds * timescale),
      pts: Math.round(times.ptsSeconds * timescale),
      bytes,
    };
    const output: PathOutput[] = [{ type: 'sample', sample }];
    if (track) output.unshift({ type: 'track', track });
    return Promise.resolve(output);
  }

  close(): void {}
}
