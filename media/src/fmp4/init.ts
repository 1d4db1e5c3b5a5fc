/**
 * The initialisation segment of fragmented MP4: ftyp and moov without samples (ISO/IEC 14496-12 clause 8). One
 * function per box, in the order of the standard's tables; its docstring lists each field that is written, in
 * order, with its width in bits.
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
/** The unity matrix of mvhd and tkhd: 16.16 fixed point, with the last column in 2.30. */
const UNITY_MATRIX = [0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000];
/** 'und', each letter minus 0x60 in five bits: clause 8.4.2.3. */
const LANGUAGE_UNDETERMINED = 0x55c4;
/** 72 dpi as 16.16 fixed point: clause 12.1.3. */
const RESOLUTION_72_DPI = 0x480000;
const COLOUR_DEPTH_24 = 0x18;

export interface InitOptions {
  /** Duration of the presentation, for files whose length is known before they are sent. */
  readonly durationMs?: number;
  /** By track id: how long after the start of the presentation the track's time 0 is; 0 for a missing track. */
  readonly startsMs?: ReadonlyMap<number, number>;
}

/**
 * A track with everything that its samples may need, starting with the sample description with index 1; not
 * empty.
 */
type Descriptions = readonly [Track, ...Track[]];

/**
 * The bytes that precede the fragments of these tracks. Track ids, timescales and configurations are used as
 * given. A track whose parameters change occurs once for each configuration, always with the same id: these are
 * its sample descriptions, numbered from 1 in this order.
 * @throws MalformedError if a video configuration contains no readable parameter set; RangeError if the
 * descriptions of a track differ in codec or timescale
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
      throw new RangeError(`track ${track.id} has several codecs or timescales`);
    }
    known.push(track);
  }
  return [...byId.values()];
}

/**
 * FileTypeBox, clause 4.3. `iso6` brings signed composition offsets and 64-bit decode times, `cmfc` is CMAF for HLS.
 *
 * - major_brand (32): `iso6`
 * - minor_version (32): 1
 * - compatible_brands[] (32 each): `iso6`, `mp41`, `cmfc`, and `avc1` with H.264
 */
function ftyp(out: ByteWriter, tracks: readonly Track[]): void {
  writeBox(out, 'ftyp', () => {
    out.ascii('iso6');
    out.u32(1);
    for (const brand of ['iso6', 'mp41', 'cmfc']) out.ascii(brand);
    if (tracks.some((track) => track.codec === 'h264')) out.ascii('avc1');
  });
}

/**
 * MovieHeaderBox, clause 8.2.2, version 1.
 *
 * - creation_time (64): 0, not known
 * - modification_time (64): 0
 * - timescale (32): units a second of `duration`
 * - duration (64): in that timescale; 0 with fragments of unknown length
 * - rate (32): 1.0 as 16.16, the usual speed
 * - volume (16): 1.0 as 8.8
 * - reserved (80): 0
 * - matrix[9] (288): unity
 * - pre_defined[6] (192): 0
 * - next_track_ID (32): above every track's
 */
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

/**
 * TrackBox, clause 8.3.1: tkhd, edts when the track starts late, mdia.
 */
function trak(out: ByteWriter, descriptions: Descriptions, startMs: number): void {
  writeBox(out, 'trak', () => {
    // FFmpeg takes the aspect ratio from the last description and scales to this size, so they should agree.
    tkhd(out, descriptions.at(-1) ?? descriptions[0]);
    if (startMs > 0) edts(out, startMs);
    mdia(out, descriptions);
  });
}

/**
 * EditBox with an EditListBox, clauses 8.6.5 and 8.6.6, version 0: an empty edit, then all the media.
 *
 * - entry_count (32): 2
 * - segment_duration (32): how late the track starts, in the timescale of mvhd
 * - media_time (32): -1, an empty edit
 * - media_rate (32): 1.0 as 16.16, integer and fraction
 * - segment_duration (32): 0, as far as the fragments go
 * - media_time (32): 0
 * - media_rate (32): 1.0
 */
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

/**
 * TrackHeaderBox, clause 8.3.2, version 1; flags: track_enabled and track_in_movie.
 *
 * - creation_time (64): 0
 * - modification_time (64): 0
 * - track_ID (32)
 * - reserved (32): 0
 * - duration (64): 0: the fragments say it
 * - reserved (64): 0
 * - layer (16): 0
 * - alternate_group (16): 0
 * - volume (16): 1.0 as 8.8 for audio, 0 for video
 * - reserved (16): 0
 * - matrix[9] (288): unity
 * - width (32): to show, 16.16; other than square samples widen or narrow the video; 0 for audio
 * - height (32): the same
 */
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
      out.u32(Math.min(0xffffffff, Math.round(((track.width * sar.horizontal) / sar.vertical) * 0x10000)));
      out.u32(track.height * 0x10000);
    }
  });
}

/**
 * MediaBox, clause 8.4.1: mdhd, hdlr, minf.
 */
function mdia(out: ByteWriter, descriptions: Descriptions): void {
  writeBox(out, 'mdia', () => {
    mdhd(out, descriptions[0]);
    hdlr(out, descriptions[0]);
    minf(out, descriptions);
  });
}

/**
 * MediaHeaderBox, clause 8.4.2, version 1.
 *
 * - creation_time (64): 0
 * - modification_time (64): 0
 * - timescale (32): ticks a second of all decode times and durations of the track
 * - duration (64): 0: the fragments say it
 * - pad and language (16): `und`
 * - pre_defined (16): 0
 */
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

/**
 * HandlerBox, clause 8.4.3.
 *
 * - pre_defined (32): 0
 * - handler_type (32): `vide` or `soun`
 * - reserved[3] (96): 0
 * - name (48): `Video` or `Sound`, ended by 0
 */
function hdlr(out: ByteWriter, track: Track): void {
  writeFullBox(out, 'hdlr', 0, 0, () => {
    out.u32(0);
    out.ascii(track.kind === 'video' ? 'vide' : 'soun');
    out.zeros(12);
    out.ascii(track.kind === 'video' ? 'Video\0' : 'Sound\0');
  });
}

/**
 * MediaInformationBox, clause 8.4.4: vmhd (12.1.2) or smhd (12.2.2), dinf, stbl.
 *
 * Of vmhd, flags 1: graphicsmode (16): 0, copy; opcolor[3] (48): 0.
 * Of smhd: balance (16): 0, centre; reserved (16): 0.
 */
function minf(out: ByteWriter, descriptions: Descriptions): void {
  writeBox(out, 'minf', () => {
    if (descriptions[0].kind === 'video') writeFullBox(out, 'vmhd', 0, 1, () => out.zeros(8));
    else writeFullBox(out, 'smhd', 0, 0, () => out.zeros(4));
    dinf(out);
    stbl(out, descriptions);
  });
}

/**
 * DataInformationBox with a DataReferenceBox, clauses 8.7.1 and 8.7.2.
 *
 * - entry_count (32): 1
 * - data_entry: a DataEntryUrlBox without a location; flag 1: the media data are in the same file
 */
function dinf(out: ByteWriter): void {
  writeBox(out, 'dinf', () => {
    writeFullBox(out, 'dref', 0, 0, () => {
      out.u32(1);
      writeFullBox(out, 'url ', 0, 1, () => undefined);
    });
  });
}

/**
 * SampleTableBox, clause 8.5.1: stsd, and tables without entries, for all samples are in fragments.
 *
 * Of stts (8.6.1.2), stsc (8.7.4) and stco (8.7.5): entry_count (32): 0.
 * Of stsz (8.7.3.2): sample_size (32): 0; sample_count (32): 0.
 */
function stbl(out: ByteWriter, descriptions: Descriptions): void {
  writeBox(out, 'stbl', () => {
    stsd(out, descriptions);
    writeFullBox(out, 'stts', 0, 0, () => out.u32(0));
    writeFullBox(out, 'stsc', 0, 0, () => out.u32(0));
    writeFullBox(out, 'stsz', 0, 0, () => out.zeros(8));
    writeFullBox(out, 'stco', 0, 0, () => out.u32(0));
  });
}

/**
 * SampleDescriptionBox, clause 8.5.2.
 *
 * - entry_count (32)
 * - a sample entry for each description
 */
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
 * VisualSampleEntry, clause 12.1.3, with avcC or hvcC (ISO/IEC 14496-15 clauses 5.4.2 and 8.4.1). 'avc3' and 'hev1' allow
 * parameter sets in the samples too: many readers, including FFmpeg, notice a change only there.
 *
 * - reserved[6] (48): 0
 * - data_reference_index (16): 1, the entry of dref
 * - pre_defined (16), reserved (16), pre_defined[3] (96): 0
 * - width (16), height (16): coded, in samples
 * - horizresolution (32), vertresolution (32): 72 dpi as 16.16
 * - reserved (32): 0
 * - frame_count (16): 1 in each sample
 * - compressorname[32] (256): empty
 * - depth (16): colour without alpha
 * - pre_defined (16): -1
 * - configuration: avcC or hvcC, the track's own bytes
 * - pasp: left out for square samples
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

/**
 * PixelAspectRatioBox, clause 12.1.4; left out for square samples.
 *
 * - hSpacing (32)
 * - vSpacing (32)
 */
function pasp(out: ByteWriter, sar: AspectRatio): void {
  if (sar.horizontal === sar.vertical) return;
  writeBox(out, 'pasp', () => {
    out.u32(sar.horizontal);
    out.u32(sar.vertical);
  });
}

/**
 * AudioSampleEntry, clause 12.2.3, with esds (ISO/IEC 14496-14 clause 6.7) or dOps ("Opus in ISOBMFF", 4.3.2).
 *
 * - reserved[6] (48): 0
 * - data_reference_index (16): 1, the entry of dref
 * - reserved[2] (64): 0
 * - channelcount (16)
 * - samplesize (16): 16 bits
 * - pre_defined (16), reserved (16): 0
 * - samplerate (32): Hz as 16.16; 0 for one that does not fit, which the configuration and mdhd hold alone
 * - configuration: esds or dOps
 */
function audioSampleEntry(out: ByteWriter, track: AudioTrack): void {
  writeBox(out, track.codec === 'aac' ? 'mp4a' : 'Opus', () => {
    out.zeros(6);
    out.u16(1);
    out.zeros(8);
    out.u16(track.channels);
    out.u16(16);
    out.zeros(4);
    out.u32(track.sampleRate > 0xffff ? 0 : track.sampleRate * 0x10000);
    if (track.codec === 'aac') esds(out, track.config);
    else writeBox(out, 'dOps', () => out.bytes(track.config));
  });
}

/**
 * ESDBox with an ES_Descriptor, ISO/IEC 14496-1 clause 7.2.6: DecoderConfigDescriptor, DecoderSpecificInfo, SLConfigDescriptor.
 *
 * - ES_ID (16): 0
 * - streamDependenceFlag, URL_Flag, OCRstreamFlag and streamPriority (8): 0
 * - objectTypeIndication (8): 0x40, MPEG-4 audio
 * - streamType, upStream and reserved (8): 5, audio; 0; 1
 * - bufferSizeDB (24), maxBitrate (32), avgBitrate (32): 0, not known
 * - DecoderSpecificInfo: AudioSpecificConfig, the track's own bytes
 * - predefined of SLConfigDescriptor (8): 2, as MP4 wants it
 */
function esds(out: ByteWriter, config: Uint8Array): void {
  const decoderConfigBytes = 13 + 5 + config.length;
  writeFullBox(out, 'esds', 0, 0, () => {
    descriptorHeader(out, 0x03, 3 + 5 + decoderConfigBytes + 5 + 1);
    out.u16(0);
    out.u8(0);
    descriptorHeader(out, 0x04, decoderConfigBytes);
    out.u8(0x40);
    out.u8(0x15);
    out.zeros(11);
    descriptorHeader(out, 0x05, config.length);
    out.bytes(config);
    descriptorHeader(out, 0x06, 1);
    out.u8(2);
  });
}

/**
 * Header of a descriptor, ISO/IEC 14496-1 clause 8.3.3: tag (8), then sizeOfInstance, seven bits per byte with
 * a continuation flag. Always four bytes, so that sizes are known in advance.
 */
function descriptorHeader(out: ByteWriter, tag: number, length: number): void {
  out.u8(tag);
  out.u8(0x80 | (length >>> 21));
  out.u8(0x80 | (length >>> 14));
  out.u8(0x80 | (length >>> 7));
  out.u8(length & 0x7f);
}

/**
 * MovieExtendsBox, clause 8.8.1, with MovieExtendsHeaderBox (8.8.2) when the length is known, and TrackExtendsBox (8.8.3).
 *
 * Of mehd, version 1: fragment_duration (64): in the timescale of mvhd.
 * Of trex:
 * - track_ID (32)
 * - default_sample_description_index (32): 1
 * - default_sample_duration (32): 0, each sample has its own
 * - default_sample_size (32): 0, each sample has its own
 * - default_sample_flags (32): a key for audio; of video each fragment says it
 */
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

/** The dimensions of the samples according to the active parameter set. */
function videoAspectRatio(track: VideoTrack): AspectRatio {
  const [sps] = track.codec === 'h264' ? parseAvcC(track.config).sps : parseHvcC(track.config).sps;
  if (sps === undefined) return { horizontal: 1, vertical: 1 };
  return track.codec === 'h264' ? parseH264Sps(sps).sar : parseH265Sps(sps).sar;
}
