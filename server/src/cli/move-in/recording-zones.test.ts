// Recordings whose names are local times, where clocks are set and where the zone is not the right one.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { ImportedCatalog } from '../../archive/catalog/catalog.ts';
import { catalogMs } from '../../archive/segments/segments.ts';
import { ManualClock } from '../../base/manual-clock.ts';
import { importRecordings, recordingsOf } from './recordings.ts';

const minuteMs = 60_000;
const fileMs = 4_000;
const template = '%path/%Y-%m-%dT%H-%M-%S.mp4';
/** When clocks are set, and by how many minutes. */
const transitions = [
  { zone: 'Europe/Berlin', at: Date.UTC(2026, 9, 25, 1), by: -60 },
  { zone: 'America/New_York', at: Date.UTC(2026, 10, 1, 6), by: -60 },
  { zone: 'Australia/Lord_Howe', at: Date.UTC(2026, 3, 4, 15), by: -30 },
  { zone: 'Europe/Berlin', at: Date.UTC(2026, 2, 29, 1), by: 60 },
  { zone: 'America/New_York', at: Date.UTC(2026, 2, 8, 7), by: 60 },
  { zone: 'Australia/Lord_Howe', at: Date.UTC(2026, 9, 3, 15, 30), by: 30 },
] as const;

let made: string;

before(async () => {
  made = await mkdtemp(join(tmpdir(), 'vidette-zones-'));
  const source = ['-v', 'error', '-f', 'lavfi', '-i', 'testsrc2=s=64x36:r=25:d=4'];
  const coding = ['-c:v', 'libx264', '-g', '25', '-pix_fmt', 'yuv420p'];
  const fragments = ['-movflags', 'empty_moov+default_base_moof+frag_keyframe'];
  await promisify(execFile)('ffmpeg', [...source, ...coding, ...fragments, join(made, 'made.mp4')]);
});
after(() => rm(made, { recursive: true }));

interface Scene {
  readonly root: string;
  readonly catalogPath: string;
  /** When the recordings begin, ms since the epoch. */
  readonly startsMs: readonly number[];
}

/** A recording every five minutes, 90 minutes before and after the clocks are set; those after it begin two seconds later. */
async function scene(t: TestContext, zone: string, atMs: number, isNoted = false): Promise<Scene> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-zones-'));
  t.after(() => rm(folder, { recursive: true }));
  await mkdir(join(folder, 'root/gate'), { recursive: true });
  const format = new Intl.DateTimeFormat('sv-SE', {
    timeZone: zone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  const startsMs = Array.from({ length: 36 }, (_, index) => {
    const ms = atMs + (index - 18) * 5 * minuteMs;
    return ms < atMs ? ms : ms + 2_000;
  });
  for (const startMs of startsMs) {
    const name = format.format(startMs).replace(' ', 'T').replaceAll(':', '-');
    const path = join(folder, 'root/gate', `${name}.mp4`);
    if (isNoted) await writeFile(path, withStart(await readFile(join(made, 'made.mp4')), startMs));
    else await copyFile(join(made, 'made.mp4'), path);
    const endS = (startMs + fileMs) / 1000;
    await utimes(path, endS, endS);
  }
  return { root: join(folder, 'root'), catalogPath: join(folder, 'imported.sqlite'), startsMs };
}

/** A file with the box in which MediaMTX notes when the recording began. */
function withStart(file: Buffer, startMs: number): Buffer {
  const box = (type: string, body: Buffer) => {
    const header = Buffer.alloc(8);
    header.writeUInt32BE(8 + body.length);
    header.write(type, 4, 'latin1');
    return Buffer.concat([header, body]);
  };
  const mtxi = Buffer.alloc(44);
  mtxi.writeBigUInt64BE(BigInt(startMs) * 1_000_000n, 36);
  const moov = file.indexOf('moov') - 4;
  const end = moov + file.readUInt32BE(moov);
  // Another program's, ended as QuickTime does, comes first.
  const udta = Buffer.concat([
    box('udta', Buffer.concat([box('abcd', Buffer.alloc(3)), Buffer.alloc(4)])),
    box('udta', box('mtxi', mtxi)),
  ]);
  const whole = Buffer.concat([file.subarray(0, end), udta, file.subarray(end)]);
  whole.writeUInt32BE(end - moov + udta.length, moov);
  return whole;
}

async function imports({ root, catalogPath }: Scene, zone: string) {
  const [report] = await importRecordings({
    cameras: [recordingsOf('gate', 'gate', { root, template, zone })],
    uids: new Map([['gate', 'cam1']]),
    catalogPath,
    clock: new ManualClock(),
    out: () => {},
  });
  const notes = report?.notes.map(({ reason, files }) => [reason, files] as const);
  return { files: report?.files, knownFiles: report?.knownFiles, notes };
}

/** When the recordings on the timeline begin and end, ms since the epoch. */
function spansOf({ catalogPath }: Scene): (readonly [number, number])[] {
  const catalog = ImportedCatalog.open(catalogPath, 1000);
  const { reads } = catalog;
  const stream = reads.stream('cam1');
  const found = catalog.filesFrom(stream?.id ?? 0, 0, 1000).map(({ startTicks }) => {
    const row = reads.segment(stream?.id ?? 0, startTicks);
    return [catalogMs(startTicks), catalogMs(row?.endTicks ?? 0)] as const;
  });
  catalog.close();
  for (const [index, [startMs]] of found.entries())
    assert.ok(startMs >= (found[index - 1]?.[1] ?? 0), `${new Date(startMs).toISOString()} overlaps`);
  return found;
}

function startsOf(found: Scene): number[] {
  return spansOf(found).map(([startMs]) => startMs);
}

for (const { zone, at, by } of transitions)
  test(`[R16.3] recordings of ${zone} are at their times where clocks are set by ${by} minutes`, async (t) => {
    const found = await scene(t, zone, at);
    assert.deepEqual(await imports(found, zone), { files: 36, knownFiles: 0, notes: [] });
    assert.deepEqual(startsOf(found), found.startsMs);
    assert.deepEqual(await imports(found, zone), { files: 36, knownFiles: 36, notes: [] });
    assert.deepEqual(startsOf(found), found.startsMs);
  });

test('[R16.3] names of another zone are suspected, and the import with the right one moves what is there', async (t) => {
  for (const { zone, at } of transitions) {
    const found = await scene(t, zone, at);
    const wrong = await imports(found, 'Asia/Tokyo');
    assert.ok(
      wrong.notes?.some(
        ([reason, files]) => / h (after|before) its end by its name/.test(reason) && files >= 18,
      ),
      JSON.stringify(wrong),
    );
    assert.notDeepEqual(startsOf(found), found.startsMs);
    const right = await imports(found, zone);
    assert.equal(right.files, 36, JSON.stringify(right));
    assert.ok(right.notes?.some(([reason]) => reason.startsWith('it was imported as of another time zone')));
    assert.deepEqual(startsOf(found), found.startsMs);
    assert.deepEqual(await imports(found, zone), { files: 36, knownFiles: 36, notes: [] });
  }
});

test('[R16.3] a zone that differs for a part of the year leaves the rest alone', async (t) => {
  const [{ at }] = transitions;
  const found = await scene(t, 'Europe/Berlin', at);
  // Always an hour from UTC: right after the clocks were set back.
  await imports(found, 'Africa/Lagos');
  const right = await imports(found, 'Europe/Berlin');
  assert.equal(right.files, 36, JSON.stringify(right));
  assert.deepEqual(startsOf(found), found.startsMs);
});

test('[R16.3] a name that clocks skip says that the zone is another one', async (t) => {
  const { at } = transitions[3];
  const found = await scene(t, 'UTC', at + 60 * minuteMs);
  const { files, notes } = await imports(found, 'Europe/Berlin');
  assert.equal(files, 24);
  assert.ok(
    notes?.some(([reason, count]) => /clocks skip/.test(reason) && count === 12),
    JSON.stringify(notes),
  );
});

test('[R16.3] the time that MediaMTX notes in a file counts, whatever zone its name is of', async (t) => {
  for (const { zone, at } of transitions) {
    const found = await scene(t, zone, at, true);
    const doubt = 'its name is a time of another time zone: the time inside of the file is used';
    assert.deepEqual(await imports(found, 'Asia/Kathmandu'), {
      files: 36,
      knownFiles: 0,
      notes: [[doubt, 36]],
    });
    assert.deepEqual(startsOf(found), found.startsMs);
    assert.deepEqual((await imports(found, 'Asia/Kathmandu')).knownFiles, 36);
    assert.deepEqual(await imports(found, zone), { files: 36, knownFiles: 36, notes: [] });
  }
});
