// ffprobe and ffmpeg read the files written here without errors.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { readClip, shifted } from '../../fixtures/clip.ts';
import type { Clip } from '../../fixtures/clip.ts';
import { vodPlaylist } from '../hls/playlist.ts';
import { rescaleTicks } from '../time.ts';
import { fragment } from './fragment.ts';
import { initSegment } from './init.ts';
import { parseFragmentHeader } from './read-moof.ts';
import { rebaseFragment } from './rebase.ts';

const run = promisify(execFile);
const EPOCH_SECONDS = 1_700_000_000;

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'vidette-fmp4-'));
});
after(() => rm(folder, { recursive: true, force: true }));

/** A clip with another id and the timescale that tracks have in this project. */
function adopted(name: string, id: number): Clip {
  const clip = shifted(readClip(name), EPOCH_SECONDS);
  const timescale = clip.track.kind === 'video' ? 90000 : clip.track.timescale;
  const ticks = (value: number): number => rescaleTicks(value, clip.track.timescale, timescale);
  return {
    track: { ...clip.track, id, timescale },
    samples: clip.samples.map((sample) => ({
      ...sample,
      trackId: id,
      dts: ticks(sample.dts),
      pts: ticks(sample.pts),
    })),
    endDts: ticks(clip.endDts),
  };
}

/** One fragment per second, with all tracks in each. */
function fragments(clips: readonly Clip[]): Uint8Array[] {
  const starts = [EPOCH_SECONDS, EPOCH_SECONDS + 1, EPOCH_SECONDS + 2];
  return starts.flatMap((start, index) => {
    const tracks = clips.map(({ track, samples, endDts }) => {
      const from = start * track.timescale;
      const to = from + track.timescale;
      const inside = samples.filter(({ dts }) => dts >= from && dts < to);
      return { track, samples: inside, endDts: samples.find(({ dts }) => dts >= to)?.dts ?? endDts };
    });
    if (tracks.every(({ samples }) => samples.length === 0)) return [];
    return [Buffer.concat(fragment({ sequence: index + 1, tracks }).slices)];
  });
}

interface ProbedStream {
  codec_name: string;
  start_time: string;
  nb_read_packets: string;
}

async function probe(path: string): Promise<ProbedStream[]> {
  const args = ['-v', 'error', '-show_streams', '-count_packets', '-of', 'json', path];
  const { stdout, stderr } = await run('ffprobe', args);
  assert.equal(stderr, '');
  return (JSON.parse(stdout) as { streams: ProbedStream[] }).streams;
}

async function decode(path: string): Promise<void> {
  const { stderr } = await run('ffmpeg', ['-v', 'error', '-nostdin', '-i', path, '-f', 'null', '-']);
  assert.equal(stderr, '');
}

const COMBINATIONS = [
  ['h264-b-pyramid.mp4', 'aac.mp4'],
  ['h265-b-pyramid.mp4', 'opus.mp4'],
  ['h264-no-b.mp4'],
  ['opus.mp4'],
] as const;

for (const names of COMBINATIONS) {
  test(`[R10.3] ffprobe and ffmpeg read a segment file with absolute times: ${names.join(' and ')}`, async () => {
    const clips = names.map((name, index) => adopted(name, index + 1));
    const path = join(folder, `absolute-${names[0]}`);
    await writeFile(path, Buffer.concat([initSegment(clips.map(({ track }) => track)), ...fragments(clips)]));
    const streams = await probe(path);
    assert.equal(streams.length, clips.length);
    streams.forEach((stream, index) => {
      const clip = clips[index];
      assert.ok(clip);
      assert.equal(stream.codec_name, clip.track.codec === 'h265' ? 'hevc' : clip.track.codec);
      assert.equal(Number(stream.nb_read_packets), clip.samples.length);
      assert.ok(Math.abs(Number(stream.start_time) - EPOCH_SECONDS) < 0.2, stream.start_time);
    });
    await decode(path);
  });
}

test('[R7.16] a rebased file starts at zero and has the duration in its init segment', async () => {
  const clips = [adopted('h264-b-pyramid.mp4', 1), adopted('aac.mp4', 2)];
  const tracks = clips.map(({ track }) => track);
  const timeOffsetTicks = new Map(tracks.map((track) => [track.id, -EPOCH_SECONDS * track.timescale]));
  const rebased = fragments(clips).map((bytes, index) => {
    const { moofSize } = parseFragmentHeader(bytes);
    const options = { sequence: index + 1, timeOffsetTicks };
    const { pieces } = rebaseFragment(bytes.subarray(0, moofSize), bytes.length, options);
    return Buffer.concat(
      pieces.map((piece) =>
        piece instanceof Uint8Array ? piece : bytes.subarray(piece.offset, piece.offset + piece.size),
      ),
    );
  });
  const path = join(folder, 'rebased.mp4');
  await writeFile(path, Buffer.concat([initSegment(tracks, { durationMs: 2000 }), ...rebased]));
  for (const stream of await probe(path)) assert.ok(Number(stream.start_time) < 0.1, stream.start_time);
  const { stdout } = await run('ffprobe', [
    '-v',
    'error',
    '-show_entries',
    'format=duration',
    '-of',
    'csv=p=0',
    path,
  ]);
  assert.ok(Math.abs(Number(stdout) - 2) < 0.1, stdout);
  await decode(path);
});

test('[R7.17] ffmpeg plays a playlist of byte ranges with a gap from the segment file', async () => {
  const clips = [adopted('h264-b-pyramid.mp4', 1), adopted('aac.mp4', 2)];
  const init = initSegment(clips.map(({ track }) => track));
  const parts = fragments(clips);
  await writeFile(join(folder, 'segment.mp4'), Buffer.concat([init, ...parts]));
  let offset = init.length;
  const map = { uri: 'segment.mp4', byteRange: { offset: 0, length: init.length } };
  const playlist = vodPlaylist(
    parts.map((part, index) => {
      const byteRange = { offset, length: part.length };
      offset += part.length;
      const startMs = (EPOCH_SECONDS + index) * 1000;
      return {
        uri: 'segment.mp4',
        byteRange,
        map,
        durationSeconds: 1,
        startMs,
        isDiscontinuity: index === 1,
      };
    }),
  );
  const path = join(folder, 'index.m3u8');
  await writeFile(path, playlist);
  const [video] = await probe(path);
  assert.equal(Number(video?.nb_read_packets), 50);
  await decode(path);
});
