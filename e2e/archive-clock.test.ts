import assert from 'node:assert/strict';
import { mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import type { Page } from 'playwright-core';
import { clientOf, until } from './api.ts';
import { launchBrowser, newPerson, signInByCookie } from './browser.ts';
import { framesOf, inspect } from './footage.ts';
import { playerState } from './frame.ts';
import { LiveViewer } from './live-viewer.ts';
import { runProgram } from './loop-disk.ts';
import { checkArchive, footageIn, prepared, warningsOf } from './past-archive.ts';
import { recordPast } from './past-footage.ts';
import { startFakeCamera } from './rtsp/fake-camera.ts';
import { encodeClip } from './rtsp/fake-media.ts';
import { signIn, startServer, type TestServer } from './server.ts';

// A server whose wall clock is wrong at startup, and is set while it records.

const WAIT_MS = 90_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MINUTE_MS = 60_000;
/** Segments of `keptForTwoHours` that must be kept. */
const NOT_DUE = 6;

/** The wall clock of a server's process, which can be set while it runs (libfaketime); its monotonic clock is the machine's. */
class SettableClock {
  readonly env: Readonly<Record<string, string>>;
  readonly #file: string;
  #offMs = 0;

  private constructor(file: string, library: string) {
    this.#file = file;
    this.env = {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: file,
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      NO_FAKE_STAT: '1',
    };
  }

  static async make(t: TestContext, offMs: number): Promise<SettableClock> {
    const folder = await mkdtemp(join(tmpdir(), 'vidette-clock-'));
    t.after(() => rm(folder, { recursive: true, force: true }));
    const { output } = await runProgram('sh', ['-c', 'ls /usr/lib/*/faketime/libfaketimeMT.so.1']);
    const clock = new SettableClock(join(folder, 'offset'), output.trim());
    await clock.set(offMs);
    return clock;
  }

  /** Its current time, ms since the epoch. */
  get nowMs(): number {
    return Date.now() + this.#offMs;
  }

  /** Sets it, as an offset from the machine's clock. */
  async set(offMs: number): Promise<void> {
    await writeFile(`${this.#file}.new`, `${offMs < 0 ? '-' : '+'}${Math.abs(offMs) / 1000}s\n`);
    await rename(`${this.#file}.new`, this.#file);
    this.#offMs = offMs;
  }
}

/**
 * A stream that is recorded and kept for two hours, with six segments of ten seconds that are older than that and six that are
 * not, the last of them recorded just now.
 */
async function keptForTwoHours(t: TestContext) {
  const camera = await startFakeCamera({ clip: await encodeClip({ framesPerSecond: 5 }) });
  t.after(() => camera.stop());
  const made = await prepared(t, { source: camera.url, count: 0, isRecorded: true, depthHours: 2 });
  const nowMs = Math.floor(Date.now() / 1000) * 1000;
  const agesMs = [170, 160, 150, 140, 130, 125, 100, 80, 60, 40, 20, 1].map((minutes) => minutes * MINUTE_MS);
  const spans = agesMs.map((ageMs) => ({ startMs: nowMs - ageMs, endMs: nowMs - ageMs + 10_000 }));
  await recordPast(made.dataDir, made.uid, spans);
  return { ...made, spans };
}

/** Starts the server with a clock that is off by `offMs`, and records. */
async function running(t: TestContext, offMs: number) {
  const scene = await keptForTwoHours(t);
  const { folder, uid, spans } = scene;
  const pastNames = await footageIn(folder);
  assert.equal(pastNames.length, spans.length);
  const clock = await SettableClock.make(t, offMs);
  const server = await startServer({ dataDir: scene.dataDir, env: { ...scene.env, ...clock.env } });
  t.after(() => server.kill());
  const client = clientOf(server, await signIn(server));
  const namesNow = async () => new Set(await footageIn(folder));
  const around = (ms: number) => ({
    start_time: Math.round(ms - MINUTE_MS),
    end_time: Math.round(ms + MINUTE_MS),
  });
  return {
    ...scene,
    clock,
    server,
    client,
    pastNames,
    /** The existing segments from before the server's start. */
    past: () => namesNow().then((names) => pastNames.filter((name) => names.has(name))),
    /** The segments that this server recorded, by file name, oldest dates first. */
    recorded: () => namesNow().then((names) => [...names].filter((name) => !pastNames.includes(name))),
    /** Waits until this much has been recorded around the time that the clock shows. */
    records: (durationMs: number) =>
      until(
        () => client.getArchiveExtent({ params: { uid }, query: around(clock.nowMs) }),
        (extent) => extent.durationMs >= durationMs,
        WAIT_MS,
      ),
    isLive: () =>
      until(
        async () =>
          (await client.getArchiveRanges({ params: { uid }, query: around(clock.nowMs) })).ranges.at(-1),
        (last) => last?.status === 'live' && Math.abs(last.date - clock.nowMs) < MINUTE_MS,
        WAIT_MS,
      ),
    warns: (isWarned: boolean) =>
      until(
        () => warningsOf(client),
        (warnings) => warnings.includes('archive-clock') === isWarned,
        WAIT_MS,
      ),
  };
}

/** A browser on the page of a stream. */
async function openPlayer(t: TestContext, server: TestServer, cookie: string, uid: string): Promise<Page> {
  const browser = await launchBrowser();
  t.after(() => browser.close());
  const person = await newPerson(browser);
  await signInByCookie(person, server.url, cookie);
  const page = await person.newPage();
  await page.goto(`${server.url}/ui/stream/${uid}/view`);
  return page;
}

describe('clocks, each of a server of its own', { concurrency: 3 }, () => {
  test('[R10.3] [R10.4] a clock two days behind at the start deletes nothing; when it is corrected while the server runs, recording and retention follow it automatically', async (t) => {
    const scene = await running(t, -2 * DAY_MS);
    const { clock, server, past, pastNames, dataDir, env } = scene;
    // Longer than the interval between two retention passes.
    await scene.records(12_000);
    assert.deepEqual(await past(), pastNames);
    const wrong = await scene.recorded();
    await clock.set(0);
    const left = await until(past, (names) => names.length === NOT_DUE, WAIT_MS);
    assert.deepEqual(left, pastNames.slice(-NOT_DUE));
    await scene.records(3_000);
    await scene.isLive();
    // It is due according to its date, but only a minute old.
    const all = await scene.recorded();
    assert.deepEqual(all.slice(0, wrong.length), wrong);
    assert.deepEqual(await past(), left);
    await scene.warns(false);
    await server.stop();
    await checkArchive(dataDir, env);
  });

  test('[R10.3] [R10.4] a clock forty days ahead at startup, corrected, set back ten minutes, corrected again and set two hours forward: nothing is lost, overwritten or reordered', async (t) => {
    const scene = await running(t, 40 * DAY_MS);
    const { clock, server, past, pastNames, dataDir, env } = scene;
    await scene.warns(true);
    await scene.records(3_000);
    // Retention deletes only segments that are due by the clock that recorded them; by the wrong clock all would
    // be due.
    const left = await until(past, (names) => names.length === NOT_DUE, WAIT_MS);
    assert.deepEqual(left, pastNames.slice(-NOT_DUE));
    await clock.set(0);
    await scene.warns(false);
    await scene.isLive();
    await scene.records(3_000);
    const before = await scene.recorded();
    // Existing recordings are neither overwritten nor interleaved: recording continues after them.
    await clock.set(-600_000);
    await until(scene.recorded, (names) => names.length > before.length, WAIT_MS);
    await clock.set(0);
    await scene.records(10_000);
    await scene.isLive();
    await clock.set(2 * HOUR_MS);
    await scene.warns(true);
    await scene.records(3_000);
    await clock.set(0);
    await scene.warns(false);
    await scene.isLive();
    assert.deepEqual(await past(), left);
    const all = await scene.recorded();
    for (const name of before) assert.ok(all.includes(name), name);
    await server.stop();
    await checkArchive(dataDir, env);
  });

  test('[R10.3] who watches a camera sees on while the clock is corrected a little, set forward and set back', async (t) => {
    const scene = await running(t, 0);
    const { clock, server, client, uid, dataDir, env } = scene;
    const viewer = await LiveViewer.watch(server, scene.cookie, uid);
    t.after(() => viewer.close());
    await viewer.receive(10);
    const page = await openPlayer(t, server, scene.cookie, uid);
    for (const offMs of [1_500, -1_500, HOUR_MS, -600_000]) {
      const runs = viewer.media.length;
      await clock.set(offMs);
      // Small corrections are made while frames go on, larger ones begin a new run.
      if (Math.abs(offMs) > 3_000) {
        await until(
          () => viewer.media.length,
          (now) => now > runs,
          WAIT_MS,
        );
      }
      await viewer.receive((viewer.media.at(-1)?.fragments.length ?? 0) + 25);
      await until(
        () => playerState(page),
        ({ state, utcMs }) => state === 'playing' && Math.abs(utcMs - clock.nowMs) < 5_000,
        WAIT_MS,
      );
      const stats = await client.getArchiveStats({ params: { uid } });
      await until(
        () => client.getArchiveStats({ params: { uid } }),
        ({ bytes }) => bytes > stats.bytes,
        WAIT_MS,
      );
    }
    // Nothing more comes while it is inspected.
    viewer.close();
    for (const { initSegment, fragments } of viewer.media) {
      const footage = await inspect(Buffer.concat([initSegment ?? Buffer.alloc(0), ...fragments]));
      assert.equal(footage.consoleErrors, '');
      const { packets, decodedFrames } = framesOf(footage);
      assert.equal(decodedFrames, packets.length);
      // On a busy machine frames that came together are sent together.
      assert.ok(packets.length >= fragments.length);
    }
    await server.stop();
    await checkArchive(dataDir, env);
  });
});
