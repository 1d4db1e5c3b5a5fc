// Files whose decoder parameters change midway: written, read back, and decoded by other programs without
// errors.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { readClip, shifted } from '../../fixtures/clip.ts';
import type { Clip } from '../../fixtures/clip.ts';
import { sampleNals } from '../codec/nal.ts';
import { MalformedError } from '../malformed.ts';
import { rescaleTicks } from '../time.ts';
import type { Track, VideoTrack } from '../track.ts';
import { fragment } from './fragment.ts';
import { initSegment } from './init.ts';
import { parameterSetsOf } from './fragment-layout.ts';
import type { EditedFragment, TrackLayout } from './fragment-layout.ts';
import { parseInit } from './read-init.ts';
import { parseFragmentHeader } from './read-moof.ts';
import { grownBytes, rebaseFragment } from './rebase.ts';
import { subsetFragment } from './subset.ts';

const run = promisify(execFile);

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidette-descriptions-'));
});
after(() => rm(folder, { recursive: true, force: true }));

/** A clip with a track id, starting at 0, video in ticks of 90 kHz, cut to complete seconds. */
function adopted(name: string, id: number, seconds: number): Clip {
  const { track, samples } = readClip(name);
  const timescale = track.kind === 'video' ? 90000 : track.timescale;
  const origin = samples[0]?.dts ?? 0;
  const ticks = (value: number): number => rescaleTicks(value - origin, track.timescale, timescale);
  return {
    track: { ...track, id, timescale },
    samples: samples
      .map((sample) => ({ ...sample, trackId: id, dts: ticks(sample.dts), pts: ticks(sample.pts) }))
      .filter(({ dts }) => dts < seconds * timescale),
    endDts: seconds * timescale,
  };
}

function videoOf(name: string): VideoTrack {
  const { track } = adopted(name, 1, 1);
  assert.ok(track.kind === 'video');
  return track;
}

/** One fragment of one second, with its tracks in the order given. */
function fragmentOf(clips: readonly Clip[]): Uint8Array {
  return Buffer.concat(fragment({ sequence: 1, tracks: clips }).slices);
}

function bytesOf(original: Uint8Array, { pieces, size }: EditedFragment): Uint8Array {
  const bytes = Buffer.concat(
    pieces.map((piece) =>
      piece instanceof Uint8Array ? piece : original.subarray(piece.offset, piece.offset + piece.size),
    ),
  );
  assert.equal(bytes.length, size);
  return bytes;
}

interface FilePart {
  readonly original: Uint8Array;
  readonly layouts: ReadonlyMap<number, TrackLayout>;
}

/** Reordered frames are shown later than the second in which they are decoded. */
const stepSeconds = 1.25;

/** Fragments of one second each, placed one after another, leaving room for reordered frames between them. */
function fileOf(tracks: readonly Track[], parts: readonly FilePart[]): Uint8Array {
  const timescales = new Map(tracks.map(({ id, timescale }) => [id, timescale]));
  const placed = parts.map(({ original, layouts }, index) => {
    const { moofSize, ...header } = parseFragmentHeader(original);
    const timeOffsetTicks = new Map(
      [...layouts].map(([id, { trackId }]) => [id, index * stepSeconds * (timescales.get(trackId) ?? 0)]),
    );
    const options = { sequence: index + 1, timeOffsetTicks, layouts };
    const whole = rebaseFragment(original.subarray(0, moofSize), original.length, options);
    const grown = header.tracks.reduce((sum, { trackId }) => {
      const layout = layouts.get(trackId);
      return sum + (layout ? grownBytes(layout) : 0);
    }, 0);
    assert.equal(whole.size, original.length + grown);
    const subset = subsetFragment({ ...header, moofSize }, { ...options, keep: new Map() });
    assert.ok(subset);
    const bytes = bytesOf(original, whole);
    assert.deepEqual(bytesOf(original, subset), bytes);
    return bytes;
  });
  return Buffer.concat([initSegment(tracks, { durationMs: parts.length * stepSeconds * 1000 }), ...placed]);
}

async function complaints(program: string, args: readonly string[]): Promise<string> {
  const { stdout, stderr } = await run(program, [...args], { timeout: 60_000 });
  assert.equal(stderr, '', args.join(' '));
  return stdout;
}

/** Dimensions of each decoded picture. */
async function frameSizes(path: string): Promise<string[]> {
  const args = ['-v', 'warning', '-select_streams', 'v:0', '-show_entries', 'frame=width,height'];
  const stdout = await complaints('ffprobe', [...args, '-of', 'csv=p=0', path]);
  return stdout.match(/^\d+,\d+/gm) ?? [];
}

/** The number of audio samples that each stream decodes to. */
async function audioLengths(path: string, streams: number): Promise<number[]> {
  const lengths: number[] = [];
  for (let index = 0; index < streams; index++) {
    const args = ['-v', 'warning', '-select_streams', `a:${index}`, '-show_entries', 'frame=nb_samples'];
    const stdout = await complaints('ffprobe', [...args, '-of', 'csv=p=0', path]);
    lengths.push(stdout.split('\n').reduce((sum, line) => sum + Number(line), 0));
  }
  return lengths;
}

const noSets = new Uint8Array();
const audio = adopted('aac.mp4', 2, 1);
const otherAudio = adopted('aac-16k.mp4', 2, 1);

for (const [title, names, sizes] of [
  ['H.264, resolution and profile', ['h264-no-b.mp4', 'h264-wide.mp4'], ['160,120', '320,180']],
  ['H.264, profile and reordering', ['h264-wide.mp4', 'h264-b-pyramid.mp4'], ['320,180', '160,120']],
  ['H.264, only entropy coding', ['h264-no-b.mp4', 'h264-one-b.mp4'], ['160,120', '160,120']],
  ['H.265, size', ['h265-no-b.mp4', 'h265-wide.mp4'], ['160,120', '320,180']],
] as const) {
  test(`[R7.16] frames decode across a change and back: ${title}`, async () => {
    const clips = names.map((name) => adopted(name, 1, 1));
    const tracks = names.map(videoOf);
    const part = (at: number): FilePart => {
      const clip = clips[at];
      const track = tracks[at];
      assert.ok(clip && track);
      return {
        // The audio is stored before the video here, so that both sides of the inserted sets are tested.
        original: fragmentOf(at === 0 ? [audio, clip] : [clip, audio]),
        layouts: new Map([
          [1, { trackId: 1, descriptionIndex: at + 1, parameterSets: parameterSetsOf(track) }],
          [2, { trackId: 2, descriptionIndex: 1, parameterSets: noSets }],
        ]),
      };
    };
    const path = join(folder, `${names.join()}.mp4`);
    await writeFile(path, fileOf([...tracks, audio.track], [part(0), part(1), part(1), part(0)]));
    const shape = ['-show_entries', 'stream=sample_aspect_ratio', '-select_streams', 'v', '-of', 'csv=p=0'];
    assert.match(await complaints('ffprobe', ['-v', 'warning', ...shape, path]), /^(1:1|N\/A)\n$/);
    const expected = [0, 1, 1, 0].flatMap((at) => Array<string>(25).fill(sizes[at] ?? ''));
    assert.deepEqual(await frameSizes(path), expected);
    await complaints('ffmpeg', ['-v', 'warning', '-nostdin', '-i', path, '-f', 'null', '-']);
    assert.deepEqual(await audioLengths(path, 1), [4 * audio.samples.length * 1024]);
  });
}

test('[R7.16] audio that changes, ends and returns decodes as separate tracks', async () => {
  const clip = adopted('h264-no-b.mp4', 1, 1);
  const frame = { trackId: 1, descriptionIndex: 1, parameterSets: noSets };
  const silent = { original: fragmentOf([clip]), layouts: new Map([[1, frame]]) };
  const loud = (of: Clip, trackId: number): FilePart => ({
    original: fragmentOf([clip, of]),
    layouts: new Map([
      [1, frame],
      [2, { trackId, descriptionIndex: 1, parameterSets: noSets }],
    ]),
  });
  const tracks = [clip.track, audio.track, { ...otherAudio.track, id: 3 }];
  const parts = [silent, loud(audio, 2), silent, loud(otherAudio, 3), loud(audio, 2), silent];
  const path = join(folder, 'sound.mp4');
  await writeFile(path, fileOf(tracks, parts));
  assert.equal((await frameSizes(path)).length, 150);
  assert.deepEqual(await audioLengths(path, 2), [
    2 * audio.samples.length * 1024,
    otherAudio.samples.length * 1024,
  ]);
  await complaints('ffmpeg', ['-v', 'warning', '-nostdin', '-i', path, '-map', '0', '-f', 'null', '-']);
});

for (const names of [
  ['h264-no-b.mp4', 'h264-wide.mp4'],
  ['h265-no-b.mp4', 'h265-wide.mp4'],
]) {
  test(`all descriptions are read back from the init segment: ${names.join(' and ')}`, () => {
    const tracks = [...names.map(videoOf), audio.track, { ...otherAudio.track, id: 5 }];
    assert.deepEqual(parseInit(initSegment(tracks)), tracks);
  });
}

test('a track that begins later than the others does not change the duration of the file', async () => {
  const clip = adopted('h264-no-b.mp4', 1, 1);
  const tracks = [clip.track, audio.track];
  const parts = [fragmentOf([clip]), fragmentOf([shifted(clip, 1), audio])];
  const init = initSegment(tracks, { durationMs: 2000, startsMs: new Map([[2, 1000]]) });
  assert.deepEqual(parseInit(init), tracks);
  const path = join(folder, 'late.mp4');
  await writeFile(path, Buffer.concat([init, ...parts]));
  const entries = ['-show_entries', 'packet=pts_time:format=duration', '-of', 'json'];
  const stdout = await complaints('ffprobe', ['-v', 'warning', '-select_streams', 'a', ...entries, path]);
  const { packets, format } = JSON.parse(stdout) as {
    packets: { pts_time: string }[];
    format: { duration: string };
  };
  assert.equal(Number(packets[0]?.pts_time), 1);
  assert.equal(Number(format.duration), 2);
});

test('a track has one codec and one timescale', () => {
  assert.throws(() => initSegment([videoOf('h264-no-b.mp4'), videoOf('h265-no-b.mp4')]), RangeError);
  assert.throws(() => initSegment([audio.track, otherAudio.track]), RangeError);
});

test('more sample descriptions than any camera needs are rejected', () => {
  const track = videoOf('h264-no-b.mp4');
  assert.equal(parseInit(initSegment(Array<Track>(64).fill(track))).length, 64);
  assert.throws(() => parseInit(initSegment(Array<Track>(65).fill(track))), MalformedError);
});

test('a placed fragment refers to its track and description and begins with the parameter sets', () => {
  const track = videoOf('h264-wide.mp4');
  const original = fragmentOf([adopted('h264-wide.mp4', 1, 1)]);
  const before = parseFragmentHeader(original);
  const sets = parameterSetsOf(track);
  const layout = { trackId: 7, descriptionIndex: 3, parameterSets: sets };
  const options = { sequence: 9, timeOffsetTicks: new Map([[1, 500]]), layouts: new Map([[1, layout]]) };
  const bytes = bytesOf(
    original,
    rebaseFragment(original.subarray(0, before.moofSize), original.length, options),
  );
  const read = parseFragmentHeader(bytes);
  const [from] = before.tracks;
  const [to] = read.tracks;
  assert.ok(from && to);
  assert.deepEqual(
    [read.sequence, to.trackId, to.descriptionIndex, to.baseDts, to.samples.length],
    [9, 7, 3, from.baseDts + 500, from.samples.length],
  );
  const first = bytes.subarray(to.dataOffset, to.dataOffset + (to.samples[0]?.size ?? 0));
  const nals = sampleNals([first]);
  assert.deepEqual(
    nals.slice(0, 2).map((nal) => (nal[0] ?? 0) & 0x1f),
    [7, 8],
  );
  assert.deepEqual(
    bytes.subarray(to.dataOffset + sets.length),
    original.subarray(from.dataOffset),
    'the media is unchanged',
  );
  assert.throws(
    () => rebaseFragment(bytes.subarray(0, read.moofSize), bytes.length, { ...options, sequence: 1 }),
    MalformedError,
    'a placed fragment cannot be placed again',
  );
});
