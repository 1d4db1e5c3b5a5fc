import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { until } from './api.ts';
import { launchBrowser, newPerson, signInByCookie } from './browser.ts';
import { encodeSceneClip, engines, main, Scene } from './engine-scene.ts';
import { checkout, raiseVersion } from './checkout.ts';
import { breaksOf, numbered, recordedNumbers } from './numbered-frames.ts';
import type { FakeCameraOptions } from './rtsp/fake-camera.ts';
import type { CameraClip } from './rtsp/fake-media.ts';

/** Frames in a second. */
const switchFrames = 20;

let clip: CameraClip;

before(async () => {
  clip = await encodeSceneClip();
});

/** Asks for the page again and again, each time by a new connection; what happened to the requests, by how often. */
function asking(url: string): { stop(): Promise<Map<string, number>> } {
  const outcomes = new Map<string, number>();
  let isStopped = false;
  const once = () =>
    new Promise<string>((resolve) => {
      const request = get(`${url}/ui/`, { agent: false }, (reply) => {
        reply.resume();
        reply.once('close', () => resolve(String(reply.statusCode)));
      });
      request.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message));
    });
  const run = async () => {
    while (!isStopped) {
      const outcome = await once();
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  };
  const running = run();
  return {
    async stop() {
      isStopped = true;
      await running;
      return outcomes;
    },
  };
}

/** What a page shows of its player, for as long as it runs. */
interface Watched {
  readonly states: string[];
  /** Steps back in the times of the frames shown, s. */
  readonly back: number[];
  readonly longestStillMs: number;
  readonly frames: number;
}

/** Runs in the page. */
function beginWatching(): void {
  const element = document.querySelector('[data-player-state]');
  const video = document.querySelector('video');
  if (!element || !video) throw new Error('The page has no player.');
  const seen = { states: [] as string[], back: [] as number[], longestStillMs: 0, frames: 0 };
  Object.assign(globalThis, { watched: seen });
  const note = () => seen.states.push(element.getAttribute('data-player-state') ?? '');
  note();
  new MutationObserver(note).observe(element, { attributeFilter: ['data-player-state'] });
  let last: { atMs: number; mediaS: number } | undefined;
  const look = (atMs: number, { mediaTime }: VideoFrameCallbackMetadata) => {
    if (last && mediaTime < last.mediaS - 0.02) seen.back.push(last.mediaS - mediaTime);
    if (last) seen.longestStillMs = Math.max(seen.longestStillMs, atMs - last.atMs);
    last = { atMs, mediaS: mediaTime };
    seen.frames++;
    video.requestVideoFrameCallback(look);
  };
  video.requestVideoFrameCallback(look);
}

/** Runs something while a program of a checkout ends as soon as it starts. */
async function whileBroken<T>(folder: string, program: string, run: () => Promise<T>): Promise<T> {
  const path = join(folder, 'server/src', program);
  const text = await readFile(path, 'utf8');
  await writeFile(path, 'process.exit(3);\n');
  try {
    return await run();
  } finally {
    await writeFile(path, text);
  }
}

describe('servers whose processes are replaced', { concurrency: 2 }, () => {
  test('[R15.1] no frame is lost over `vidette upgrade`, nor when the next version does not start and the present one goes on', async () => {
    const next = await checkout('99.0.0');
    const scene = await Scene.open(clip, undefined, numbered);
    const { uids, server } = scene;
    const program = join(next, 'server/src/main.ts');
    const upgrade = () => scene.command(program, 'upgrade');
    try {
      const second = await scene.command(program);
      assert.equal(second.code, 1);
      assert.match(
        second.output,
        /already \(process \d+\)\.\nTo replace it by version 99\.0\.0 .*vidette -- upgrade\n$/,
      );
      const enginesBefore = await scene.processes('engine-main.ts');
      const frontBefore = await scene.front();
      const withoutEngine = await whileBroken(next, 'engine-main.ts', upgrade);
      assert.equal(withoutEngine.code, 1);
      assert.match(withoutEngine.output, /Engine 0 ended with code 3\. Version \S+ goes on\.\n$/);
      assert.equal(await scene.front(), frontBefore);

      const withoutFront = await whileBroken(next, 'front-main.ts', upgrade);
      assert.equal(withoutFront.code, 1);
      assert.match(withoutFront.output, /The front ended with code 3\. Version \S+ goes on\.\n$/);
      assert.deepEqual(await scene.processes('engine-main.ts'), enginesBefore);
      await scene.goesOn(1_000);

      const { code, output } = await upgrade();
      assert.equal(code, 0, output);
      assert.match(output, new RegExp(`The server runs version 99\\.0\\.0 from ${next} now\\.\\n$`));
      const after = [...(await scene.processes('engine-main.ts')), await scene.front()];
      assert.equal(after.length, engines + 1);
      for (const pid of after) assert.match(await readFile(`/proc/${pid}/cmdline`, 'utf8'), new RegExp(next));
      await raiseVersion(next, '99.0.1');
      process.kill(server.pid, 'SIGHUP');
      await until(
        async () => [
          ...(await scene.processes('engine-main.ts')),
          ...(await scene.processes('front-main.ts')),
        ],
        (now) => now.length === engines + 1 && now.every((pid) => !after.includes(pid)),
      );
      await scene.goesOn(1_000);
      for (const uid of uids) await scene.numbersInOnePiece(uid);
      await scene.endsInOrder();
    } finally {
      await scene.close();
      await rm(next, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  test('[R15.1] a camera that is slow to begin a second session, or silences the first, and one that fails once', async () => {
    const gopFrames = clip.frames.findIndex(({ isKey }, at) => at > 0 && isKey);
    const traits: readonly Partial<FakeCameraOptions>[] = [
      // Longer than a camera may take for an answer otherwise.
      { secondPlayDelayMs: 11_000 },
      { secondSession: 'silences-first' },
      { laterTimestamps: 900_000_000 },
      { failsSecondOnce: true },
    ];
    const scene = await Scene.open(clip, undefined, (index) => ({ ...numbered(), ...traits[index] }));
    const { uids } = scene;
    try {
      assert.equal((await scene.command(main, 'restart')).code, 0);
      await scene.goesOn(1_000);
      for (const [index, uid] of uids.entries()) {
        const { losses, repeated } = breaksOf(await recordedNumbers(scene.client, uid));
        assert.equal(repeated, 0);
        const isSilenced = traits[index]?.secondSession !== undefined;
        assert.ok(losses.length <= (isSilenced ? 1 : 0), `${losses.join()} of ${index}`);
        for (const lost of losses) assert.ok(lost <= gopFrames, `${lost} frames of ${index}`);
      }
      await scene.endsInOrder();
    } finally {
      await scene.close();
    }
  });

  test('[R15.1] no frame is lost or recorded twice over `vidette restart`, which replaces front and engines', async () => {
    const scene = await Scene.open(clip, undefined, numbered);
    const { uids, server } = scene;
    try {
      const before = [...(await scene.processes('engine-main.ts')), await scene.front()];
      const client = asking(server.url);
      for (let time = 0; time < 2; time++) {
        const { code, output } = await scene.command(main, 'restart');
        assert.equal(
          output,
          [
            'The front was replaced.',
            'Engine 0 was replaced, 2 streams moved.',
            'Engine 1 was replaced, 2 streams moved.',
            'The server was restarted.',
            '',
          ].join('\n'),
        );
        assert.equal(code, 0);
      }
      const outcomes = await client.stop();
      assert.equal(outcomes.get('ECONNREFUSED'), undefined, 'connections wait for the next front');
      assert.ok((outcomes.get('200') ?? 0) > 10, JSON.stringify([...outcomes]));
      const after = [...(await scene.processes('engine-main.ts')), await scene.front()];
      assert.equal(after.length, engines + 1);
      for (const pid of before) assert.ok(!after.includes(pid));
      await scene.goesOn(1_000);
      const shown = await until(
        async () => (await scene.client.getAdminStats()).now.engines,
        (found) => found.every(({ streams }) => streams === 2),
      );
      assert.deepEqual(
        shown.map(({ restarts }) => restarts),
        [0, 0],
      );
      for (const [index, uid] of uids.entries()) {
        const sent = scene.cameras[index]?.frames ?? 0;
        const numbers = await scene.numbersInOnePiece(uid);
        assert.ok((numbers.at(-1) ?? 0) >= sent - 10, `${numbers.at(-1)} of ${sent}`);
      }
      await scene.endsInOrder();
    } finally {
      await scene.close();
    }
  });

  test('[R15.1] a camera that admits one session loses one GOP at most, and is tried once only', async () => {
    const longGops = await encodeSceneClip({ gopFrames: 40, frames: 80 });
    const gopFrames = longGops.frames.findIndex(({ isKey }, at) => at > 0 && isKey);
    const secondSession = ['refused', 'ends-first'] as const;
    const scene = await Scene.open(longGops, undefined, (index) => ({
      ...numbered(),
      ...(secondSession[index] && { secondSession: secondSession[index] }),
    }));
    const { uids, cameras } = scene;
    try {
      for (let time = 1; time <= 2; time++) {
        const connections = cameras.map((camera) => camera.connections);
        assert.equal((await scene.command(main, 'restart')).code, 0);
        await scene.goesOn(3_000);
        // The first time it is found by trying; the processes that follow know it.
        const tries = cameras.map((camera, index) => camera.connections - (connections[index] ?? 0));
        if (time === 2) assert.deepEqual(tries, [1, 1, 1, 1]);
      }
      for (const [index, uid] of uids.entries()) {
        const { losses, repeated } = breaksOf(await recordedNumbers(scene.client, uid));
        assert.equal(repeated, 0);
        assert.ok(losses.length <= (secondSession[index] ? 2 : 0), `${losses.join()} of ${index}`);
        // A key frame between the end of one session and the beginning of the next, which takes up to a second on a busy
        // machine, costs its own GOP; a second whole one would be 80 frames.
        for (const lost of losses) assert.ok(lost <= gopFrames + switchFrames, `${lost} frames of ${index}`);
      }
      await scene.endsInOrder();
    } finally {
      await scene.close();
    }
  });

  test('[R15.1] a camera that admits one session, asks for a password, resets the second session or frees the first late, loses one GOP at most beside that time', async () => {
    const longGops = await encodeSceneClip({ gopFrames: 40, frames: 80 });
    const gopFrames = longGops.frames.findIndex(({ isKey }, at) => at > 0 && isKey);
    const user = { user: 'viewer', password: 's3cret' };
    const freesAfterMs = 1_500;
    const traits: readonly Partial<FakeCameraOptions>[] = [
      { secondSession: 'refused', freesAfterMs },
      { secondSession: 'reset' },
      { secondSession: 'refused', auth: { scheme: 'digest', hasQop: true, ...user } },
      {
        secondSession: 'ends-first',
        auth: { scheme: 'digest', algorithms: ['SHA-256'], nonceUses: 3, ...user },
      },
    ];
    const scene = await Scene.open(longGops, undefined, (index) => ({ ...numbered(), ...traits[index] }));
    const { uids } = scene;
    try {
      assert.equal((await scene.command(main, 'restart')).code, 0);
      await scene.goesOn(3_000);
      for (const [index, uid] of uids.entries()) {
        const { losses, repeated } = breaksOf(await recordedNumbers(scene.client, uid));
        assert.equal(repeated, 0);
        assert.ok(losses.length <= 1, `${losses.join()} of ${index}`);
        // The next attempt after one that came too early is up to two seconds later.
        const late = traits[index]?.freesAfterMs === undefined ? 0 : freesAfterMs + 2_000;
        const most = gopFrames + switchFrames + (late * switchFrames) / 1_000;
        for (const lost of losses) assert.ok(lost <= most, `${lost} frames of ${index}`);
      }
      await scene.endsInOrder();
    } finally {
      await scene.close();
    }
  });

  test('[R15.3] a viewer in Chromium sees the picture go on while all processes are replaced', async (t) => {
    const scene = await Scene.open(clip, undefined, numbered);
    const browser = await launchBrowser();
    try {
      const person = await newPerson(browser);
      await signInByCookie(person, scene.server.url, scene.cookie);
      const page = await person.newPage();
      await page.goto(`${scene.server.url}/ui/stream/${scene.uids[0]}/view`);
      await page.locator('[data-player-state=playing][data-player-mode=live]').waitFor({ state: 'attached' });
      let sockets = 0;
      page.on('websocket', () => sockets++);
      await page.evaluate(beginWatching);
      assert.equal((await scene.command(main, 'restart')).code, 0);
      await scene.goesOn(2_000);
      const watched = (await page.evaluate('globalThis.watched')) as Watched;
      t.diagnostic(JSON.stringify({ ...watched, sockets }));
      assert.ok(sockets > 0, 'the engine that served it was replaced');
      // A busy machine may be late with frames; that none come is what must not be shown.
      const words = watched.states.filter((state) => state !== 'playing' && state !== 'buffering');
      assert.deepEqual(words, []);
      assert.deepEqual(watched.back, []);
    } finally {
      await browser.close();
      await scene.close();
    }
  });

  test('[R15.1] a restart with another number of engines moves the streams that have to, and no frame is lost', async () => {
    const scene = await Scene.open(clip, () => ({ VIDETTE_ENGINE_PROCESSES: '' }), numbered);
    const { server, client, uids } = scene;
    const sent = () => Math.min(...scene.cameras.map(({ frames }) => frames));
    try {
      assert.equal((await scene.processes('engine-main.ts')).length, 1, 'four streams need one engine');
      for (const processes of [3, 2]) {
        await writeFile(join(server.dataDir, 'vidette.yaml'), `engine:\n  processes: ${processes}\n`);
        const { code, output } = await scene.command(main, 'restart');
        assert.equal(code, 0, output);
        assert.equal((await scene.processes('engine-main.ts')).length, processes);
        await scene.goesOn(1_000);
        await until(
          async () => (await client.getAdminStats()).now.engines,
          (shown) => shown.reduce((sum, { streams }) => sum + streams, 0) === uids.length,
        );
      }
      const atLeast = sent() - 10;
      for (const uid of uids) {
        const numbers = await scene.numbersInOnePiece(uid);
        assert.ok((numbers.at(-1) ?? 0) >= atLeast);
      }
      await scene.endsInOrder();
    } finally {
      await scene.close();
    }
  });
});
