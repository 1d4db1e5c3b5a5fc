import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from '../../base/manual-clock.ts';
import { eventually } from '../../base/until-fixture.ts';
import { MARKER_NAME, writeMarker } from '../segments/segments.ts';
import { RecordingDisk } from './recording-disk.ts';

const wrong = { code: 'wrong-disk' };

/** A disk with the marker of its archive, and what the catalog expects. */
async function withDisk(
  run: (disk: RecordingDisk, root: string, clock: ManualClock) => Promise<void>,
): Promise<void> {
  const root = await mkdtemp(join(tmpdir(), 'vidette-recording-disk-'));
  const clock = new ManualClock();
  const reads = { identity: () => ({ archiveId: 'ours' }) as never };
  const disk = new RecordingDisk({ root, reads, clock });
  try {
    await writeMarker(root, 'ours');
    await run(disk, root, clock);
  } finally {
    disk.stop();
    await rm(root, { recursive: true, force: true });
  }
}

const isAssertion = (error: unknown) => error instanceof assert.AssertionError;

test('[R10.4] a disk that is removed while a file is open is noticed by a look, and used again when it is back', async () => {
  await withDisk(async (disk, root, clock) => {
    await disk.assertStillReady();
    await rm(join(root, MARKER_NAME));
    clock.advance(2_000);
    await eventually(() => assert.rejects(disk.assertStillReady(), wrong), isAssertion);
    await writeMarker(root, 'ours');
    await disk.assertStillReady();
    await disk.assertReady();
  });
});

test('[R10.4] the disk of another archive is refused', async () => {
  await withDisk(async (disk, root) => {
    await writeMarker(root, 'theirs');
    await assert.rejects(disk.assertReady(), wrong);
  });
});

test('[R10.4] nothing is written before the disk is in order', async () => {
  await withDisk(async (disk) => {
    disk.note(false);
    await assert.rejects(disk.assertReady(), wrong);
    await assert.rejects(disk.assertStillReady(), wrong);
    disk.note(true);
    await disk.assertStillReady();
  });
});
