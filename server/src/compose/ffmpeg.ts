import type { Render } from '../engine/snapshots.ts';
import { confinementWords, findConfinement } from '../ffmpeg/confinement.ts';
import { isFfmpegInstalled } from '../ffmpeg/installed.ts';
import { FfmpegPool } from '../ffmpeg/pool.ts';
import { SourceEngines } from '../ingest/source-engines.ts';
import { SourceProber } from '../ingest/source-prober.ts';
import type { Foundation } from './foundation.ts';
import { opened, type Closer, type Opened } from '../base/opened.ts';

/** The child processes of native media code, and their users. */
export type Ffmpeg = Opened<Awaited<ReturnType<typeof openFfmpeg>>>;

export function composeFfmpeg(foundation: Foundation): Promise<Ffmpeg> {
  return opened((closers) => openFfmpeg(foundation, closers));
}

async function openFfmpeg({ clock, log }: Foundation, closers: Closer[]) {
  const found = await findConfinement();
  const { level: confinement } = found;
  log[confinement === 'none' ? 'warn' : 'info']({ confinement }, confinementWords[confinement]);
  const pool = new FfmpegPool({ clock, log, confinement: found });
  closers.push(() => pool.dispose('the server stops'));
  const engines = new SourceEngines({ clock, ffmpeg: pool });
  const prober = new SourceProber({ clock, ffmpeg: pool, engines });
  const renderSnapshot: Render = (track, keySample, maxWidth) =>
    pool.snapshot(track, keySample, { maxWidth });
  // Under load a snapshot is late; meanwhile `Snapshots` serves the last good one.
  const renderLate: Render = (track, keySample, maxWidth) =>
    pool.snapshot(track, keySample, { maxWidth, deadlineMs: 60_000 });
  return { confinement, pool, hasFfmpeg: isFfmpegInstalled(), engines, prober, renderSnapshot, renderLate };
}
