import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { until } from './api.ts';
import { assertEveryFrame, encodeSceneClip, engines, main, Scene } from './engine-scene.ts';
import { download, recorded } from './footage.ts';
import { startFakeCamera } from './rtsp/fake-camera.ts';
import type { CameraClip } from './rtsp/fake-media.ts';

let clip: CameraClip;

before(async () => {
  clip = await encodeSceneClip();
});

/** Code that each process of a server runs first, as `NODE_OPTIONS`. */
function preload(code: string): { NODE_OPTIONS: string } {
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` };
}

/** The streams whose cameras were connected more than once. */
function interrupted({ uids, cameras }: Scene): string[] {
  return uids.filter((_, index) => (cameras[index]?.connections ?? 0) > 1);
}

/** Interrupted streams have one gap of at most that length, the others none; what is recorded is whole. */
async function assertOneGap({ client, uids }: Scene, hurt: readonly string[], mostMs: number): Promise<void> {
  for (const uid of uids) {
    const pieces = await recorded(client, uid);
    assert.equal(pieces.length, hurt.includes(uid) ? 2 : 1, `pieces of ${uid}`);
    const [first, second] = pieces;
    if (first && second) {
      const gapMs = second.startMs - first.endMs;
      assert.ok(gapMs < mostMs, `${gapMs} ms are missing`);
    }
    for (const piece of pieces) {
      const { footage } = await download(client, uid, { ...piece, endMs: piece.startMs + 1_000 });
      assert.equal(footage.consoleErrors, '');
      assertEveryFrame(footage);
    }
  }
}

describe('servers whose engines fail', { concurrency: 2 }, () => {
  test('[R15.5] a stream whose data fills the memory of its engine again and again is found by elimination, and put in quarantine alone', async () => {
    const greedy = await startFakeCamera({ clip });
    // A connection with that camera soon fills the memory, step by step, so that nothing tells which stream it is.
    const code = `
    import { Socket } from 'node:net';
    const { connect } = Socket.prototype;
    const filled = [];
    const fill = () => {
      filled.push(Array.from({ length: 100_000 }, (_, n) => ({ n })));
      setImmediate(fill);
    };
    Socket.prototype.connect = function (...args) {
      this.once('connect', () => {
        if (this.remotePort === ${greedy.port}) setTimeout(fill, 100);
      });
      return connect.apply(this, args);
    };`;
    const { NODE_OPTIONS } = preload(code);
    const scene = await Scene.open(clip, () => ({
      NODE_OPTIONS: `--max-old-space-size=160 ${NODE_OPTIONS}`,
    }));
    const { client, uids } = scene;
    try {
      const { uid } = await client.addStream({ body: { name: 'Greedy', streamSource: greedy.url } });
      await until(
        () => client.getStream({ params: { uid } }),
        ({ status, failureReason }) => status === 'failed' && /three times/.test(failureReason ?? ''),
        240_000,
      );
      await scene.goesOn(1_000);
      for (const other of uids)
        assert.equal((await client.getStream({ params: { uid: other } })).status, 'running');
    } finally {
      await scene.close();
      await greedy.stop();
    }
  });

  test('[R15.5] a stream whose data crashes the only engine in native code is found with a temporary engine, and put in quarantine alone', async () => {
    const fatal = await startFakeCamera({ clip });
    // A connection with that camera soon ends the process, which can note nothing.
    const code = `
    import { Socket } from 'node:net';
    const { connect } = Socket.prototype;
    Socket.prototype.connect = function (...args) {
      this.once('connect', () => {
        if (this.remotePort === ${fatal.port}) setTimeout(() => process.abort(), 100);
      });
      return connect.apply(this, args);
    };`;
    const scene = await Scene.open(clip, () => ({ ...preload(code), VIDETTE_ENGINE_PROCESSES: '1' }));
    const { client, uids } = scene;
    try {
      const { uid } = await client.addStream({ body: { name: 'Fatal', streamSource: fatal.url } });
      await until(
        () => client.getStream({ params: { uid } }),
        ({ status, failureReason }) => status === 'failed' && /three times/.test(failureReason ?? ''),
        120_000,
      );
      await scene.goesOn(1_000);
      for (const other of uids)
        assert.equal((await client.getStream({ params: { uid: other } })).status, 'running');
      assert.equal((await client.getAdminStats()).now.engines.length, 2, 'one more than configured');
      // A restart ends it, and one engine runs all of them.
      const { code: failure, output } = await scene.command(main, 'restart');
      assert.equal(failure, 0, output);
      await scene.goesOn(1_000);
      await until(
        async () => (await client.getAdminStats()).now.engines.length,
        (count) => count === 1,
      );
      await scene.endsInOrder();
    } finally {
      await scene.close();
      await fatal.stop();
    }
  });

  test('[R15.2] an engine that is stopped by a signal is replaced, and the streams of the others lose nothing', async () => {
    const scene = await Scene.open(clip);
    try {
      const [victim] = await scene.processes('engine-main.ts');
      process.kill(victim ?? 0, 'SIGSTOP');
      const hurt = await until(
        () => interrupted(scene),
        (found) => found.length === scene.uids.length / engines,
      );
      await scene.goesOn(1_000);
      // Three seconds until it is detected; the rest is for a busy machine.
      await assertOneGap(scene, hurt, 12_000);
      await scene.endsInOrder();
    } finally {
      await scene.close();
    }
  });

  test('[R15.2] an engine that runs out of memory costs only its own streams', async () => {
    const flag = join(tmpdir(), `vidette-no-memory-${process.pid}`);
    // The first engine that finds the file removes it and fills its memory, step by step.
    const code = `
    import { rmSync } from 'node:fs';
    const filled = [];
    const fill = () => {
      filled.push(Array.from({ length: 50_000 }, (_, n) => ({ n })));
      setImmediate(fill);
    };
    const look = () => {
      try {
        rmSync(${JSON.stringify(flag)});
        fill();
      } catch {
        setTimeout(look, 100).unref();
      }
    };
    if (process.argv[1]?.endsWith('engine-main.ts')) look();`;
    const { NODE_OPTIONS } = preload(code);
    const scene = await Scene.open(clip, () => ({
      NODE_OPTIONS: `--max-old-space-size=160 ${NODE_OPTIONS}`,
    }));
    try {
      await writeFile(flag, '');
      const hurt = await until(
        () => interrupted(scene),
        (found) => found.length === scene.uids.length / engines,
      );
      assert.match(scene.server.output, /heap out of memory/);
      await scene.goesOn(1_000);
      await assertOneGap(scene, hurt, 12_000);
    } finally {
      await rm(flag, { force: true });
      await scene.close();
    }
  });

  test('[R15.2] the streams of an engine that cannot start any more are taken over by the other, also after the front has restarted', async () => {
    const flag = join(tmpdir(), `vidette-no-engine-${process.pid}`);
    // From the moment on at which the file exists, no engine starts.
    const code = `
    import { existsSync } from 'node:fs';
    if (process.argv[1]?.endsWith('engine-main.ts') && existsSync(${JSON.stringify(flag)})) process.exit(1);`;
    const scene = await Scene.open(clip, () => preload(code));
    try {
      await writeFile(flag, '');
      const [victim] = await scene.processes('engine-main.ts');
      process.kill(victim ?? 0, 'SIGKILL');
      const hurt = await until(
        () => interrupted(scene),
        (found) => found.length === scene.uids.length / engines,
      );
      await scene.goesOn(1_000);
      process.kill(await scene.front(), 'SIGKILL');
      await scene.goesOn(1_000);
      await assertOneGap(scene, hurt, 10_000);
      await until(
        async () => (await scene.client.getAdminStats()).now.engines.map(({ streams }) => streams),
        (counts) => isDeepStrictEqual(new Set(counts), new Set([0, scene.uids.length])),
      );
      await rm(flag);
      await until(
        async () => (await scene.client.getAdminStats()).now.engines,
        (found) => found.every(({ isResponding }) => isResponding),
      );
      await scene.endsInOrder();
    } finally {
      await rm(flag, { force: true });
      await scene.close();
    }
  });

  test('[R15.5] a stream whose data makes its engine hang three times is put in quarantine alone', async () => {
    const endless = await startFakeCamera({ clip });
    // A connection with that camera soon leads to a loop that never ends.
    const code = `
    import { Socket } from 'node:net';
    const { connect } = Socket.prototype;
    Socket.prototype.connect = function (...args) {
      this.once('connect', () => {
        if (this.remotePort === ${endless.port}) setTimeout(() => { for (;;); }, 100);
      });
      return connect.apply(this, args);
    };`;
    const scene = await Scene.open(clip, () => preload(code));
    const { client, uids } = scene;
    try {
      const { uid } = await client.addStream({ body: { name: 'Endless', streamSource: endless.url } });
      const { failureReason } = await until(
        () => client.getStream({ params: { uid } }),
        ({ status, failureReason: reason }) => status === 'failed' && /three times/.test(reason ?? ''),
      );
      assert.match(
        failureReason ?? '',
        /^What this source sends crashed the recording process three times\./,
      );
      const { connections } = endless;
      // On a busy machine one that ends before it hangs may be tried once more.
      assert.ok(connections === 3 || connections === 4, `${connections} connections`);
      await scene.goesOn(1_000);
      assert.equal(endless.connections, connections, 'it is not tried again');
      for (const other of uids)
        assert.equal((await client.getStream({ params: { uid: other } })).status, 'running');
    } finally {
      await scene.close();
      await endless.stop();
    }
  });

  test('[R15.2] an engine that cannot open the archive says so with its streams, and tries again', async () => {
    const flag = join(tmpdir(), `vidette-no-catalog-${process.pid}`);
    // While the file exists, engines can't open the catalog.
    const code = `
    import { existsSync } from 'node:fs';
    import { DatabaseSync } from 'node:sqlite';
    if (process.argv[1]?.endsWith('engine-main.ts')) {
      const { exec } = DatabaseSync.prototype;
      DatabaseSync.prototype.exec = function (sql) {
        if (sql.includes('cache_size') && existsSync(${JSON.stringify(flag)})) throw new Error('no catalog');
        return exec.call(this, sql);
      };
    }`;
    const scene = await Scene.open(clip, () => preload(code));
    const { client, uids } = scene;
    const reasons = async () => {
      const { items } = await client.listStreams({ query: {} });
      return items.flatMap(({ uid, failureReason }) =>
        failureReason === null ? [] : [{ uid, failureReason }],
      );
    };
    try {
      await writeFile(flag, '');
      // All of them: otherwise the streams may go to one that can record.
      for (const victim of await scene.processes('engine-main.ts')) process.kill(victim, 'SIGKILL');
      const failed = await until(reasons, (found) => found.length === uids.length);
      for (const { failureReason } of failed)
        assert.match(failureReason, /could not open the archive and keeps trying/);
      await rm(flag);
      await scene.goesOn(1_000);
      assert.deepEqual(await reasons(), []);
    } finally {
      await rm(flag, { force: true });
      await scene.close();
    }
  });

  test('[R15.1] a catalog that is lost while engines record is rebuilt, and they continue in the new one', async () => {
    const scene = await Scene.open(clip);
    const { client, uids, server } = scene;
    try {
      const startOf = async (uid: string) => (await client.getArchiveStats({ params: { uid } })).startTime;
      const starts = await Promise.all(uids.map(startOf));
      // The next front must not start before the file is gone.
      process.kill(server.pid, 'SIGSTOP');
      process.kill(await scene.front(), 'SIGKILL');
      await rm(join(server.dataDir, 'archive.sqlite'));
      process.kill(server.pid, 'SIGCONT');
      await scene.goesOn(1_000);
      await until(
        () => Promise.all(uids.map(startOf)),
        (found) => isDeepStrictEqual(found, starts),
      );
      await scene.endsInOrder();
    } finally {
      await scene.close();
    }
  });
});
