import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { walkBoxes } from '@vidette/media/fmp4/box';
import { parseInit } from '@vidette/media/fmp4/read-init';
import { parseFragmentHeader } from '@vidette/media/fmp4/read-moof';
import type { Sample } from '@vidette/media/sample';
import type { Track } from '@vidette/media/track';

/** A few seconds of real video and audio, for a test to write into a hub. */
export interface LiveClip {
  readonly tracks: readonly Track[];
  /** In the order in which a camera sends them, with absolute times from `startMs`. */
  readonly samples: readonly Sample[];
}

export interface ClipOptions {
  readonly seconds: number;
  readonly framesPerSecond?: number;
  readonly gopSeconds?: number;
  readonly hasAudio?: boolean;
  /** With B-frames. Default false. */
  readonly isReordered?: boolean;
}

/** The start time of every clip, ms since the epoch. */
export const clipStartMs = Date.UTC(2026, 0, 1);

/** Encodes a small clip with ffmpeg. */
export async function encodeClip(options: ClipOptions): Promise<LiveClip> {
  const { seconds, framesPerSecond = 25, gopSeconds = 1, hasAudio = true, isReordered = false } = options;
  const source = `testsrc2=s=320x240:r=${framesPerSecond}:d=${seconds}`;
  // The encoder puts one frame of 1024 silent PCM samples before the audio, which must begin at 0 like the
  // video.
  const input = `-f lavfi -i ${source} -itsoffset ${1024 / 48_000} -f lavfi -i sine=440:r=48000:d=${seconds}`;
  const maps = hasAudio ? '-map 0:v -map 1:a -c:a aac' : '-map 0:v';
  const order = isReordered ? '-bf 2 -b_strategy 0' : '-tune zerolatency';
  const video = `-c:v libx264 -preset ultrafast ${order} -pix_fmt yuv420p -g ${framesPerSecond * gopSeconds}`;
  const output = '-video_track_timescale 90000 -movflags frag_keyframe+empty_moov+default_base_moof -f mp4 -';
  const args = `-v error ${input} ${maps} ${video} ${output}`.split(' ');
  const { stdout } = await promisify(execFile)('ffmpeg', args, { encoding: 'buffer', maxBuffer: 1 << 28 });
  return readClip(stdout);
}

/** The tracks and samples of a fragmented MP4 with consecutive fragments. */
function readClip(bytes: Uint8Array): LiveClip {
  const boxes = [...walkBoxes(bytes)];
  const moov = boxes.findIndex(({ type }) => type === 'moov');
  const initBytes = boxes.slice(0, moov + 1).reduce((sum, { size }) => sum + size, 0);
  const tracks = parseInit(bytes.subarray(0, initBytes));
  const samples: Sample[] = [];
  let offset = 0;
  for (const box of boxes) {
    if (box.type === 'moof') samples.push(...samplesOf(bytes, offset, box.size, tracks));
    offset += box.size;
  }
  const secondsOf = ({ trackId, dts }: Sample) =>
    dts / (tracks.find(({ id }) => id === trackId)?.timescale ?? 1);
  return { tracks, samples: samples.toSorted((a, b) => secondsOf(a) - secondsOf(b)) };
}

function samplesOf(
  bytes: Uint8Array,
  moofOffset: number,
  moofSize: number,
  tracks: readonly Track[],
): Sample[] {
  const header = parseFragmentHeader(bytes.subarray(moofOffset, moofOffset + moofSize));
  return header.tracks.flatMap((run) => {
    const timescale = tracks.find(({ id }) => id === run.trackId)?.timescale ?? 1;
    let dts = run.baseDts + (clipStartMs / 1000) * timescale;
    let at = moofOffset + run.dataOffset;
    return run.samples.map(({ size, duration, isKey, compositionOffset }): Sample => {
      const data = bytes.subarray(at, at + size);
      const sample = {
        trackId: run.trackId,
        dts,
        pts: dts + compositionOffset,
        isKey,
        isDamaged: false,
        data: [data],
        size,
      };
      dts += duration;
      at += size;
      return sample;
    });
  });
}
