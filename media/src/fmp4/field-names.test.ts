import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { AudioTrack } from '../track.ts';
import { requireBox } from './box.ts';
import { initSegment } from './init.ts';

const source = readFileSync(new URL('./init.ts', import.meta.url), 'utf8');

/** Total bits of the fields in the docstring of a function. */
function namedBits(name: string): number {
  const before = source.slice(0, source.indexOf(`\nfunction ${name}(`));
  const docstring = before.slice(before.lastIndexOf('/**'));
  return [...docstring.matchAll(/^ \* - .*$/gm)]
    .flatMap(([line]) => [...line.matchAll(/ \((\d+)\)/g)])
    .reduce((sum, [, bits]) => sum + Number(bits), 0);
}

const track: AudioTrack = {
  id: 1,
  kind: 'audio',
  codec: 'aac',
  timescale: 48_000,
  sampleRate: 48_000,
  channels: 2,
  codecString: 'mp4a.40.2',
  config: Uint8Array.of(0x11, 0x90),
};

/** A body, by the names of the boxes around it. */
function bodyOf(...path: readonly string[]): Uint8Array {
  const init = initSegment([track], { durationMs: 1_000, startsMs: new Map([[1, 40]]) });
  return path.reduce((bytes, type) => requireBox(bytes, type), init);
}

const fullBoxHead = 4;
for (const [name, ...path] of [
  ['mvhd', 'moov', 'mvhd'],
  ['tkhd', 'moov', 'trak', 'tkhd'],
  ['edts', 'moov', 'trak', 'edts', 'elst'],
  ['mdhd', 'moov', 'trak', 'mdia', 'mdhd'],
  ['hdlr', 'moov', 'trak', 'mdia', 'hdlr'],
  ['mvex', 'moov', 'mvex', 'trex'],
] as const) {
  test(`the fields in the docstring of ${name} have the length of the written bytes`, () => {
    assert.equal(namedBits(name) / 8, bodyOf(...path).length - fullBoxHead);
  });
}
