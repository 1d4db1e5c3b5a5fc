import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readClip } from '../../fixtures/clip.ts';
import { MalformedError } from '../malformed.ts';
import { AAC_SAMPLE_RATES, aacCodecString, aacTrack, buildAacConfig, parseAacConfig } from './aac.ts';
import { parseAdtsFrame } from './adts.ts';
import { buildDops, opusPacketSamples, opusTrack, parseDops } from './opus.ts';

const hex = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'hex'));

test('an AAC-LC configuration is read back for every rate and channel count', () => {
  for (const rate of [...AAC_SAMPLE_RATES, 12345]) {
    for (const channels of [1, 2, 3, 4, 5, 6, 8]) {
      const parsed = parseAacConfig(buildAacConfig(rate, channels));
      assert.deepEqual(parsed, {
        objectType: 2,
        coreSampleRate: rate,
        sampleRate: rate,
        channels,
        hasSbr: false,
        hasPs: false,
        frameSamples: 1024,
      });
    }
  }
  assert.deepEqual(buildAacConfig(44100, 2), hex('1210'));
  assert.throws(() => buildAacConfig(44100, 7), RangeError);
});

test('SBR and PS are read wherever they are signalled: before and after the core configuration', () => {
  // ISO/IEC 14496-3 clause 1.6.5: HE-AAC at 24/48 kHz stereo, hierarchical; the same after the core; HE-AAC v2.
  assert.deepEqual(parseAacConfig(hex('2b118800')), {
    objectType: 2,
    coreSampleRate: 24000,
    sampleRate: 48000,
    channels: 2,
    hasSbr: true,
    hasPs: false,
    frameSamples: 2048,
  });
  const behind = parseAacConfig(hex('131056e598'));
  assert.equal(behind.hasSbr, true);
  assert.equal(behind.sampleRate, 48000);
  const stereo = parseAacConfig(hex('eb098800'));
  assert.equal(stereo.hasPs, true);
  assert.equal(stereo.channels, 1);
  assert.equal(aacCodecString(hex('2b118800')), 'mp4a.40.5');
  assert.equal(aacCodecString(hex('eb098800')), 'mp4a.40.29');
  assert.equal(aacTrack(2, hex('2b118800')).timescale, 48000);
});

test('a configuration written by another encoder is understood', () => {
  const { track } = readClip('aac.mp4');
  assert.equal(track.kind, 'audio');
  assert.deepEqual({ ...aacTrack(1, track.config) }, track);
  assert.equal(track.codecString, 'mp4a.40.2');
  assert.equal(track.timescale, 44100);
});

test('an ADTS frame yields its configuration and its bytes', () => {
  // AAC-LC, 44.1 kHz, stereo, 7 + 4 bytes, no CRC.
  const frame = Uint8Array.from([...hex('fff15080017ffc'), 1, 2, 3, 4, 0xff]);
  const parsed = parseAdtsFrame(frame);
  assert.deepEqual(parsed, { config: hex('1210'), data: Uint8Array.of(1, 2, 3, 4), frameBytes: 11 });
  assert.equal(parseAdtsFrame(frame.subarray(0, 10)), undefined);
  assert.equal(parseAdtsFrame(frame.subarray(0, 3)), undefined);
  assert.throws(() => parseAdtsFrame(new Uint8Array(8)), MalformedError);
});

test('the duration of an Opus packet is derived from its first bytes', () => {
  const samples = (...bytes: number[]): number => opusPacketSamples(Uint8Array.from(bytes));
  assert.equal(samples(31 << 3), 960);
  assert.equal(samples(28 << 3), 120);
  assert.equal(samples(3 << 3), 2880);
  assert.equal(samples(13 << 3), 960);
  assert.equal(samples((31 << 3) | 1), 1920);
  assert.equal(samples((31 << 3) | 3, 6), 5760);
  assert.throws(() => samples((31 << 3) | 3, 7), MalformedError);
  assert.throws(() => samples((31 << 3) | 3), MalformedError);
  assert.throws(() => samples((31 << 3) | 3, 0), MalformedError);
  assert.throws(() => samples(), MalformedError);
  for (const sample of readClip('opus.mp4').samples) {
    for (const packet of sample.data) assert.equal(opusPacketSamples(packet), 960);
  }
});

test('dOps is read back', () => {
  assert.deepEqual(parseDops(buildDops(2, 44100, 312)), {
    channels: 2,
    preSkip: 312,
    inputSampleRate: 44100,
  });
  assert.equal(opusTrack(2, buildDops(1)).channels, 1);
  assert.equal(opusTrack(2, buildDops(1)).timescale, 48000);
  assert.throws(() => buildDops(3), RangeError);
  assert.throws(() => parseDops(hex('01')), MalformedError);
});

test('audio parsers throw nothing but MalformedError', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      for (const parse of [parseAacConfig, aacCodecString, parseAdtsFrame, opusPacketSamples, parseDops]) {
        try {
          parse(bytes);
        } catch (error) {
          assert.ok(error instanceof MalformedError, String(error));
        }
      }
    }),
    { numRuns: 500 },
  );
});
