import { Frame, Log } from 'node-av/lib';
import { AV_LOG_QUIET, AV_PIX_FMT_YUV420P } from 'node-av/constants';
import type { SampleRecord } from '@vidette/media/sample';
import { rescaleTicks } from '@vidette/media/time';
import type { VideoTrack } from '@vidette/media/track';
import { H264Encoder } from './codec/h264-encoder.ts';
import { Canvas, colour } from './demo/canvas.ts';

/** What a yard looks like at a moment. */
export interface YardScene {
  /** Whether the bicycle stands there. */
  readonly hasBicycle: boolean;
  /** A person walks past it. */
  readonly hasPerson: boolean;
  /** Brightness of the day, 0.2 to 1. */
  readonly light: number;
}

/** Where the bicycle stands, as shares of the frame. */
export const bicycle = { left: 0.6, top: 0.5, width: 0.15, height: 0.25 };

const width = 320;
const height = 180;
/** Encoded frames of one scene, which differ in their noise. */
const takes = 3;
const timescale = 90_000;

/**
 * A generated view of a yard, one key frame for each GOP, so that the archive of a month is small. Frames of equal
 * scenes are encoded a few times, with different noise.
 */
export async function yardFootage(
  gopMs: number,
  sceneAt: (utcMs: number) => YardScene,
  lights: readonly number[],
): Promise<{
  readonly tracks: readonly VideoTrack[];
  between(fromMs: number, toMs: number): SampleRecord[];
}> {
  Log.setLevel(AV_LOG_QUIET);
  const encoder = new H264Encoder({ trackId: 1, width, height, fps: 1, crf: 28 });
  const frames = new Map<string, Uint8Array>();
  try {
    for (const light of lights) {
      for (const hasBicycle of [false, true]) {
        for (const hasPerson of [false, true]) {
          for (let take = 0; take < takes; take++) {
            const scene = { light, hasBicycle, hasPerson };
            frames.set(keyOf(scene, take), await keyFrameOf(encoder, draw(scene, take), frames.size));
          }
        }
      }
    }
  } finally {
    encoder.close();
  }
  return {
    tracks: [encoder.track],
    between(fromMs, toMs) {
      const samples: SampleRecord[] = [];
      for (let gop = Math.ceil(fromMs / gopMs); gop * gopMs < toMs; gop++) {
        const bytes = frames.get(keyOf(sceneAt(gop * gopMs), gop % takes));
        if (!bytes) throw new RangeError('A scene in a light that was not declared.');
        const dts = rescaleTicks(gop * gopMs, 1000, timescale);
        const { id: trackId } = encoder.track;
        samples.push({
          trackId,
          dts,
          pts: dts,
          isKey: true,
          isDamaged: false,
          data: [bytes],
          size: bytes.length,
        });
      }
      return samples;
    },
  };
}

async function keyFrameOf(encoder: H264Encoder, { pixels }: Canvas, index: number): Promise<Uint8Array> {
  const frame = Frame.fromVideoBuffer(pixels, { width, height, format: AV_PIX_FMT_YUV420P });
  try {
    const coded = await encoder.encode(frame, index * timescale, true);
    if (!coded) throw new RangeError('The encoder returned nothing.');
    return coded.bytes;
  } finally {
    frame.free();
  }
}

function keyOf({ hasBicycle, hasPerson, light }: YardScene, take: number): string {
  return `${hasBicycle} ${hasPerson} ${light} ${take}`;
}

function draw({ hasBicycle, hasPerson, light }: YardScene, take: number): Canvas {
  const canvas = new Canvas(width, height);
  const lit = (level: number) => {
    const value = Math.round(level * light);
    return colour(value, value, value);
  };
  const fill = (x: number, y: number, boxWidth: number, boxHeight: number, level: number) =>
    canvas.fill(
      even(x * width),
      even(y * height),
      even(boxWidth * width),
      even(boxHeight * height),
      lit(level),
    );
  fill(0, 0, 1, 0.4, 190);
  fill(0, 0.4, 1, 0.6, 110);
  for (let window = 0; window < 5; window++) fill(0.05 + window * 0.19, 0.1, 0.1, 0.18, 60);
  fill(0.02, 0.45, 0.3, 0.4, 150);
  const { left, top } = bicycle;
  if (hasBicycle) {
    fill(left + 0.01, top + 0.12, 0.05, 0.1, 20);
    fill(left + 0.09, top + 0.12, 0.05, 0.1, 20);
    fill(left + 0.03, top + 0.06, 0.09, 0.06, 220);
  }
  if (hasPerson) fill(left + 0.04, top - 0.15, 0.07, 0.45, 235);
  // The same noise for a take, of one in eight pixels.
  let seed = 7 + take;
  for (let at = 0; at < width * height; at += 8) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
    canvas.pixels[at] = Math.max(16, Math.min(235, (canvas.pixels[at] ?? 0) + (seed % 13) - 6));
  }
  return canvas;
}

function even(value: number): number {
  return 2 * Math.round(value / 2);
}
