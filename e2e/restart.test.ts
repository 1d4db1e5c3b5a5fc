import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Client } from '@vidette/contract/client';
import { administratorOf, clientOf } from './api.ts';
import { download, framesOf, recorded, recordedFor } from './footage.ts';
import { startFakeCamera, type FakeCamera } from './rtsp/fake-camera.ts';
import { encodeClip } from './rtsp/fake-media.ts';
import { startServer, type TestServer } from './server.ts';

const main = fileURLToPath(new URL('../server/src/main.ts', import.meta.url));
const framesPerSecond = 20;

let dataDir: string;
let server: TestServer;
let client: Client;
let cookie: string;
let camera: FakeCamera;
let uid: string;

before(async () => {
  camera = await startFakeCamera({ clip: await encodeClip({ framesPerSecond }) });
  dataDir = await mkdtemp(join(tmpdir(), 'vidette-restart-'));
  server = await startServer({ dataDir });
  ({ client, cookie } = await administratorOf(server));
  ({ uid } = await client.addStream({ body: { name: 'Gate', streamSource: camera.url } }));
  await recordedFor(client, uid, 3_000);
});

after(async () => {
  await server?.stop();
  await camera?.stop();
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
});

/** `vidette check` of the data folder, as an operator runs it. */
async function check(): Promise<{ exitCode: number | null; output: string }> {
  const env = { ...process.env, VIDETTE_DATA: dataDir };
  const child = spawn(process.execPath, [main, 'check'], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const output: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk));
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { exitCode, output: Buffer.concat(output).toString() };
}

/** Restarts with the same folder; the session is still valid. */
async function restart(): Promise<void> {
  server = await startServer({ dataDir });
  client = clientOf(server, cookie);
}

for (const [name, end] of [
  ['asked to stop', () => server.stop()],
  ['killed', () => server.kill()],
] as const) {
  test(`[R10.3] [R10.10] a server that is ${name} leaves an archive in order, and recording continues after the next start`, async () => {
    const before = await recorded(client, uid);
    const endedMs = Date.now();
    await end();
    if (name === 'asked to stop') {
      const { exitCode, output } = await check();
      assert.equal(output, 'The archive is in order.\n');
      assert.equal(exitCode, 0);
    }
    const startedMs = Date.now();
    await restart();
    const pieces = await recordedFor(client, uid, 2_000, before.length + 1);
    assert.equal(pieces.length, before.length + 1);
    const [last, next] = [pieces.at(-2), pieces.at(-1)];
    assert.ok(last && next);
    assert.ok(last.endMs >= (before.at(-1)?.endMs ?? 0) - 1, 'nothing that was listed is gone');
    assert.ok(next.startMs >= startedMs - 1_000 && next.startMs > last.endMs);
    // At most one GOP and the data in transit are lost.
    assert.ok(endedMs - last.endMs < 2_000, `${endedMs - last.endMs} ms before the end are missing`);
    for (const piece of [last, next]) {
      const { footage } = await download(client, uid, piece);
      assert.equal(footage.consoleErrors, '');
      const { packets, decodedFrames } = framesOf(footage);
      assert.equal(decodedFrames, packets.length);
      assert.ok(packets.length > framesPerSecond);
    }
  });
}

test('[R10.3] after both, the archive is in order', async () => {
  await server.stop();
  const { exitCode, output } = await check();
  assert.equal(output, 'The archive is in order.\n');
  assert.equal(exitCode, 0);
});
