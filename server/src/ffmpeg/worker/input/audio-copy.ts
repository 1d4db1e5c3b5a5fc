import type { Packet } from 'node-av/lib';
import { AV_PKT_FLAG_CORRUPT } from 'node-av/constants';
import { aacTrack } from '@vidette/media/codec/aac';
import { parseAdtsFrame } from '@vidette/media/codec/adts';
import { buildDops, opusTrack } from '@vidette/media/codec/opus';
import type { AudioTrack } from '@vidette/media/track';
import type { MediaPath, PacketTimes, PathOutput } from '../codec/media-path.ts';

/** Extracts the coded frame of a packet, with parameters when they have changed. */
type Unpack = (bytes: Uint8Array) => { readonly frame: Uint8Array; readonly track: AudioTrack | undefined };

/** AAC (raw or in ADTS) and Opus, without transcoding. */
export class AudioCopy implements MediaPath {
  readonly #unpack: Unpack;
  #track: AudioTrack | undefined;

  constructor(unpack: Unpack) {
    this.#unpack = unpack;
  }

  push(packet: Packet, times: PacketTimes): Promise<PathOutput[]> {
    const { frame, track } = this.#unpack(Uint8Array.from(packet.data ?? []));
    this.#track = track ?? this.#track;
    if (!this.#track || frame.length === 0) return Promise.resolve([]);
    const ticks = Math.round(times.ptsSeconds * this.#track.timescale);
    const sample = {
      trackId: this.#track.id,
      isKey: true,
      isDamaged: packet.hasFlags(AV_PKT_FLAG_CORRUPT),
      dts: ticks,
      pts: ticks,
      bytes: frame,
    };
    const output: PathOutput[] = [{ type: 'sample', sample }];
    if (track) output.unshift({ type: 'track', track });
    return Promise.resolve(output);
  }

  close(): void {}
}

/** AAC whose container has an AudioSpecificConfig, or whose frames carry ADTS headers. */
export function aacCopy(trackId: number, config: Uint8Array | undefined): AudioCopy {
  if (config && config.length > 0)
    return new AudioCopy(firstTime(aacTrack(trackId, Uint8Array.from(config))));
  let known: Uint8Array | undefined;
  return new AudioCopy((bytes) => {
    const adts = parseAdtsFrame(bytes);
    if (!adts) return { frame: new Uint8Array(), track: undefined };
    const isSame = known !== undefined && Buffer.compare(known, adts.config) === 0;
    known = adts.config;
    return { frame: adts.data, track: isSame ? undefined : aacTrack(trackId, adts.config) };
  });
}

/** `head`: OpusHead (RFC 7845, 5.1), channel mapping family 0. Undefined for another one. */
export function opusCopy(trackId: number, head: Buffer | undefined): AudioCopy | undefined {
  if (!head || head.length < 19 || head.toString('latin1', 0, 8) !== 'OpusHead' || head[18] !== 0)
    return undefined;
  const dops = buildDops(head[9] ?? 2, head.readUInt32LE(12), head.readUInt16LE(10));
  return new AudioCopy(firstTime(opusTrack(trackId, dops)));
}

function firstTime(track: AudioTrack): Unpack {
  let pending: AudioTrack | undefined = track;
  return (frame) => {
    const now = pending;
    pending = undefined;
    return { frame, track: now };
  };
}
