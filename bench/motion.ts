/**
 * How well motion is detected from the sizes of encoded frames, and at what cost: generated scenes with known
 * motion, each encoded in several ways. Precision and recall count events: a crossing is detected when an event
 * overlaps it, within three seconds; an event that overlaps no crossing is a false positive.
 *
 *   npm run bench motion [FOLDER]
 *
 * With FOLDER the clips are kept there and reused. Drawing and encoding them takes minutes of one core.
 */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { MotionDetector, type FrameSize, type MotionEvent } from '../server/src/motion/motion-detector.ts';
import { encoders, sceneArguments, scenes, stillArguments, type MotionScene } from './motion-scenes.ts';

const toleranceMs = 3_000;
const run = promisify(execFile);
const [kept] = process.argv.slice(2);
const folder = kept === undefined ? await mkdtemp(join(tmpdir(), 'motion-')) : resolve(kept);
await mkdir(folder, { recursive: true });

let frames = 0;
let busyMs = 0;
try {
  for (const args of stillArguments()) if (!existsSync(join(folder, args.at(-1) ?? ''))) await ffmpeg(args);
  process.stdout.write(
    '| scene | encoder | crossings | events | precision | recall | time right |\n|---|---|---|---|---|---|---|\n',
  );
  for (const scene of scenes) await measure(scene);
  process.stdout.write(
    `\n${frames} frames in ${busyMs.toFixed(0)} ms: ${((1_000 * busyMs) / frames).toFixed(2)} µs a frame, ` +
      `${((100 * 25 * busyMs) / frames / 1_000).toFixed(4)} % of a core for a stream of 25 frames a second\n`,
  );
} finally {
  if (kept === undefined) await rm(folder, { recursive: true, force: true });
}

async function measure(scene: MotionScene): Promise<void> {
  const clips = encoders.map((encoder, index) => ({ encoder, file: `${scene.name}-${index}.mp4` }));
  const missing = clips.filter(({ file }) => !existsSync(join(folder, file)));
  if (missing.length > 0) {
    const parts = missing.map(({ encoder, file }) => ({ encoder, file: `part-${file}` }));
    await ffmpeg(sceneArguments(scene, parts));
    for (const { file } of missing) await rename(join(folder, `part-${file}`), join(folder, file));
  }
  const sum = { truths: 0, found: 0, events: 0, right: 0 };
  for (const { encoder, file } of clips) {
    const events = detect(await framesOf(file));
    const truths = scene.crossings.map(({ fromS, toS }) => ({ startMs: fromS * 1_000, endMs: toS * 1_000 }));
    const found = truths.filter((truth) => events.some((event) => touches(event, truth))).length;
    const right = events.filter((event) => truths.some((truth) => touches(event, truth))).length;
    sum.truths += truths.length;
    sum.found += found;
    sum.events += events.length;
    sum.right += right;
    row(scene.name, encoder.name, truths.length, found, events.length, right, timeRight(events, truths));
    if (process.env['MOTION_EVENTS']) process.stdout.write(`${events.map(inWords).join(' ')}\n`);
  }
  row(scene.name, '**all**', sum.truths, sum.found, sum.events, sum.right);
}

function row(
  scene: string,
  name: string,
  truths: number,
  found: number,
  events: number,
  right: number,
  time?: number,
) {
  const share = (part: number, of: number) => (of === 0 ? '–' : (part / of).toFixed(2));
  const cells = [
    scene,
    name,
    truths,
    events,
    share(right, events),
    share(found, truths),
    time?.toFixed(2) ?? '',
  ];
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
}

function inWords({ startMs, endMs, score }: MotionEvent): string {
  return `${(startMs / 1_000).toFixed(1)}-${(endMs / 1_000).toFixed(1)}x${score.toFixed(2)}`;
}

interface MotionSpan {
  readonly startMs: number;
  readonly endMs: number;
}

function touches(a: MotionSpan, b: MotionSpan): boolean {
  return a.startMs < b.endMs + toleranceMs && a.endMs > b.startMs - toleranceMs;
}

/** Time in both, divided by time in either. */
function timeRight(a: readonly MotionSpan[], b: readonly MotionSpan[]): number {
  const length = (spans: readonly MotionSpan[]) =>
    spans.reduce((sum, { startMs, endMs }) => sum + endMs - startMs, 0);
  const both = a.flatMap((one) =>
    b.map((other) => ({
      startMs: Math.max(one.startMs, other.startMs),
      endMs: Math.max(one.startMs, other.startMs, Math.min(one.endMs, other.endMs)),
    })),
  );
  const shared = length(both);
  const either = length(a) + length(b) - shared;
  return either === 0 ? 1 : shared / either;
}

function detect(clip: readonly FrameSize[]): MotionEvent[] {
  const events: MotionEvent[] = [];
  const detector = new MotionDetector((event) => {
    if (!event.isOpen && !event.isTentative) events.push(event);
  });
  const fromMs = performance.now();
  for (const frame of clip) detector.frame(frame);
  detector.interrupt();
  busyMs += performance.now() - fromMs;
  frames += clip.length;
  return events;
}

async function framesOf(file: string): Promise<FrameSize[]> {
  const entries = 'packet=pts_time,dts_time,size,flags';
  const args = `-v error -select_streams v -show_entries ${entries} -of csv=p=0 ${file}`.split(' ');
  const { stdout } = await run('ffprobe', args, { cwd: folder, maxBuffer: 1 << 28 });
  let highest = -Infinity;
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      const [pts = '', dts = '', size = '', flags = ''] = line.split(',');
      const isKey = flags.startsWith('K');
      const isReordered = !isKey && Number(pts) < highest;
      highest = isKey ? Number(pts) : Math.max(highest, Number(pts));
      return { timeMs: 1_000 * Number(dts), bytes: Number(size), isKey, isReordered };
    });
}

async function ffmpeg(args: readonly string[]): Promise<void> {
  await run('nice', ['-n', '15', 'ffmpeg', '-hide_banner', '-loglevel', 'error', '-y', ...args], {
    cwd: folder,
    maxBuffer: 1 << 24,
  });
}
