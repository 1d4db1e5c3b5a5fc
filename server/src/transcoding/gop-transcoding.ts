import { fragment, type FragmentTrack } from '@vidette/media/fmp4/fragment';
import { initSegment } from '@vidette/media/fmp4/init';
import type { Sample } from '@vidette/media/sample';
import type { Track, VideoTrack } from '@vidette/media/track';
import { Fault } from '../base/fault.ts';
import type { JobListener } from '../ffmpeg/worker-process.ts';
import type { FfmpegJob } from '../ffmpeg/job.ts';
import type { FfmpegPool } from '../ffmpeg/pool.ts';
import { sampleOf } from './live-transcoding.ts';
import { requestFor } from './request.ts';

/** One group of recorded frames with its audio: a sequence of samples for each track. */
export type RecordedGop = readonly FragmentTrack[];

/**
 * Transcodes a recorded GOP to H.264, as a fragmented MP4 of its own: the same times, the audio unchanged.
 * @throws Fault NotFound if there are no frames in it, ProbeError; the signal's reason
 */
export async function transcodeGop(
  gop: RecordedGop,
  pool: FfmpegPool,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const run = gop.find(({ track }) => track.kind === 'video');
  if (run?.track.kind !== 'video') throw new Fault('NotFound', 'No video is recorded there.');
  const [first] = run.samples;
  const video = await transcodeFrames(run.track, run.samples, pool, signal);
  const [earliest] = video.samples;
  if (!first || !earliest) throw untranscodable();
  // Reordered frames are presented later than they are decoded; the output's decode times are its presentation
  // times.
  const endDts = Math.max(run.endDts + first.pts - first.dts, (video.samples.at(-1)?.dts ?? 0) + 1);
  const runs: FragmentTrack[] = gop.map((other) =>
    other === run ? { track: video.track, samples: video.samples, endDts } : other,
  );
  const init = initSegment(runs.map(({ track }) => track));
  const { slices, size } = fragment({ sequence: 1, tracks: runs });
  return Buffer.concat([init, ...slices], init.length + size);
}

/** One job in a child process, fed no faster than it accepts data. */
async function transcodeFrames(
  source: VideoTrack,
  samples: readonly Sample[],
  pool: FfmpegPool,
  signal: AbortSignal,
): Promise<{ track: Track; samples: readonly Sample[] }> {
  signal.throwIfAborted();
  const done = Promise.withResolvers<void>();
  let track: Track | undefined;
  const converted: Sample[] = [];
  const job = openJob(source, pool, {
    message(message) {
      if (message.type === 'tracks') track ??= message.tracks[0];
      else if (message.type === 'sample') converted.push(sampleOf(message, source.id));
    },
    ended(fault) {
      if (fault) done.reject(untranscodable(fault));
      else done.resolve();
    },
  });
  const abort = () => done.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    await Promise.race([feed(job, samples), done.promise]);
    await done.promise;
  } finally {
    signal.removeEventListener('abort', abort);
    job.close();
  }
  if (!track) throw untranscodable();
  return { track: { ...track, id: source.id }, samples: converted };
}

/** @throws Fault ProbeError, e.g. on a machine without node-av */
function openJob(source: VideoTrack, pool: FfmpegPool, listener: JobListener): FfmpegJob {
  try {
    return pool.open(() => requestFor(source, false), 'transcode', listener);
  } catch (cause) {
    throw untranscodable(cause);
  }
}

function untranscodable(cause?: unknown): Fault {
  return new Fault('ProbeError', 'The video cannot be transcoded.', { cause });
}

/** Resolves when the job has everything, or has ended. */
async function feed(job: FfmpegJob, samples: readonly Sample[]): Promise<void> {
  for (const { data, pts } of samples) {
    if (!(await job.send(Buffer.concat(data), pts))) return;
  }
  await job.send(new Uint8Array(), 0);
}
