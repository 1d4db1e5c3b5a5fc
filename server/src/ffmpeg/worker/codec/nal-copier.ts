import { h264Track, parseAvcC } from '@vidette/media/codec/avcc';
import { H264_NAL, h264NalType, isH264Key, isH264Slice } from '@vidette/media/codec/h264';
import { H265_NAL, h265NalType, isH265Key, isH265Slice } from '@vidette/media/codec/h265';
import { h265Track, parseHvcC } from '@vidette/media/codec/hvcc';
import { annexBToNals } from '@vidette/media/codec/nal';
import { MalformedError } from '@vidette/media/malformed';
import type { VideoCodec, VideoTrack } from '@vidette/media/track';
import { joinWithLengths } from './length-prefix.ts';

export interface CopiedFrame {
  /** Present if this frame begins with new parameters. */
  readonly track: VideoTrack | undefined;
  readonly isKey: boolean;
  readonly bytes: Uint8Array;
}

/** Parameter sets by type, in the order of the record: VPS (H.265 only), SPS, PPS. */
type CopiedParameterSets = readonly [
  vps: readonly Uint8Array[],
  sps: readonly Uint8Array[],
  pps: readonly Uint8Array[],
];

/**
 * Converts coded frames of any framing to the stored form: NAL units with 4-byte lengths, parameter sets
 * out of band. Sets received in band are compared with the current ones; different ones begin a new track at
 * their frame.
 */
export class NalCopier {
  readonly #codec: VideoCodec;
  readonly #trackId: number;
  /** Bytes of a NAL length, or 0 when units are separated by start codes. */
  #lengthBytes = 0;
  #sets: CopiedParameterSets = [[], [], []];
  #hasTrack = false;
  /** The last frame was valid, but came before a key frame with its parameters. */
  isAwaitingKey = false;

  /** `extradata`: avcC, hvcC, Annex B or nothing, as the container provides it. */
  constructor(codec: VideoCodec, trackId: number, extradata: Uint8Array | undefined) {
    this.#codec = codec;
    this.#trackId = trackId;
    if (extradata && extradata.length > 0) this.configure(extradata);
  }

  /** Sets out-of-band parameters; they apply from the next frame. */
  configure(extradata: Uint8Array): void {
    this.#hasTrack = false;
    if (extradata[0] !== 1) {
      this.#sets = this.#collect(annexBToNals(extradata)) ?? this.#sets;
      return;
    }
    const at = this.#codec === 'h264' ? 4 : 21;
    this.#lengthBytes = ((extradata[at] ?? 3) & 3) + 1;
    // The parsers support only records with 4-byte lengths, which is the output form.
    const record = Uint8Array.from(extradata);
    record[at] = (record[at] ?? 0) | 3;
    if (this.#codec === 'h264') {
      const { sps, pps } = parseAvcC(record);
      this.#sets = [[], sps, pps];
    } else {
      const { vps, sps, pps } = parseHvcC(record);
      this.#sets = [vps, sps, pps];
    }
  }

  /**
   * Converts one frame; undefined while its parameters are unknown or if it has no slice.
   * @throws MalformedError if its framing is broken
   */
  copy(packet: Uint8Array, isMarkedKey: boolean): CopiedFrame | undefined {
    this.isAwaitingKey = false;
    const nals = this.#split(packet);
    const sets = this.#collect(nals);
    if (sets && !equalSets(sets, this.#sets)) {
      this.#sets = sets;
      this.#hasTrack = false;
    }
    const isH264 = this.#codec === 'h264';
    const kept = nals.filter((nal) => (isH264 ? isKeptH264(nal) : isKeptH265(nal)));
    if (!kept.some((nal) => (isH264 ? isH264Slice(nal) : isH265Slice(nal)))) return undefined;
    // Broadcasts begin GOPs with a recovery point instead of an IDR picture; the demuxer marks those.
    const isKey = isMarkedKey || (isH264 ? isH264Key(nals) : isH265Key(nals));
    const track = this.#hasTrack || !isKey ? undefined : this.#makeTrack();
    if (track) this.#hasTrack = true;
    else if (!this.#hasTrack) {
      this.isAwaitingKey = true;
      return undefined;
    }
    return { track, isKey, bytes: joinWithLengths(kept) };
  }

  #makeTrack(): VideoTrack | undefined {
    const [vps, sps, pps] = this.#sets;
    if (sps.length === 0 || pps.length === 0) return undefined;
    if (this.#codec === 'h264') return h264Track(this.#trackId, sps, pps);
    return vps.length === 0 ? undefined : h265Track(this.#trackId, vps, sps, pps);
  }

  #split(packet: Uint8Array): Uint8Array[] {
    return this.#lengthBytes === 0 ? annexBToNals(packet) : splitByLength(packet, this.#lengthBytes);
  }

  /** The parameter sets among these units; missing types stay unchanged. Undefined if there are none. */
  #collect(nals: readonly Uint8Array[]): CopiedParameterSets | undefined {
    const found: [Uint8Array[], Uint8Array[], Uint8Array[]] = [[], [], []];
    for (const nal of nals) {
      const kind = this.#codec === 'h264' ? h264SetKind(nal) : h265SetKind(nal);
      if (kind !== undefined) found[kind].push(Uint8Array.from(nal));
    }
    if (found.every((sets) => sets.length === 0)) return undefined;
    const [vps, sps, pps] = this.#sets;
    return [
      found[0].length > 0 ? found[0] : vps,
      found[1].length > 0 ? found[1] : sps,
      found[2].length > 0 ? found[2] : pps,
    ];
  }
}

function splitByLength(packet: Uint8Array, lengthBytes: number): Uint8Array[] {
  const nals: Uint8Array[] = [];
  let at = 0;
  while (at < packet.length) {
    if (at + lengthBytes > packet.length) throw new MalformedError('NAL length truncated');
    let length = 0;
    for (let index = 0; index < lengthBytes; index++) length = length * 256 + (packet[at + index] ?? 0);
    at += lengthBytes;
    if (length > packet.length - at) throw new MalformedError(`NAL unit of ${length} bytes truncated`);
    if (length > 0) nals.push(packet.subarray(at, at + length));
    at += length;
  }
  return nals;
}

function h264SetKind(nal: Uint8Array): 1 | 2 | undefined {
  const type = h264NalType(nal);
  return type === H264_NAL.sps ? 1 : type === H264_NAL.pps ? 2 : undefined;
}

function h265SetKind(nal: Uint8Array): 0 | 1 | 2 | undefined {
  const type = h265NalType(nal);
  if (type === H265_NAL.vps) return 0;
  return type === H265_NAL.sps ? 1 : type === H265_NAL.pps ? 2 : undefined;
}

/** Delimiters and filler are of no use in MP4; parameter sets are in the track. */
function isKeptH264(nal: Uint8Array): boolean {
  const type = h264NalType(nal);
  return isH264Slice(nal) || type === H264_NAL.sei;
}

function isKeptH265(nal: Uint8Array): boolean {
  const type = h265NalType(nal);
  return isH265Slice(nal) || type === 39 || type === 40;
}

function equalSets(a: CopiedParameterSets, b: CopiedParameterSets): boolean {
  return a.every((sets, kind) => {
    const others = b[kind] ?? [];
    return (
      sets.length === others.length &&
      sets.every((set, index) => Buffer.compare(set, others[index] ?? set) === 0)
    );
  });
}
