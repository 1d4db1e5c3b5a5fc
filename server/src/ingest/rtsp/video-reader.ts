import { h264Track } from '@vidette/media/codec/avcc';
import { DecodeTimes } from '@vidette/media/codec/decode-times';
import { H264_NAL } from '@vidette/media/codec/h264';
import { H265_NAL } from '@vidette/media/codec/h265';
import { h265Track } from '@vidette/media/codec/hvcc';
import { MalformedError } from '@vidette/media/malformed';
import type { AccessUnit } from '@vidette/media/rtp/access-unit';
import { h264Rules } from '@vidette/media/rtp/h264';
import { h265Rules } from '@vidette/media/rtp/h265';
import { NalDepacketizer } from '@vidette/media/rtp/nal-depacketizer';
import type { RtpPacket } from '@vidette/media/rtp/packet';
import type { ParameterSets } from '@vidette/media/rtp/parameter-sets';
import type { MediaFormat } from '@vidette/media/sdp/session-description';
import type { VideoTrack } from '@vidette/media/track';
import type { PayloadReader, Receiver } from './receiver.ts';
import type { TrackGate } from './track-gate.ts';

export interface VideoReaderOptions {
  readonly trackId: number;
  readonly encoding: string;
  readonly format: MediaFormat;
  readonly receiver: Receiver;
  readonly gate: TrackGate;
  readonly note: (message: string) => void;
}

const maxSpropLength = 64 * 1024;

/**
 * Pictures of H.264 and H.265. Parameter sets may come with the description, in the stream, or both; those of the
 * stream count, and when they change a new track begins at the next key frame.
 */
export class VideoReader implements PayloadReader {
  readonly #options: VideoReaderOptions;
  readonly #depacketizer: NalDepacketizer;
  #track: VideoTrack | undefined;
  #trackVersion = -1;
  #times: DecodeTimes | undefined;

  constructor(options: VideoReaderOptions) {
    this.#options = options;
    this.#depacketizer = videoDepacketizer(options.encoding, options.format, (unit) => this.#onUnit(unit));
  }

  get malformedPayloads(): number {
    return this.#depacketizer.malformedPayloads;
  }

  push(packet: RtpPacket, lost: number): void {
    this.#options.gate.noteVideo();
    this.#depacketizer.push(packet, lost);
  }

  close(): void {}

  #onUnit(unit: AccessUnit): void {
    if (unit.isKey && this.#depacketizer.parameters.version !== this.#trackVersion) this.#renewTrack();
    const track = this.#track;
    if (!track || !this.#times) return;
    const { receiver, gate } = this.#options;
    const mapped = receiver.timing.map(receiver.unwrap(unit.timestamp), receiver.arrivalMs);
    const { dts, pts } = this.#times.stamp(mapped, [unit.firstSlice]);
    const { isKey, isDamaged, data, size } = unit;
    gate.video({ trackId: track.id, dts, pts, isKey, isDamaged, data, size }, receiver.arrivalMs);
  }

  #renewTrack(): void {
    const { parameters } = this.#depacketizer;
    this.#trackVersion = parameters.version;
    const track = buildTrack(this.#options.encoding, this.#options.trackId, parameters, this.#options.note);
    if (!track || (this.#track && isSameConfig(this.#track, track))) return;
    if (this.#track) this.#options.note('The camera changed the parameters of its picture.');
    this.#track = track;
    if (this.#times) this.#times.setTrack(track);
    else this.#times = new DecodeTimes(track);
    this.#options.gate.setVideo(track);
  }
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
    note(`The parameters of the picture make no sense: ${error.message}.`);
    return undefined;
  }
}

function isSameConfig(a: VideoTrack, b: VideoTrack): boolean {
  return Buffer.compare(a.config, b.config) === 0;
}
