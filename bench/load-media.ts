import { execFileSync } from 'node:child_process';
import { mkdirSync, existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The content of a load camera, in a loop: ten seconds of moving, noisy video and a tone. */
export interface LoadMedia {
  /** Access units in decode order, each a list of NAL units without start codes. No B-frames. */
  readonly frames: readonly (readonly Buffer[])[];
  /** Raw AAC frames of 1024 samples. */
  readonly audios: readonly Buffer[];
  readonly sps: Buffer;
  readonly pps: Buffer;
}

export const framesPerSecond = 25;
export const audioRate = 48_000;
const seconds = 10;

const cacheDir = fileURLToPath(new URL('../.cache/bench/', import.meta.url));

/** Encodes the loop once and keeps it in the project's cache folder. `gopSeconds` divides its ten seconds. */
export function loadMedia(kbitPerSecond: number, gopSeconds = 1): LoadMedia {
  mkdirSync(cacheDir, { recursive: true });
  const video = join(cacheDir, `load-${kbitPerSecond}${gopSeconds === 1 ? '' : `-gop${gopSeconds}`}.h264`);
  const audio = join(cacheDir, 'load.aac');
  if (!existsSync(video)) encodeVideo(video, kbitPerSecond, gopSeconds);
  if (!existsSync(audio)) encodeAudio(audio);
  const frames = accessUnits(nalUnits(readFileSync(video)));
  const [first = []] = frames;
  const sps = first.find((nal) => nalType(nal) === 7);
  const pps = first.find((nal) => nalType(nal) === 8);
  if (!sps || !pps || frames.length !== seconds * framesPerSecond) {
    throw new Error(`${video} contains ${frames.length} frames; remove it and run again`);
  }
  return { frames, audios: adtsFrames(readFileSync(audio)), sps, pps };
}

function encodeVideo(path: string, kbitPerSecond: number, gopSeconds: number): void {
  const rate = `${kbitPerSecond}k`;
  ffmpeg(path, [
    ...[
      '-f',
      'lavfi',
      '-i',
      `testsrc2=size=1920x1080:rate=${framesPerSecond}:duration=${seconds},noise=alls=12:allf=t`,
    ],
    ...[
      '-c:v',
      'libx264',
      '-preset',
      'veryfast',
      '-bf',
      '0',
      '-g',
      String(framesPerSecond * gopSeconds),
      '-pix_fmt',
      'yuv420p',
    ],
    ...['-b:v', rate, '-maxrate', rate, '-bufsize', `${kbitPerSecond / 2}k`],
    ...['-x264-params', 'aud=1:repeat-headers=1:scenecut=0', '-f', 'h264'],
  ]);
}

function encodeAudio(path: string): void {
  const source = `sine=frequency=440:sample_rate=${audioRate}:duration=${seconds}`;
  ffmpeg(path, ['-f', 'lavfi', '-i', source, '-c:a', 'aac', '-b:a', '96k', '-ac', '2', '-f', 'adts']);
}

function ffmpeg(path: string, args: string[]): void {
  const part = `${path}.part`;
  execFileSync('ffmpeg', ['-v', 'error', '-y', ...args, part]);
  renameSync(part, path);
}

function nalType(nal: Buffer): number {
  return (nal[0] ?? 0) & 0x1f;
}

/** Splits an Annex B byte stream (ITU-T H.264, B.1). */
function nalUnits(bytes: Buffer): Buffer[] {
  const startCode = Buffer.from([0, 0, 1]);
  const units: Buffer[] = [];
  let from = bytes.indexOf(startCode);
  while (from !== -1) {
    const next = bytes.indexOf(startCode, from + 3);
    let end = next === -1 ? bytes.length : next;
    while (end > from + 3 && bytes[end - 1] === 0) end--;
    units.push(bytes.subarray(from + 3, end));
    from = next;
  }
  return units;
}

/** Groups NAL units by the access unit delimiters (type 9), which are left out. */
function accessUnits(nals: readonly Buffer[]): Buffer[][] {
  const units: Buffer[][] = [];
  for (const nal of nals) {
    if (nalType(nal) === 9) units.push([]);
    else units.at(-1)?.push(nal);
  }
  return units;
}

/** Splits an ADTS stream (ISO/IEC 14496-3, 1.A.3.2) into raw frames. */
function adtsFrames(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  let at = 0;
  while (at + 7 <= bytes.length) {
    const length = (bytes.readUInt32BE(at + 2) >>> 5) & 0x1fff;
    const headerLength = (bytes.readUInt8(at + 1) & 1) === 1 ? 7 : 9;
    frames.push(bytes.subarray(at + headerLength, at + length));
    at += length;
  }
  return frames;
}
