import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Sample } from '@vidette/media/sample';
import { Stream } from '../../hub/stream.ts';
import type { Archive } from '../archive.ts';
import { archiveOf, faultOf, openArchive, temporaryRoot } from '../fixtures/archive-fixture.ts';
import { connect, footageOf, footageStartMs as t0 } from '../fixtures/footage-fixture.ts';

const run = promisify(execFile);

/** Streams a download to a file. */
async function save(archive: Archive, path: string, startMs: number, endMs: number) {
  const download = await archive.reader.download('cam1', startMs, endMs);
  const file = await open(path, 'w');
  let bytes = 0;
  for await (const chunk of download.stream()) {
    await file.write(chunk);
    bytes += chunk.length;
    assert.ok(chunk.length <= 1 << 20, 'memory use does not grow with the length');
  }
  await file.close();
  return { download, bytes };
}

/** Duration of each track in seconds, from the packets that ffmpeg reads, and its error output. */
async function probe(path: string): Promise<{ start: number; seconds: number; format: number }[]> {
  const { stdout, stderr } = await run('ffprobe', [
    '-v',
    'warning',
    '-show_entries',
    'packet=stream_index,dts_time,duration_time:format=duration',
    '-of',
    'json',
    path,
  ]);
  assert.equal(stderr, '');
  const { packets, format } = JSON.parse(stdout) as {
    packets: { stream_index: number; dts_time: string; duration_time: string }[];
    format: { duration: string };
  };
  return [...new Set(packets.map((packet) => packet.stream_index))]
    .sort((a, b) => a - b)
    .map((index) => {
      const own = packets.filter((packet) => packet.stream_index === index);
      const times = own.map(({ dts_time }) => Number(dts_time));
      assert.ok(
        times.every((time, at) => at === 0 || time > (times[at - 1] ?? 0)),
        'decode times grow',
      );
      const end = (times.at(-1) ?? 0) + Number(own.at(-1)?.duration_time);
      return { start: times[0] ?? 0, seconds: end - (times[0] ?? 0), format: Number(format.duration) };
    });
}

test('[R7.16] a download is as long as the requested time without its gaps, and has the announced number of bytes', async (t) => {
  const { archive, dir } = await archiveOf(t, [
    [0, 65_000],
    [70_000, 80_000],
    [82_500, 95_000],
  ]);
  const path = join(dirname(dir), 'download.mp4');
  for (const [from, to, seconds, exact, gaps] of [
    [10_000, 20_000, 10, 'frame', 0],
    [10_400, 20_000, 10, 'gop', 0],
    [10_000, 20_520, 10.52, 'frame', 0],
    [55_000, 90_000, 27, 'frame', 2],
    [-5_000, 3_000, 3, 'frame', 0],
    [66_000, 71_000, 1, 'frame', 0],
    [94_000, 99_000, 1, 'frame', 0],
    [12_000, 12_400, 0.4, 'frame', 0],
  ] as const) {
    const { download, bytes } = await save(archive, path, t0 + from, t0 + to);
    assert.equal(bytes, download.contentLength);
    assert.equal(download.exact, exact);
    assert.equal(download.gaps.length, gaps);
    const [video, audio] = await probe(path);
    assert.ok(video && audio);
    assert.equal(video.start, 0);
    assert.ok(Math.abs(video.seconds - seconds) < 0.041, `${from}: ${video.seconds} for ${seconds}`);
    assert.ok(Math.abs(audio.start + audio.seconds - seconds) < 0.06, `${from}: audio ends ${audio.seconds}`);
    assert.ok(Math.abs(download.durationMs / 1000 - video.seconds) < 0.001);
    assert.ok(Math.abs(video.format - seconds) < 0.06, `${from}: format ${video.format}`);
    const { stderr } = await run('ffmpeg', ['-v', 'warning', '-nostdin', '-i', path, '-f', 'null', '-']);
    assert.equal(stderr, '');
  }
  await assert.rejects(archive.reader.download('cam1', t0 + 66_000, t0 + 69_000), faultOf('NotFound'));
});

test('[R7.16] a download with B-frames ends on the requested frame', async (t) => {
  const { archive, dir } = await archiveOf(t, [[0, 10_000, footageOf('h264-b-pyramid.mp4', 'aac.mp4')]]);
  const path = join(dirname(dir), 'download.mp4');
  const { download } = await save(archive, path, t0 + 2_000, t0 + 5_500);
  assert.ok(Math.abs(download.durationMs - 3_500) <= 160, String(download.durationMs));
  await probe(path);
});

test('[R7.16] a download continues where the parameters change', async (t) => {
  const reordered = footageOf('h264-one-b.mp4', 'aac.mp4');
  const wide = footageOf('h264-wide.mp4', 'aac-16k.mp4');
  const { archive, dir } = await archiveOf(t, [
    [0, 5_000],
    [5_000, 10_000, reordered],
    [12_000, 15_000, wide],
    [15_000, 18_000, footageOf('h264-wide.mp4')],
    [18_000, 23_000],
  ]);
  const path = join(dirname(dir), 'download.mp4');
  for (const [from, to, seconds, sizes, audioStarts] of [
    [1_000, 22_000, 19, ['160,120', '320,180', '160,120'], [0, 9]],
    [3_000, 8_000, 5, ['160,120'], [0]],
    [13_000, 20_000, 7, ['320,180', '160,120'], [0, 5]],
    [13_000, 17_000, 4, ['320,180'], [0]],
    [15_000, 17_000, 2, ['320,180'], []],
  ] as const) {
    const { download, bytes } = await save(archive, path, t0 + from, t0 + to);
    assert.equal(bytes, download.contentLength);
    assert.equal(download.stopsAtChange, false);
    assert.deepEqual(
      download.gaps,
      from < 10_000 && to > 12_000 ? [{ startMs: t0 + 10_000, endMs: t0 + 12_000 }] : [],
    );
    const [video, ...others] = await probe(path);
    assert.ok(video);
    assert.equal(others.length, audioStarts.length);
    for (const [index, { start }] of others.entries()) {
      assert.ok(Math.abs(start - (audioStarts[index] ?? 0)) < 0.11, `${from}: audio begins at ${start}`);
    }
    assert.ok(Math.abs(video.format - seconds) < 0.081, `${from}: format ${video.format}`);
    // A frame at each end.
    assert.ok(Math.abs(video.seconds - seconds) < 0.081, `${from}: ${video.seconds} for ${seconds}`);
    assert.ok(Math.abs(download.durationMs / 1000 - video.seconds) < 0.001);
    const frames = ['-select_streams', 'v:0', '-show_entries', 'frame=width,height', '-of', 'csv=p=0'];
    const { stdout, stderr } = await run('ffprobe', ['-v', 'warning', ...frames, path]);
    assert.equal(stderr, '');
    const videoFrames = stdout.match(/^\d+,\d+/gm) ?? [];
    assert.equal(videoFrames.length, seconds * 25);
    assert.deepEqual(
      videoFrames.filter((size, index) => size !== videoFrames[index - 1]),
      sizes,
    );
    const decode = await run('ffmpeg', [
      '-v',
      'warning',
      '-nostdin',
      '-i',
      path,
      '-map',
      '0',
      '-f',
      'null',
      '-',
    ]);
    assert.equal(decode.stderr, '');
  }
});

test('[R7.16] an H.265 download continues where the resolution changes, and so does a long GOP in parts', async (t) => {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir, { limits: { fragmentMs: 400 } });
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  connect(stream, footageOf('h265-no-b.mp4', 'aac.mp4'), t0, t0 + 3_000);
  connect(stream, footageOf('h265-wide.mp4', 'aac.mp4'), t0 + 3_000, t0 + 6_000);
  await recorder.stop('recording-off');
  const path = join(dirname(dir), 'download.mp4');
  const { download, bytes } = await save(archive, path, t0 + 1_000, t0 + 5_480);
  assert.equal(bytes, download.contentLength);
  assert.equal(download.durationMs, 4_480);
  await probe(path);
  const { stderr } = await run('ffmpeg', ['-v', 'warning', '-nostdin', '-i', path, '-f', 'null', '-']);
  assert.equal(stderr, '');
});

test('[R7.16] a download ends where the video codec changes, and reports it', async (t) => {
  const { archive, dir } = await archiveOf(t, [
    [0, 5_000],
    [5_000, 10_000, footageOf('h265-no-b.mp4', 'aac.mp4')],
  ]);
  const path = join(dirname(dir), 'download.mp4');
  const { download } = await save(archive, path, t0, t0 + 10_000);
  assert.equal(download.stopsAtChange, true);
  assert.equal(download.endMs, t0 + 5_000);
  await probe(path);
  const rest = await save(archive, path, download.endMs, t0 + 10_000);
  assert.equal(rest.download.stopsAtChange, false);
  assert.equal(rest.download.durationMs, 5_000);
  await probe(path);
});

test('[R7.16] audio that arrives seconds after its video blocks no download: audio older than the start is left out', async (t) => {
  const dir = await temporaryRoot(t);
  const { archive } = await openArchive(t, dir);
  const stream = new Stream('cam1');
  const recorder = archive.recorders.record('cam1', stream);
  const footage = footageOf('h264-no-b.mp4', 'aac.mp4');
  const arrivalSeconds = ({ trackId, dts }: Sample): number => {
    const track = footage.tracks.find(({ id }) => id === trackId);
    return dts / (track?.timescale ?? 1) + (track?.kind === 'audio' ? 2.5 : 0);
  };
  const samples = footage.between(t0, t0 + 30_000).toSorted((a, b) => arrivalSeconds(a) - arrivalSeconds(b));
  stream.setTracks(footage.tracks);
  for (const sample of samples.slice(0, 900)) stream.write(sample);
  stream.pause('unreachable');
  connect(stream, footage, t0 + 40_000, t0 + 50_000);
  await recorder.stop('recording-off');
  const path = join(dirname(dir), 'download.mp4');
  for (const [from, to, audioStart] of [
    [0, 6_000, 0],
    [3_000, 9_000, 0],
    [3_400, 45_000, 0],
    [9_000, 10_000, undefined],
  ] as const) {
    const { download, bytes } = await save(archive, path, t0 + from, t0 + to);
    assert.equal(bytes, download.contentLength);
    const [video, audio] = await probe(path);
    assert.equal(video?.start, 0);
    if (audioStart === undefined) assert.equal(audio, undefined);
    else assert.ok(audio && Math.abs(audio.start - audioStart) < 0.05, `audio begins at ${audio?.start}`);
  }
});

test('[R7.16] a download whose file was deleted by retention fails instead of ending early', async (t) => {
  const { archive } = await archiveOf(t, [[0, 130_000]]);
  const download = await archive.reader.download('cam1', t0, t0 + 120_000);
  await archive.recorders.remove('cam1');
  await assert.rejects(async () => {
    for await (const chunk of download.stream()) assert.ok(chunk.length > 0);
  }, faultOf('NotFound'));
});
