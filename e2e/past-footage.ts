import { join } from 'node:path';
import { type ArchiveLimits, openArchive } from '../server/src/archive/archive.ts';
import { connect, footageOf, type RecordedFixture } from '../server/src/archive/fixtures/footage-fixture.ts';
import { catalogPath } from '../server/src/archive/segments/segments.ts';
import { silentLog } from '../server/src/base/log.ts';
import { ManualClock } from '../server/src/base/manual-clock.ts';
import { Stream } from '../server/src/hub/stream.ts';
import type { Fragment } from './footage.ts';

/**
 * Records past time spans into the data folder of a stopped server, with the recorder itself: real frames with
 * audio, one key frame a second. The camera was unreachable in between, and the server has been off since the
 * last one.
 */
export async function recordPast(
  dataDir: string,
  uid: string,
  spans: readonly Fragment[],
  limits: Partial<ArchiveLimits> = {},
  /** The folder of the footage if it is not in the data folder. */
  {
    dir = join(dataDir, 'archive'),
    footage = footageOf('h264-no-b.mp4', 'aac.mp4'),
  }: { readonly dir?: string; readonly footage?: RecordedFixture } = {},
): Promise<void> {
  const archive = await openArchive({
    dir,
    catalog: catalogPath(join(dataDir, 'archive')),
    clock: new ManualClock(spans[0]?.startMs),
    log: silentLog,
    // A span is written in one turn, and must not be shed.
    limits: { groupMs: 0, queueMaxBytes: 2 ** 30, ...limits },
  });
  try {
    const stream = new Stream(uid);
    const recorder = archive.recorders.record(uid, stream);
    for (const { startMs, endMs } of spans) {
      connect(stream, footage, startMs, endMs);
      stream.pause('unreachable');
    }
    await recorder.stop('server-stopped');
  } finally {
    await archive.close();
  }
}
