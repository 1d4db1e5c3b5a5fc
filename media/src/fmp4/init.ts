/**
 * The initialisation segment of fragmented MP4: ftyp and moov without samples (ISO/IEC 14496-12 clause 8).
 * One function per box, in the order of the standard's tables.
 */
import { ByteWriter } from '../bytes.ts';
import { parseAvcC } from '../codec/avcc.ts';
import { parseH264Sps } from '../codec/h264-sps.ts';
import { parseH265Sps } from '../codec/h265-sps.ts';
import { parseHvcC, withArrayCompleteness } from '../codec/hvcc.ts';
import type { AspectRatio } from '../codec/sar.ts';
import { msToTicks } from '../time.ts';
import type { AudioTrack, Track, VideoTrack } from '../track.ts';
import { writeBox, writeFullBox } from './box.ts';
import { SAMPLE_FLAGS_KEY } from './sample-flags.ts';

/** Milliseconds: the unit of the times in mvhd, tkhd and mehd. */
const MOVIE_TIMESCALE = 1000;
/** The unity matrix of mvhd and tkhd: 16.16 fixed point, but the last column 2.30. */
const UNITY_MATRIX = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];
/** 'und', each letter less 0x60 in five bits: clause 8.4.2.3. */
const LANGUAGE_UNDETERMINED = 0x55c4;
/** 72 dpi as 16.16 fixed point: clause 12.1.3. */
const RESOLUTION_72_DPI = 0x480000;
const COLOUR_DEPTH_24 = 0x18;

export interface InitOptions {
  /** How long the presentation lasts, for files whose length is known before they are sent. */
  readonly durationMs?: number;
  /** By track id: how long after the start of the presentation time 0 of the track lies; 0 for a track left out. */
  readonly startsMs?: ReadonlyMap<number, number>;
}

/** A track with everything that its samples may need, the sample description with index 1 first; not empty. */
type Descriptions = readonly [Track, ...Track[]];

/**
 * The bytes that precede the fragments of these tracks. Track ids, timescales and configurations are taken as given.
 * A track whose parameters change comes once for each configuration, always with the same id: these are its sample
 * descriptions, numbered from 1 in this order.
 * @throws MalformedError when a video configuration holds no readable parameter set; RangeError when the descriptions
 * of a track differ in codec or timescale.
 */
export function initSegment(tracks: readonly Track[], options: InitOptions = {}): Uint8Array {
  const out = new ByteWriter(1024);
  const described = descriptionsById(tracks);
  const firsts = described.map(([first]) => first);
  ftyp(out, tracks);
  writeBox(out, 'moov', () => {
    mvhd(out, firsts, options.durationMs ?? 0);
    for (const descriptions of described) {
      trak(out, descriptions, options.startsMs?.get(descriptions[0].id) ?? 0);
    }
    mvex(out, firsts, options.durationMs);
  });
  return out.finish();
}

function descriptionsById(tracks: readonly Track[]): Descriptions[] {
  const byId = new Map<number, [Track, ...Track[]]>();
  for (const track of tracks) {
    const known = byId.get(track.id);
    if (!known) {
      byId.set(track.id, [track]);
      continue;
    }
    const [first] = known;
    if (first.codec !== track.codec || first.timescale !== track.timescale) {
      throw new RangeError(`track ${track.id} of several codecs or timescales`);
    }
    known.push(track);
  }
  return [...byId.values()];
}

/** Clause 4.3. `iso6` brings signed composition offsets and 64-bit decode times, `cmfc` is CMAF for HLS. */
function ftyp(out: ByteWriter, tracks: readonly Track[]): void {
  writeBox(out, 'ftyp', () => {
    out.ascii('iso6');
    out.u32(1);
    for (const brand of ['iso6', 'mp41', 'cmfc']) out.ascii(brand);
    if (tracks.some((track) => track.codec === 'h264')) out.ascii('avc1');
  });
}

/** Clause 8.2.2. */
function mvhd(out: ByteWriter, tracks: readonly Track[], durationMs: number): void {
  writeFullBox(out, 'mvhd', 1, 0, () => {
    out.u64(0);
    out.u64(0);
    out.u32(MOVIE_TIMESCALE);
    out.u64(msToTicks(durationMs, MOVIE_TIMESCALE));
    out.u32(0x10000);
    out.u16(0x100);
    out.zeros(10);
    for (const value of UNITY_MATRIX) out.u32(value);
    out.zeros(24);
    out.u32(Math.max(0, ...tracks.map((track) => track.id)) + 1);
  });
}

/** Clause 8.3.1. */
function trak(out: ByteWriter, descriptions: Descriptions, startMs: number): void {
  writeBox(out, 'trak', () => {
    // FFmpeg takes its picture's shape from the last description and bends it to this size: they should agree.
    tkhd(out, descriptions.at(-1) ?? descriptions[0]);
    if (startMs > 0) edts(out, startMs);
    mdia(out, descriptions);
  });
}

/** Clauses 8.6.5 and 8.6.6: an empty edit, then all the media; duration 0 goes as far as the fragments do. */
function edts(out: ByteWriter, startMs: number): void {
  writeBox(out, 'edts', () => {
    writeFullBox(out, 'elst', 0, 0, () => {
      out.u32(2);
      out.u32(msToTicks(startMs, MOVIE_TIMESCALE));
      out.i32(-1);
      out.u32(0x10000);
      out.u32(0);
      out.u32(0);
      out.u32(0x10000);
    });
  });
}

/** Clause 8.3.2; flags: enabled and in the movie. */
function tkhd(out: ByteWriter, track: Track): void {
  writeFullBox(out, 'tkhd', 1, 3, () => {
    out.u64(0);
    out.u64(0);
    out.u32(track.id);
    out.u32(0);
    out.u64(0);
    out.zeros(8);
    out.u16(0);
    out.u16(0);
    out.u16(track.kind === 'audio' ? 0x100 : 0);
    out.u16(0);
    for (const value of UNITY_MATRIX) out.u32(value);
    if (track.kind === 'audio') {
      out.zeros(8);
    } else {
      const sar = videoAspectRatio(track);
      // The size to show, 16.16: other than square samples widen or narrow the picture.
      out.u32(Math.min(0xffffffff, Math.round(((track.width * sar.horizontal) / sar.vertical) * 0x10000)));
      out.u32(track.height * 0x10000);
    }
  });
}

/** Clause 8.4.1. */
function mdia(out: ByteWriter, descriptions: Descriptions): void {
  writeBox(out, 'mdia', () => {
    mdhd(out, descriptions[0]);
    hdlr(out, descriptions[0]);
    minf(out, descriptions);
  });
}

/** Clause 8.4.2. */
function mdhd(out: ByteWriter, track: Track): void {
  writeFullBox(out, 'mdhd', 1, 0, () => {
    out.u64(0);
    out.u64(0);
    out.u32(track.timescale);
    out.u64(0);
    out.u16(LANGUAGE_UNDETERMINED);
    out.u16(0);
  });
}

/** Clause 8.4.3. */
function hdlr(out: ByteWriter, track: Track): void {
  writeFullBox(out, 'hdlr', 0, 0, () => {
    out.u32(0);
    out.ascii(track.kind === 'video' ? 'vide' : 'soun');
    out.zeros(12);
    out.ascii(track.kind === 'video' ? 'Video\0' : 'Sound\0');
  });
}

/** Clause 8.4.4. */
function minf(out: ByteWriter, descriptions: Descriptions): void {
  writeBox(out, 'minf', () => {
    if (descriptions[0].kind === 'video') writeFullBox(out, 'vmhd', 0, 1, () => out.zeros(8));
    else writeFullBox(out, 'smhd', 0, 0, () => out.zeros(4));
    dinf(out);
    stbl(out, descriptions);
  });
}

/** Clauses 8.7.1 and 8.7.2; flag 1: the media data are in this very file. */
function dinf(out: ByteWriter): void {
  writeBox(out, 'dinf', () => {
    writeFullBox(out, 'dref', 0, 0, () => {
      out.u32(1);
      writeFullBox(out, 'url ', 0, 1, () => undefined);
    });
  });
}

/** Clause 8.5.1; the tables are empty, for all samples are in fragments. */
function stbl(out: ByteWriter, descriptions: Descriptions): void {
  writeBox(out, 'stbl', () => {
    stsd(out, descriptions);
    writeFullBox(out, 'stts', 0, 0, () => out.u32(0));
    writeFullBox(out, 'stsc', 0, 0, () => out.u32(0));
    writeFullBox(out, 'stsz', 0, 0, () => out.zeros(8));
    writeFullBox(out, 'stco', 0, 0, () => out.u32(0));
  });
}

/** Clause 8.5.2. */
function stsd(out: ByteWriter, descriptions: Descriptions): void {
  writeFullBox(out, 'stsd', 0, 0, () => {
    out.u32(descriptions.length);
    for (const track of descriptions) {
      if (track.kind === 'video') visualSampleEntry(out, track, descriptions.length > 1);
      else audioSampleEntry(out, track);
    }
  });
}

/**
 * Clause 12.1.3, with avcC or hvcC (ISO/IEC 14496-15 clauses 5.4.2 and 8.4.1). 'avc3' and 'hev1' allow parameter sets
 * in the samples too: many readers, FFmpeg among them, learn of a change from there alone.
 */
function visualSampleEntry(out: ByteWriter, track: VideoTrack, hasSetsInSamples: boolean): void {
  const type =
    track.codec === 'h264' ? (hasSetsInSamples ? 'avc3' : 'avc1') : hasSetsInSamples ? 'hev1' : 'hvc1';
  writeBox(out, type, () => {
    out.zeros(6);
    out.u16(1);
    out.zeros(16);
    out.u16(track.width);
    out.u16(track.height);
    out.u32(RESOLUTION_72_DPI);
    out.u32(RESOLUTION_72_DPI);
    out.u32(0);
    out.u16(1);
    out.zeros(32);
    out.u16(COLOUR_DEPTH_24);
    out.u16(0xffff);
    if (track.codec === 'h264') writeBox(out, 'avcC', () => out.bytes(track.config));
    else {
      const config = hasSetsInSamples ? withArrayCompleteness(track.config, false) : track.config;
      writeBox(out, 'hvcC', () => out.bytes(config));
    }
    pasp(out, videoAspectRatio(track));
  });
}

/** Clause 12.1.4; left out for square samples. */
function pasp(out: ByteWriter, sar: AspectRatio): void {
  if (sar.horizontal === sar.vertical) return;
  writeBox(out, 'pasp', () => {
    out.u32(sar.horizontal);
    out.u32(sar.vertical);
  });
}

/** Clause 12.2.3, with esds (ISO/IEC 14496-14 clause 6.7) or dOps ("Opus in ISOBMFF", 4.3.2). */
function audioSampleEntry(out: ByteWriter, track: AudioTrack): void {
  writeBox(out, track.codec === 'aac' ? 'mp4a' : 'Opus', () => {
    out.zeros(6);
    out.u16(1);
    out.zeros(8);
    out.u16(track.channels);
    out.u16(16);
    out.zeros(4);
    // 16.16 fixed point; a rate that does not fit is told by the configuration and by mdhd alone.
    out.u32(track.sampleRate > 0xffff ? 0 : track.sampleRate * 0x10000);
    if (track.codec === 'aac') esds(out, track.config);
    else writeBox(out, 'dOps', () => out.bytes(track.config));
  });
}

/** ISO/IEC 14496-1 clause 7.2.6: ES, decoder configuration, decoder specific info, SL configuration. */
function esds(out: ByteWriter, config: Uint8Array): void {
  const decoderConfigBytes = 13 + 5 + config.length;
  writeFullBox(out, 'esds', 0, 0, () => {
    descriptorHeader(out, 0x03, 3 + 5 + decoderConfigBytes + 5 + 1);
    out.u16(0);
    out.u8(0);
    descriptorHeader(out, 0x04, decoderConfigBytes);
    // MPEG-4 audio; an audio stream, upstream flag 0, reserved 1; buffer size and bit rates unknown.
    out.u8(0x40);
    out.u8(0x15);
    out.zeros(11);
    descriptorHeader(out, 0x05, config.length);
    out.bytes(config);
    descriptorHeader(out, 0x06, 1);
    out.u8(2);
  });
}

/** Tag and length, seven bits a byte: clause 8.3.3. Four bytes always, so that sizes can be told beforehand. */
function descriptorHeader(out: ByteWriter, tag: number, length: number): void {
  out.u8(tag);
  out.u8(0x80 | (length >>> 21));
  out.u8(0x80 | (length >>> 14));
  out.u8(0x80 | (length >>> 7));
  out.u8(length & 0x7f);
}

/** Clause 8.8.1. */
function mvex(out: ByteWriter, tracks: readonly Track[], durationMs: number | undefined): void {
  writeBox(out, 'mvex', () => {
    if (durationMs !== undefined) {
      writeFullBox(out, 'mehd', 1, 0, () => out.u64(msToTicks(durationMs, MOVIE_TIMESCALE)));
    }
    for (const track of tracks) {
      writeFullBox(out, 'trex', 0, 0, () => {
        out.u32(track.id);
        out.u32(1);
        out.u32(0);
        out.u32(0);
        out.u32(track.kind === 'audio' ? SAMPLE_FLAGS_KEY : 0);
      });
    }
  });
}

/** The shape of the samples by the parameter set in force. */
function videoAspectRatio(track: VideoTrack): AspectRatio {
  const [sps] = track.codec === 'h264' ? parseAvcC(track.config).sps : parseHvcC(track.config).sps;
  if (sps === undefined) return { horizontal: 1, vertical: 1 };
  return track.codec === 'h264' ? parseH264Sps(sps).sar : parseH265Sps(sps).sar;
}
