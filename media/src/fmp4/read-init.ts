/** The inverse of `init.ts`: tracks from the ftyp and moov of a file. */
import { ByteReader } from '../bytes.ts';
import { aacTrack } from '../codec/aac.ts';
import { h264TrackOfConfig } from '../codec/avcc.ts';
import { h265TrackOfConfig, withArrayCompleteness } from '../codec/hvcc.ts';
import { opusTrack } from '../codec/opus.ts';
import { MalformedError } from '../malformed.ts';
import type { Track } from '../track.ts';
import { printable, requireBox, walkBoxes } from './box.ts';
import type { Box } from './box.ts';

/** An init segment of this project has about 1500 bytes; longer ones are not read. */
export const MAX_INIT_BYTES = 1 << 20;
const MAX_TRACKS = 16;
const MAX_DESCRIPTIONS = 64;
const VISUAL_ENTRY_BYTES = 78;
const AUDIO_ENTRY_BYTES = 28;

/**
 * The tracks that an initialisation segment declares, in its order; a track with several sample descriptions
 * occurs once for each of them, with the same id.
 * @throws MalformedError if it is truncated, contains no track, or one with a codec that is not supported here
 */
export function parseInit(bytes: Uint8Array): Track[] {
  if (bytes.length > MAX_INIT_BYTES) throw new MalformedError(`init segment of ${bytes.length} bytes`);
  const tracks: Track[] = [];
  const ids = new Set<number>();
  for (const box of walkBoxes(requireBox(bytes, 'moov'))) {
    if (box.type !== 'trak') continue;
    if (ids.size === MAX_TRACKS) throw new MalformedError(`more than ${MAX_TRACKS} tracks`);
    const described = parseTrak(box.body);
    const id = described[0]?.id ?? 0;
    // The next id has to fit its field too (clause 8.2.2).
    if (id === 0 || id === 0xffffffff || ids.has(id)) throw new MalformedError(`track with the id ${id}`);
    ids.add(id);
    tracks.push(...described);
  }
  if (tracks.length === 0) throw new MalformedError('moov without a track');
  return tracks;
}

/**
 * The track that a trak box declares, once for each of its sample descriptions; timescale and times are those of the file.
 * @throws MalformedError if it is truncated, or has a codec that is not supported here
 */
export function parseTrak(trak: Uint8Array): Track[] {
  const id = parseTrackId(requireBox(trak, 'tkhd'));
  const mdia = requireBox(trak, 'mdia');
  const timescale = parseTimescale(requireBox(mdia, 'mdhd'));
  const stbl = requireBox(requireBox(mdia, 'minf'), 'stbl');
  return parseStsd(id, requireBox(stbl, 'stsd')).map((track) => ({ ...track, timescale }));
}

/** Clause 8.3.2. */
function parseTrackId(tkhd: Uint8Array): number {
  const reader = new ByteReader(tkhd);
  const version = reader.u8();
  reader.skip(3 + (version === 1 ? 16 : 8));
  return reader.u32();
}

/** Clause 8.4.2. */
function parseTimescale(mdhd: Uint8Array): number {
  const reader = new ByteReader(mdhd);
  const version = reader.u8();
  reader.skip(3 + (version === 1 ? 16 : 8));
  const timescale = reader.u32();
  if (timescale === 0) throw new MalformedError('timescale 0');
  return timescale;
}

/** Clause 8.5.2. */
function parseStsd(id: number, stsd: Uint8Array): Track[] {
  const reader = new ByteReader(stsd);
  reader.skip(8);
  const tracks: Track[] = [];
  for (const entry of walkBoxes(reader.bytes(reader.remaining))) {
    if (tracks.length === MAX_DESCRIPTIONS) {
      throw new MalformedError(`more than ${MAX_DESCRIPTIONS} sample descriptions`);
    }
    const track = parseSampleEntry(id, entry);
    if (track.codec !== (tracks[0] ?? track).codec) throw new MalformedError('track with several codecs');
    tracks.push(track);
  }
  if (tracks.length === 0) throw new MalformedError('stsd without an entry');
  return tracks;
}

/**
 * The track of one sample entry box, with the timescale that its codec suggests.
 * @throws MalformedError if it is truncated, or has a codec that is not supported here
 */
export function parseSampleEntryBox(id: number, entry: Uint8Array): Track {
  const [box, ...others] = walkBoxes(entry);
  if (!box || others.length > 0) throw new MalformedError('not one sample entry');
  return parseSampleEntry(id, box);
}

function parseSampleEntry(id: number, { type, body }: Box): Track {
  switch (type) {
    case 'avc1':
    case 'avc3':
      return h264TrackOfConfig(id, copyOf(requireBox(entryChildren(body, VISUAL_ENTRY_BYTES), 'avcC')));
    case 'hvc1':
      return h265TrackOfConfig(id, copyOf(requireBox(entryChildren(body, VISUAL_ENTRY_BYTES), 'hvcC')));
    case 'hev1': {
      const hvcC = requireBox(entryChildren(body, VISUAL_ENTRY_BYTES), 'hvcC');
      return h265TrackOfConfig(id, withArrayCompleteness(hvcC, true));
    }
    case 'mp4a':
      return aacTrack(id, copyOf(parseEsds(requireBox(entryChildren(body, AUDIO_ENTRY_BYTES), 'esds'))));
    case 'Opus':
      return opusTrack(id, copyOf(requireBox(entryChildren(body, AUDIO_ENTRY_BYTES), 'dOps')));
    default:
      throw new MalformedError(`sample entry ${printable(type)}`);
  }
}

/** Tracks live long, so one must not keep the buffer alive from which it was read. */
function copyOf(config: Uint8Array): Uint8Array {
  return new Uint8Array(config);
}

/** The boxes after the fixed fields of a sample entry. */
function entryChildren(entry: Uint8Array, fixedBytes: number): Uint8Array {
  if (entry.length < fixedBytes) throw new MalformedError(`sample entry of ${entry.length} bytes`);
  return entry.subarray(fixedBytes);
}

/** The DecoderSpecificInfo inside ES and decoder configuration descriptors: ISO/IEC 14496-1 clause 7.2.6. */
function parseEsds(esds: Uint8Array): Uint8Array {
  const es = descriptor(esds.subarray(4), 0x03);
  const reader = new ByteReader(es);
  reader.skip(2);
  const flags = reader.u8();
  if ((flags & 0x80) !== 0) reader.skip(2);
  if ((flags & 0x40) !== 0) reader.skip(reader.u8());
  if ((flags & 0x20) !== 0) reader.skip(2);
  const decoderConfig = descriptor(reader.bytes(reader.remaining), 0x04);
  const objectType = decoderConfig[0];
  if (objectType !== 0x40) throw new MalformedError(`mp4a with object type ${objectType ?? 'missing'}`);
  return descriptor(decoderConfig.subarray(13), 0x05);
}

/** The body of a descriptor that must have this tag: clause 8.3.3, lengths of one to four bytes. */
function descriptor(bytes: Uint8Array, tag: number): Uint8Array {
  const reader = new ByteReader(bytes);
  const found = reader.u8();
  if (found !== tag) throw new MalformedError(`descriptor ${found} instead of ${tag}`);
  let length = 0;
  for (let i = 0; i < 4; i++) {
    const byte = reader.u8();
    length = length * 128 + (byte & 0x7f);
    if ((byte & 0x80) === 0) break;
  }
  return reader.bytes(length);
}
