import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@vidette/contract/client';
import { until } from './api.ts';

/** The findings of ffprobe and ffmpeg for a file. */
export interface DownloadProbe {
  readonly tracks: readonly FootageTrack[];
  /** All that ffprobe reported while reading and ffmpeg while decoding; empty for an audio file. */
  readonly consoleErrors: string;
}

export interface FootageTrack {
  readonly kind: 'video' | 'audio';
  /** As FFmpeg names it: h264, hevc, aac, opus. */
  readonly codec: string;
  readonly width: number | undefined;
  /** In file order. */
  readonly packets: readonly FootagePacket[];
  /** Number of decoded frames. */
  readonly decodedFrames: number;
}

/** Seconds. */
interface FootagePacket {
  readonly pts: number;
  readonly dts: number;
  readonly durationSeconds: number;
  readonly isKey: boolean;
}

interface ProbeOutput {
  readonly streams: readonly {
    readonly codec_type: 'video' | 'audio';
    readonly codec_name: string;
    readonly width?: number;
    readonly nb_read_frames?: string;
  }[];
  readonly packets: readonly {
    readonly stream_index: number;
    readonly pts_time: string;
    readonly dts_time: string;
    readonly duration_time: string;
    readonly flags: string;
  }[];
}

/** Reads and decodes a whole MP4. */
export async function inspect(mp4: Uint8Array): Promise<DownloadProbe> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-footage-'));
  try {
    const path = join(folder, 'footage.mp4');
    await writeFile(path, mp4);
    const { stdout, stderr } = await runTool('ffprobe', [
      ...['-v', 'error', '-threads', '1', '-count_frames', '-show_streams', '-show_packets'],
      ...['-of', 'json', path],
    ]);
    const { streams, packets } = JSON.parse(stdout) as ProbeOutput;
    const tracks = streams.map((stream, index) => ({
      kind: stream.codec_type,
      codec: stream.codec_name,
      width: stream.width,
      packets: packets
        .filter((packet) => packet.stream_index === index)
        .map((packet) => ({
          pts: Number(packet.pts_time),
          dts: Number(packet.dts_time),
          durationSeconds: Number(packet.duration_time),
          isKey: packet.flags.includes('K'),
        })),
      decodedFrames: Number(stream.nb_read_frames ?? 0),
    }));
    return { tracks, consoleErrors: stderr };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs an FFmpeg program to its end, whatever its exit code: its messages are in `stderr`. */
export async function runTool(
  command: 'ffmpeg' | 'ffprobe',
  options: readonly string[],
): Promise<{ stdout: string; stderr: string }> {
  const child = spawn('nice', [command, ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
  const output: { stdout: Buffer[]; stderr: Buffer[] } = { stdout: [], stderr: [] };
  child.stdout.on('data', (chunk: Buffer) => output.stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => output.stderr.push(chunk));
  await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  return { stdout: Buffer.concat(output.stdout).toString(), stderr: Buffer.concat(output.stderr).toString() };
}

/** The frames of a file; throws when it has none. */
export function framesOf(footage: DownloadProbe): FootageTrack {
  const track = footage.tracks.find(({ kind }) => kind === 'video');
  if (!track) throw new Error('The footage has no frames');
  return track;
}

/**
 * Asserts that no tool reports an error, that these are the tracks, that times increase, and that everything
 * can be decoded.
 */
export function assertAudio(footage: DownloadProbe, codecs: readonly string[]): void {
  assert.equal(footage.consoleErrors, '');
  assert.deepEqual(
    footage.tracks.map(({ codec }) => codec),
    codecs,
  );
  for (const { packets, codec, decodedFrames } of footage.tracks) {
    assert.ok(packets[0]?.isKey, `${codec} starts with a key`);
    const at = packets.findIndex(({ dts }, index) => index > 0 && !(dts > (packets[index - 1]?.dts ?? 0)));
    const around = JSON.stringify(packets.slice(Math.max(0, at - 4), at + 4));
    assert.equal(at, -1, `${codec}: decode times grow, but not in ${around}`);
    assert.ok(
      decodedFrames > 0.9 * packets.length,
      `${codec}: ${decodedFrames} of ${packets.length} decoded`,
    );
  }
}

/** A recorded span, ms since the epoch. */
export interface Fragment {
  readonly startMs: number;
  readonly endMs: number;
}

/** The recording of a stream, oldest first; the last range may still grow. */
export async function recorded(client: Client, uid: string): Promise<Fragment[]> {
  const { ranges, nowMs } = await newestRanges(client, uid);
  const fragments: Fragment[] = [];
  for (const [index, { date, status }] of ranges.entries()) {
    if (status === 'fragment') fragments.push({ startMs: date, endMs: ranges[index + 1]?.date ?? nowMs });
  }
  return fragments;
}

async function newestRanges(client: Client, uid: string) {
  const nowMs = Date.now();
  const query = { start_time: nowMs - 1_800_000, end_time: nowMs };
  const { ranges } = await client.getArchiveRanges({ params: { uid }, query });
  return { ranges, nowMs };
}

/** Waits until this much is recorded in one piece, ms; resolves to all pieces. */
export async function recordedFor(client: Client, uid: string, ms: number, pieces = 1): Promise<Fragment[]> {
  try {
    return await until(
      () => recorded(client, uid),
      (fragments) => fragments.filter(({ startMs, endMs }) => endMs - startMs >= ms).length >= pieces,
      60_000,
    );
  } catch (error) {
    // Why nothing more was recorded can't be seen afterwards.
    const [stream, stats] = await Promise.all([
      client.getStream({ params: { uid } }).catch(String),
      client.getArchiveStats({ params: { uid } }).catch(String),
    ]);
    throw new Error(`${String(error)}; ${JSON.stringify({ stream, stats })}`, { cause: error });
  }
}

/** A download as it is returned. */
export interface Downloaded {
  readonly footage: DownloadProbe;
  readonly headers: Headers;
}

export async function download(client: Client, uid: string, span: Fragment): Promise<Downloaded> {
  const response = await client.downloadArchive({
    params: { uid },
    query: { start_time: span.startMs, end_time: span.endMs },
  });
  const mp4 = new Uint8Array(await response.arrayBuffer());
  return { footage: await inspect(mp4), headers: response.headers };
}

/** Pauses a stream; resolves to the time of all of its recording, its last unfinished GOP included. */
export async function pauseOf(client: Client, uid: string): Promise<Fragment> {
  await client.pauseStream({ body: { uid } });
  await until(
    () => newestRanges(client, uid),
    ({ ranges }) => ranges.at(-1)?.status === 'gap',
  );
  const fragments = await recorded(client, uid);
  const [first, last] = [fragments[0], fragments.at(-1)];
  if (!first || !last) throw new Error('Nothing is recorded');
  return { startMs: first.startMs, endMs: last.endMs };
}

/** Pauses a stream and downloads all of its recording, its last unfinished GOP included, as one file. */
export async function pauseAndDownload(client: Client, uid: string): Promise<Downloaded> {
  return download(client, uid, await pauseOf(client, uid));
}
