// Files as other programs write them, made with FFmpeg, and what is left of them when they are damaged.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { scanSegment, type ReadAt } from '../fmp4/scan.ts';
import { MalformedError } from '../malformed.ts';
import { readMovie } from './movie.ts';
import { remux, remuxedHead, type RemuxedSegment } from './remux.ts';

const run = promisify(execFile);
const startTicks = 1_700_000_000 * 90_000;
const sound = ['-f', 'lavfi', '-i', 'sine=r=44100:d=5', '-c:a', 'aac', '-ac', '1'];
/** The muxer's options of each kind of file. */
const kinds = {
  'moov at the end': [],
  'moov at the beginning': ['-movflags', '+faststart'],
  fragments: ['-movflags', 'empty_moov+default_base_moof+frag_keyframe'],
  'fragments with absolute offsets': ['-movflags', 'empty_moov+frag_keyframe'],
  'short fragments': ['-movflags', 'empty_moov+default_base_moof', '-frag_duration', '300000'],
};
const files = new Map<string, Uint8Array>();
let folder: string;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidette-remux-'));
  const made = join(folder, 'made.mkv');
  const video = ['-f', 'lavfi', '-i', 'testsrc2=s=160x90:r=25:d=5'];
  const coding = ['-c:v', 'libx264', '-g', '40', '-bf', '2', '-pix_fmt', 'yuv420p'];
  await run('ffmpeg', ['-v', 'error', '-y', ...video, ...sound, ...coding, made]);
  for (const [kind, options] of Object.entries(kinds)) {
    const path = join(folder, 'kind.mp4');
    await run('ffmpeg', ['-v', 'error', '-y', '-i', made, '-c', 'copy', ...options, path]);
    files.set(kind, await readFile(path));
  }
});
after(() => rm(folder, { recursive: true }));

function readerOf(bytes: Uint8Array): ReadAt {
  return (offset, length) => bytes.subarray(offset, offset + length);
}

async function remuxed(bytes: Uint8Array): Promise<RemuxedSegment> {
  return remux(await readMovie(readerOf(bytes), bytes.length));
}

/** The whole segment. */
function bytesOf({ init, fragments }: RemuxedSegment, movie: Uint8Array): Uint8Array {
  const media = fragments.flatMap((fragment, index) => [
    remuxedHead(fragment, startTicks, index + 1),
    ...fragment.runs.flatMap(({ samples }) =>
      samples.map(({ position, size }) => movie.subarray(position, position + size)),
    ),
  ]);
  return Buffer.concat([init, ...media]);
}

/** The digests of the packets of each track, and by how much the first audio packet follows the first frame, s. */
async function playedBy(bytes: Uint8Array): Promise<{ hashes: string[]; lag: number }> {
  const path = join(folder, 'played.mp4');
  await writeFile(path, bytes);
  const args = [
    '-v',
    'error',
    '-ignore_editlist',
    '0',
    '-i',
    path,
    '-map',
    '0',
    '-c',
    'copy',
    '-f',
    'streamhash',
    '-',
  ];
  const { stdout, stderr } = await run('ffmpeg', args);
  assert.equal(stderr, '');
  const probe = ['-v', 'error', '-show_entries', 'packet=stream_index,pts_time', '-of', 'csv=p=0', path];
  const packets = (await run('ffprobe', probe)).stdout
    .trim()
    .split('\n')
    .map((line) => line.split(',').map(Number));
  const firstOf = (track: number) =>
    Math.min(...packets.flatMap(([of, at = 0]) => (of === track ? [at] : [])));
  return { hashes: stdout.trim().split('\n'), lag: firstOf(1) - firstOf(0) };
}

for (const kind of Object.keys(kinds)) {
  test(`[R16.3] a file of another program is a segment with the same samples: ${kind}`, async () => {
    const movie = files.get(kind) ?? new Uint8Array();
    const segment = await remuxed(movie);
    const bytes = bytesOf(segment, movie);
    const scan = await scanSegment(readerOf(bytes), bytes.length);
    assert.equal(scan.damage, undefined);
    assert.deepEqual(
      scan.fragments.map(({ size }) => size),
      segment.fragments.map((fragment) => fragment.bytes),
    );
    // 125 frames, a key frame each 40.
    assert.deepEqual(
      segment.fragments.map(({ durationTicks, startsWithKey }) => [durationTicks, startsWithKey]),
      [144_000, 144_000, 144_000, 18_000].map((ticks) => [ticks, true]),
    );
    const [original, played] = [await playedBy(movie), await playedBy(bytes)];
    assert.deepEqual(played.hashes, original.hashes);
    assert.ok(Math.abs(played.lag - original.lag) < 0.003, `${played.lag} s instead of ${original.lag}`);
  });
}

test('[R16.3] of a truncated file the samples are used that are there', async () => {
  for (const kind of ['moov at the beginning', 'short fragments']) {
    const movie = files.get(kind) ?? new Uint8Array();
    const cut = movie.subarray(0, Math.floor(movie.length * 0.7));
    const found = await readMovie(readerOf(cut), cut.length);
    assert.equal(found.isTruncated, true, kind);
    const ends = found.tracks.flatMap(({ samples }) => samples.map(({ position, size }) => position + size));
    assert.ok(Math.max(...ends) <= cut.length, kind);
    const ticks = remux(found).fragments.reduce((sum, { durationTicks }) => sum + durationTicks, 0);
    assert.ok(ticks > 90_000 && ticks < 450_000, kind);
  }
});

test('[R16.3] what can’t be played is refused in words, at whatever byte the file is damaged', async () => {
  const movie = files.get('moov at the end') ?? new Uint8Array();
  const half = movie.subarray(0, movie.length >> 1);
  await assert.rejects(remuxed(half), /it has no moov box: the recording was not finished/);
  await assert.rejects(remuxed(new Uint8Array(100)), MalformedError);
  for (const kind of Object.keys(kinds)) {
    const whole = files.get(kind) ?? new Uint8Array();
    for (let at = 0; at < whole.length; at += 397) {
      const damaged = Uint8Array.from(whole);
      damaged.fill(0xff, at, at + 4);
      try {
        await remuxed(damaged);
      } catch (error) {
        assert.ok(error instanceof MalformedError, `${kind}, byte ${at}: ${String(error)}`);
      }
    }
  }
});
