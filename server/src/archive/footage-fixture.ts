import type { Sample } from '@vidette/media/sample';
import { rescaleTicks } from '@vidette/media/time';
import type { Track } from '@vidette/media/track';
import { readClip } from '../../../media/fixtures/clip.ts';
import type { Stream } from '../hub/stream.ts';

/**
 * Real coded video and audio, repeated for as long as a test needs, for tests whose files are read by other
 * programs.
 */
export interface RecordedFixture {
  readonly tracks: readonly Track[];
  /** The samples whose decode time is in [fromMs, toMs), ordered by time. Ms since the epoch. */
  between(fromMs: number, toMs: number): Sample[];
}

/** 2026-11-20T22:00:00Z: no time zone changes to or from summer time around then. */
export const footageStartMs = Date.UTC(2026, 10, 20, 22);

const videoTimescale = 90_000;

/** Loops of clips of media/fixtures; the video has 25 frames a second and a key frame each second. */
export function footageOf(video: string | undefined, audio?: string): RecordedFixture {
  const loops = [video, audio]
    .filter((name) => name !== undefined)
    .map((name, index) => loopOf(name, index + 1));
  return {
    tracks: loops.map(({ track }) => track),
    between(fromMs, toMs) {
      const samples = loops.flatMap((loop) => loop.between(fromMs, toMs).map((sample) => ({ sample, loop })));
      samples.sort((a, b) => a.sample.dts / a.loop.track.timescale - b.sample.dts / b.loop.track.timescale);
      return samples.map(({ sample }) => sample);
    },
  };
}

/** The same, each frame longer by a NAL unit of filler data (H.264, 7.3.2.7) of this many bytes. */
export function heavier(footage: RecordedFixture, fillerBytes: number): RecordedFixture {
  const filler = Buffer.alloc(fillerBytes, 0xff);
  filler.writeUInt32BE(fillerBytes - 4, 0);
  filler[4] = 12;
  filler[fillerBytes - 1] = 0x80;
  const withFiller = (sample: Sample) => ({
    ...sample,
    data: [...sample.data, filler],
    size: sample.size + fillerBytes,
  });
  return { tracks: footage.tracks, between: (fromMs, toMs) => footage.between(fromMs, toMs).map(withFiller) };
}

/** Declares the tracks and writes a span, like a source that connects at its start. */
export function connect(stream: Stream, footage: RecordedFixture, fromMs: number, toMs: number): void {
  stream.setTracks(footage.tracks);
  deliver(stream, footage, fromMs, toMs);
}

export function deliver(stream: Stream, footage: RecordedFixture, fromMs: number, toMs: number): void {
  for (const sample of footage.between(fromMs, toMs)) stream.write(sample);
}

function loopOf(name: string, id: number): { track: Track; between(fromMs: number, toMs: number): Sample[] } {
  const clip = readClip(name);
  const timescale = clip.track.kind === 'video' ? videoTimescale : clip.track.timescale;
  const ticks = (value: number) => rescaleTicks(value, clip.track.timescale, timescale);
  const [first] = clip.samples;
  const origin = ticks(first?.dts ?? 0);
  const lengthTicks = ticks(clip.endDts) - origin;
  return {
    track: { ...clip.track, id, timescale },
    between(fromMs, toMs) {
      const startTicks = rescaleTicks(footageStartMs, 1000, timescale);
      const from = rescaleTicks(fromMs, 1000, timescale);
      const to = rescaleTicks(toMs, 1000, timescale);
      const samples: Sample[] = [];
      for (let turn = Math.floor((from - startTicks) / lengthTicks); ; turn++) {
        const by = startTicks + turn * lengthTicks - origin;
        if (by + origin >= to) return samples;
        for (const sample of clip.samples) {
          const dts = ticks(sample.dts) + by;
          if (dts < from || dts >= to) continue;
          samples.push({ ...sample, trackId: id, dts, pts: ticks(sample.pts) + by });
        }
      }
    },
  };
}
