// Every parser of bytes is run on every file of the corpus, and on mutations of them by fast-check.
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { clipBytes } from '../../fixtures/clip.ts';
import { aacCodecString, parseAacConfig } from '../codec/aac.ts';
import { parseAdtsFrame } from '../codec/adts.ts';
import { avcCodecString, parseAvcC } from '../codec/avcc.ts';
import { parseH264Sps } from '../codec/h264-sps.ts';
import { parseH265Sps } from '../codec/h265-sps.ts';
import { hevcCodecString, parseHvcC } from '../codec/hvcc.ts';
import { annexBToNals, removeEmulationPrevention, sampleNals } from '../codec/nal.ts';
import { opusPacketSamples, parseDops } from '../codec/opus.ts';
import { MalformedError } from '../malformed.ts';
import { readBoxHeader, walkBoxes } from './box.ts';
import { initSegment } from './init.ts';
import { keyFragment } from './key-fragment.ts';
import { moofAndMdatHeader } from './moof.ts';
import { parseInit } from './read-init.ts';
import { parseFragmentHeader } from './read-moof.ts';
import { rebaseFragment } from './rebase.ts';
import { SAMPLE_FLAGS_KEY } from './sample-flags.ts';
import { scanSegment } from './scan.ts';
import { subsetFragment } from './subset.ts';

/** The first track with another id and description, with parameter sets in front. */
const elsewhere = new Map([[1, { trackId: 3, descriptionIndex: 2, parameterSets: new Uint8Array(8) }]]);

const wholeSubset = { sequence: 1, timeOffsetTicks: new Map(), keep: new Map() };
const lastSampleElsewhere = {
  ...wholeSubset,
  keep: new Map([[1, { from: 1, to: 1 << 20 }]]),
  layouts: elsewhere,
};

const PARSERS: readonly ((bytes: Uint8Array) => unknown)[] = [
  readBoxHeader,
  (bytes) => [...walkBoxes(bytes)],
  parseInit,
  parseFragmentHeader,
  // Everything that can be read can be written again, completely or partly.
  (bytes) => initSegment(parseInit(bytes)),
  (bytes) => keyFragment(bytes, 1),
  (bytes) => subsetFragment(parseFragmentHeader(bytes), wholeSubset),
  (bytes) => subsetFragment(parseFragmentHeader(bytes), lastSampleElsewhere),
  (bytes) => rebaseFragment(bytes, bytes.length, { sequence: 1, timeOffsetTicks: new Map() }),
  (bytes) =>
    rebaseFragment(bytes, bytes.length, { sequence: 1, timeOffsetTicks: new Map(), layouts: elsewhere }),
  annexBToNals,
  (bytes) => sampleNals([bytes]),
  removeEmulationPrevention,
  parseH264Sps,
  parseH265Sps,
  parseAvcC,
  avcCodecString,
  parseHvcC,
  hevcCodecString,
  parseAacConfig,
  aacCodecString,
  parseAdtsFrame,
  parseDops,
  opusPacketSamples,
];

async function feedAll(bytes: Uint8Array): Promise<void> {
  for (const parse of PARSERS) {
    try {
      parse(bytes);
    } catch (error) {
      assert.ok(error instanceof MalformedError, String(error));
    }
  }
  const scan = await scanSegment((offset, length) => bytes.subarray(offset, offset + length), bytes.length);
  assert.ok(scan.wholeSize <= bytes.length);
}

const corpus = readdirSync(new URL('../../fixtures/fuzz', import.meta.url)).map((name) => `fuzz/${name}`);
const clips = ['h264-b-pyramid.mp4', 'h265-no-b.mp4', 'aac.mp4', 'opus.mp4'];

for (const name of corpus) {
  test(`parsers accept or reject: ${name}`, () => feedAll(clipBytes(name)));
}

test('parsers accept or reject damaged versions of good and bad files', async () => {
  const edits = fc.array(fc.tuple(fc.nat(), fc.constantFrom(0, 1, 0x7f, 0x80, 0xff)), { maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...corpus, ...clips), edits, fc.nat(), async (name, changes, cut) => {
      const bytes = clipBytes(name);
      // Parsers read headers, so the damage is within the first 1500 bytes.
      for (const [at, value] of changes)
        if (bytes.length > 0) bytes[at % Math.min(bytes.length, 1500)] = value;
      await feedAll(bytes.subarray(0, bytes.length - (cut % (bytes.length + 1))));
    }),
    { numRuns: 300 },
  );
});

test('numbers that cannot be written to a box are rejected when they are read', () => {
  const sample = { duration: 5, size: 6, flags: SAMPLE_FLAGS_KEY, compositionOffset: 0 };
  const written = moofAndMdatHeader(1, [{ trackId: 1, baseDts: 10, samples: [sample] }]);
  /** A moof in which a 32-bit number is overwritten, `offset` bytes after the name of a box in it. */
  const moofWith = (type: string, offset: number, value: number): Uint8Array => {
    const moof = written.slice(0, -8);
    new DataView(moof.buffer).setUint32(Buffer.from(moof).indexOf(type) + offset, value);
    return moof;
  };
  assert.ok(parseFragmentHeader(moofWith('mfhd', 8, 7)));
  for (const [what, moof] of [
    ['a sample without duration', moofWith('trun', 16, 0)],
    ['a sample of 4 GB', moofWith('trun', 20, 0xffffffff)],
    ['data before the fragment', moofWith('trun', 12, 0x80000000)],
    ['data inside the moof', moofWith('trun', 12, 8)],
    ['a time after the year 3500', moofWith('tfdt', 8, 0x00200000)],
  ] as const) {
    assert.throws(() => parseFragmentHeader(moof), MalformedError, what);
  }
  const bytes = clipBytes('h264-b-pyramid.mp4');
  const init = bytes.slice(0, Buffer.from(bytes).indexOf('moof') - 4);
  const idAt = Buffer.from(init).indexOf('tkhd') + 16;
  assert.equal(parseInit(init)[0]?.id, 1);
  for (const id of [0, 0xffffffff]) {
    new DataView(init.buffer).setUint32(idAt, id);
    assert.throws(() => parseInit(init), MalformedError, String(id));
  }
});
