import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { administratorOf, until } from './api.ts';
import { launchBrowser, newPerson, signInByCookie } from './browser.ts';
import { freePort } from '../server/src/ingest/fixtures/live-sources.ts';
import { assertEveryFrame, encodeSceneClip, engines, frontOf, processesOf, Scene } from './engine-scene.ts';
import { download, recorded, recordedFor } from './footage.ts';
import { startFakeCamera } from './rtsp/fake-camera.ts';
import type { CameraClip } from './rtsp/fake-media.ts';
import { startServer } from './server.ts';

let clip: CameraClip;

before(async () => {
  clip = await encodeSceneClip();
});

describe('servers whose processes are killed', { concurrency: 2 }, () => {
  test('[R15.1] no frame is lost while the front is killed again and again, and while it does not respond', async () => {
    const scene = await Scene.open(clip);
    try {
      for (let kill = 0; kill < 3; kill++) {
        process.kill(await scene.front(), 'SIGKILL');
        await scene.goesOn(1_000);
      }
      const front = await scene.front();
      process.kill(front, 'SIGSTOP');
      const sent = scene.cameras[0]?.frames ?? 0;
      await until(
        () => scene.cameras[0]?.frames ?? 0,
        (frames) => frames > sent + 40,
      );
      process.kill(front, 'SIGCONT');
      await scene.goesOn(1_000);
      await scene.assertNothingLost();
    } finally {
      await scene.close();
    }
  });

  test('an install without streams runs no engine: its first stream starts one, for whichever front there is', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'vidette-idle-'));
    const camera = await startFakeCamera({ clip });
    // The next front listens where the first did.
    const server = await startServer({ dataDir, port: await freePort('tcp') });
    try {
      const { client } = await administratorOf(server);
      assert.deepEqual(await processesOf(server, 'engine-main.ts'), []);
      assert.deepEqual((await client.getSystemStats()).engines, []);
      const first = await frontOf(server);
      process.kill(first, 'SIGKILL');
      await until(
        () => frontOf(server),
        (pid) => pid !== first,
      );
      const body = { name: 'Camera', streamSource: camera.url };
      const answers = () => client.listStreams({ query: {} }).catch(() => undefined);
      await until(answers, (list) => list !== undefined);
      assert.deepEqual(await processesOf(server, 'engine-main.ts'), []);
      const { uid } = await client.addStream({ body });
      await recordedFor(client, uid, 1_000);
      assert.equal((await processesOf(server, 'engine-main.ts')).length, 1);
      assert.equal((await client.getSystemStats()).engines.length, 1);
    } finally {
      await server.stop();
      await camera.stop();
    }
    // Now it has one from the start.
    const next = await startServer({ dataDir });
    try {
      assert.equal((await processesOf(next, 'engine-main.ts')).length, 1);
    } finally {
      await next.stop();
      await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
    }
  });

  test('[R15.2] an engine that is killed costs only its own streams, which another process records again', async () => {
    const scene = await Scene.open(clip);
    const { client, uids, cameras } = scene;
    try {
      const [victim] = await scene.processes('engine-main.ts');
      process.kill(victim ?? 0, 'SIGKILL');
      const hurt = () => uids.filter((_, index) => (cameras[index]?.connections ?? 0) > 1);
      await until(hurt, (found) => found.length === cameras.length / engines);
      await scene.goesOn(1_000);
      for (const uid of uids) {
        const pieces = await recorded(client, uid);
        if (!hurt().includes(uid)) {
          assert.equal(pieces.length, 1, 'a stream of another engine has no gap');
          continue;
        }
        const query = { start_time: Date.now() - 600_000, end_time: Date.now() };
        const { gaps } = await client.getArchiveRanges({ params: { uid }, query });
        const [before, since] = pieces;
        assert.ok(before && since);
        assert.equal(gaps.find(({ startTime }) => startTime >= before.endMs)?.cause, 'server-crashed');
        for (const piece of [before, { ...since, endMs: since.startMs + 1_000 }]) {
          const { footage } = await download(client, uid, piece);
          assert.equal(footage.consoleErrors, '');
          assertEveryFrame(footage);
        }
      }
      await scene.endsInOrder();
    } finally {
      await scene.close();
    }
  });

  test('[R15.2] the page of statistics shows each engine, and how often it was restarted', async () => {
    const scene = await Scene.open(clip);
    const browser = await launchBrowser();
    try {
      const [victim] = await scene.processes('engine-main.ts');
      process.kill(victim ?? 0, 'SIGKILL');
      const enginesNow = async () => (await scene.client.getAdminStats()).now.engines;
      // On a busy machine the other engine has taken over the streams before this one is back.
      const streamsOf = (found: Awaited<ReturnType<typeof enginesNow>>) =>
        found.reduce((sum, { streams }) => sum + streams, 0);
      await until(
        enginesNow,
        (found) =>
          found.some(({ restarts }) => restarts === 1) &&
          found.every(({ isResponding, memoryBytes }) => isResponding && memoryBytes > 1e6) &&
          streamsOf(found) === scene.uids.length,
      );
      const context = await newPerson(browser);
      await signInByCookie(context, scene.server.url, scene.cookie);
      const page = await context.newPage();
      await page.goto(`${scene.server.url}/ui/administration/stats`);
      await page.getByText('Details', { exact: true }).click();
      const rows = page.getByRole('table', { name: 'Engine processes' }).getByRole('row');
      await until(
        () => rows.allInnerTexts(),
        (texts) => texts.length === 1 + engines && texts.some((text) => /^Engine [01].*\b1$/s.test(text)),
      );
    } finally {
      await browser.close();
      await scene.close();
    }
  });

  test('[R15.5] a stream whose data crashes its engine three times is put in quarantine alone, until it is paused and resumed', async () => {
    const poisonous = await startFakeCamera({ clip });
    // Loaded into each process of the server: a connection with that camera soon throws where nothing catches it.
    const fault = `
    import { Socket } from 'node:net';
    const { connect } = Socket.prototype;
    Socket.prototype.connect = function (...args) {
      this.once('connect', () => {
        if (this.remotePort !== ${poisonous.port}) return;
        setTimeout(() => { throw new Error('poison'); }, 100);
      });
      return connect.apply(this, args);
    };`;
    const preload = `data:text/javascript,${encodeURIComponent(fault)}`;
    const scene = await Scene.open(clip, () => ({ NODE_OPTIONS: `--import=${preload}` }));
    const { client, uids } = scene;
    try {
      const { uid } = await client.addStream({ body: { name: 'Poison', streamSource: poisonous.url } });
      const stateOf = () => client.getStream({ params: { uid } });
      const { failureReason } = await until(
        stateOf,
        ({ status, failureReason }) => status === 'failed' && /three times/.test(failureReason ?? ''),
      );
      assert.match(
        failureReason ?? '',
        /^What this source sends crashed the recording process three times\./,
      );
      await scene.goesOn(1_000);
      const { connections } = poisonous;
      assert.equal(connections, 3);
      for (const other of uids)
        assert.equal((await client.getStream({ params: { uid: other } })).status, 'running');
      await client.pauseStream({ body: { uid } });
      await client.resumeStream({ body: { uid } });
      await until(
        () => poisonous.connections,
        (count) => count > connections,
      );
    } finally {
      await scene.close();
      await poisonous.stop();
    }
  });
});
