import { BitReader } from '@vidette/media/bits';
import { h264Track } from '@vidette/media/codec/avcc';
import { DecodeTimes } from '@vidette/media/codec/decode-times';
import { H264_NAL } from '@vidette/media/codec/h264';
import { H265_NAL } from '@vidette/media/codec/h265';
import { h265Track } from '@vidette/media/codec/hvcc';
import { MalformedError } from '@vidette/media/malformed';
import { firstSliceOf, type AccessUnit } from '@vidette/media/rtp/access-unit';
import { h264Rules } from '@vidette/media/rtp/h264';
import { h265Rules } from '@vidette/media/rtp/h265';
import { NalDepacketizer } from '@vidette/media/rtp/nal-depacketizer';
import type { RtpPacket } from '@vidette/media/rtp/packet';
import type { ParameterSets } from '@vidette/media/rtp/parameter-sets';
import { sampleOf } from '@vidette/media/placed-sample';
import type { MediaFormat } from '@vidette/media/sdp/session-description';
import type { VideoTrack } from '@vidette/media/track';
import type { Sample } from '@vidette/media/sample';
import type { TrackDeclarer } from '@vidette/media/track-declarer';
import type { PayloadDepacketizer } from './payload-type-switch.ts';
import type { RtpReceiver } from './rtp-receiver.ts';

export interface VideoDepacketizerOptions {
  readonly trackId: number;
  readonly encoding: string;
  readonly format: MediaFormat;
  readonly receiver: RtpReceiver;
  readonly declarer: TrackDeclarer<Sample>;
  /** Shared by the payload types of a track, because its decode times increase across them. */
  readonly shared: SharedDecodeTimes;
  readonly note: (message: string) => void;
}

/** The decode times of a track; undefined before its first parameters. */
export interface SharedDecodeTimes {
  times: DecodeTimes | undefined;
}

const maxSpropLength = 64 * 1024;
/**
 * With this much credit the payloads count as frames; each that looks like one adds 1, each that doesn't
 * subtracts more.
 */
const credible = 8;
const penalty = 8;
const maxCredit = 20;

/**
 * H.264 and H.265 video. Parameter sets may be in the session description, in the stream, or both; those in the
 * stream take precedence, and when they change a new track begins at the next key frame.
 */
export class VideoDepacketizer implements PayloadDepacketizer {
  readonly #options: VideoDepacketizerOptions;
  readonly #depacketizer: NalDepacketizer;
  #track: VideoTrack | undefined;
  #trackVersion = -1;
  /** How much the data before the parameters looks like frames of this codec, 0 to `maxCredit`. */
  #credit = credible;

  constructor(options: VideoDepacketizerOptions) {
    this.#options = options;
    this.#depacketizer = videoDepacketizer(options.encoding, options.format, (unit) => this.#onUnit(unit));
  }

  get malformedPayloads(): number {
    return this.#depacketizer.malformedPayloads;
  }

  push(packet: RtpPacket, lost: number): void {
    this.#depacketizer.push(packet, lost);
  }

  resume(): void {
    // The other depacketizer may have found no video in what it read.
    if (this.#options.declarer.isVideo(this.#track)) return;
    this.#track = undefined;
    this.#trackVersion = -1;
  }

  close(): void {}

  #onUnit(unit: AccessUnit): void {
    const { receiver, declarer } = this.#options;
    if (!this.#track) this.#judge(unit);
    const isCredible = this.#track !== undefined || this.#credit >= credible;
    if (unit.isKey && isCredible && this.#depacketizer.parameters.version !== this.#trackVersion)
      this.#renewTrack();
    const track = this.#track;
    const { times } = this.#options.shared;
    if (!track || !times) {
      if (isCredible) declarer.awaitVideo(receiver.arrivalMs);
      return;
    }
    const mapped = receiver.timing.map(receiver.unwrap(unit.timestamp), receiver.arrivalMs);
    const { dts, pts } = times.stamp(mapped, times.readsPictures ? [firstSliceOf(unit)] : []);
    const { isKey, isDamaged, size, bytes } = unit;
    const sample = sampleOf({ trackId: track.id, dts, pts, isKey, isDamaged, size }, bytes);
    declarer.video(sample, receiver.arrivalMs);
  }

  /** Decides whether the data is this codec at all, which a camera's payload type does not prove. */
  #judge(unit: AccessUnit): void {
    const { isKey, isDamaged } = unit;
    if (isDamaged) return;
    const firstSlice = firstSliceOf(unit);
    const isH264 = this.#options.encoding === 'h264';
    const isPlausible = isH264 ? opensH264Picture(firstSlice, isKey) : opensH265Picture(firstSlice);
    this.#credit = Math.min(maxCredit, Math.max(0, this.#credit + (isPlausible ? 1 : -penalty)));
  }

  #renewTrack(): void {
    const { parameters } = this.#depacketizer;
    this.#trackVersion = parameters.version;
    const track = buildTrack(this.#options.encoding, this.#options.trackId, parameters, this.#options.note);
    if (!track || (this.#track && isSameConfig(this.#track, track))) return;
    if (this.#track) this.#options.note('The camera changed the parameters of its video.');
    this.#track = track;
    const { shared } = this.#options;
    if (shared.times) shared.times.setTrack(track);
    else shared.times = new DecodeTimes(track);
    this.#options.declarer.setTrack(track);
  }
}

/** first_mb_in_slice is 0 and slice_type one of ten, of a key frame that of an I slice (ITU-T H.264, 7.3.3 and 7.4.3). */
function opensH264Picture(nal: Uint8Array, isKey: boolean): boolean {
  const bits = new BitReader(nal.subarray(0, 16));
  try {
    if (bits.flag()) return false;
    bits.skip(7);
    if (bits.ue() !== 0) return false;
    const type = bits.ue();
    return isKey ? type === 2 || type === 7 : type <= 9;
  } catch (error) {
    if (!(error instanceof MalformedError || error instanceof RangeError)) throw error;
    return false;
  }
}

/** A valid NAL header of the base layer and first_slice_segment_in_pic_flag (ITU-T H.265, 7.3.1.2 and 7.3.6.1). */
function opensH265Picture(nal: Uint8Array): boolean {
  const [first = 0xff, second = 0, third = 0] = nal;
  return (first & 0x81) === 0 && second >>> 3 === 0 && (second & 7) > 0 && third >= 0x80;
}

function videoDepacketizer(
  encoding: string,
  { parameters }: MediaFormat,
  onUnit: (unit: AccessUnit) => void,
): NalDepacketizer {
  const isH264 = encoding === 'h264';
  const usesOrderNumbers = Number(parameters.get('sprop-max-don-diff') ?? 0) > 0;
  const depacketizer = new NalDepacketizer(isH264 ? h264Rules : h265Rules(usesOrderNumbers), onUnit);
  const names = isH264 ? ['sprop-parameter-sets'] : ['sprop-vps', 'sprop-sps', 'sprop-pps'];
  for (const name of names) {
    const value = parameters.get(name) ?? '';
    if (value.length > maxSpropLength) continue;
    for (const part of value.split(',')) {
      const nal = Buffer.from(part, 'base64');
      if (nal.length > 0) depacketizer.addParameterSets(nal);
    }
  }
  return depacketizer;
}

function buildTrack(
  encoding: string,
  trackId: number,
  parameters: ParameterSets,
  note: (message: string) => void,
): VideoTrack | undefined {
  try {
    if (encoding === 'h264') {
      const sps = parameters.ofKind(H264_NAL.sps);
      const pps = parameters.ofKind(H264_NAL.pps);
      return sps.length > 0 && pps.length > 0 ? h264Track(trackId, sps, pps) : undefined;
    }
    const vps = parameters.ofKind(H265_NAL.vps);
    const sps = parameters.ofKind(H265_NAL.sps);
    const pps = parameters.ofKind(H265_NAL.pps);
    return vps.length > 0 && sps.length > 0 && pps.length > 0 ? h265Track(trackId, vps, sps, pps) : undefined;
  } catch (error) {
    if (!(error instanceof MalformedError || error instanceof RangeError)) throw error;
    note(`The parameters of the video are invalid: ${error.message}.`);
    return undefined;
  }
}

function isSameConfig(a: VideoTrack, b: VideoTrack): boolean {
  return Buffer.compare(a.config, b.config) === 0;
}
