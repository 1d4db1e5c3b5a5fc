import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Client } from '@vidette/contract/client';
import { administratorOf, until } from './api.ts';
import { download, framesOf, recorded, recordedFor, runTool } from './footage.ts';
import { recordedFrames } from './recorded-frames.ts';
import { startFakeCamera, type FakeCamera } from './rtsp/fake-camera.ts';
import { encodeClip } from './rtsp/fake-media.ts';
import { startServer, type TestServer } from './server.ts';

/** How far in the future a recording may be dated, ms (design/ingest.md). */
const boundMs = 2_000;
const speeds = [0.5, 1.2, 20];

let server: TestServer;
let client: Client;
let cookie: string;
let web: Server;
const cameras: FakeCamera[] = [];

before(async () => {
  const clip = await encodeClip({ framesPerSecond: 20, gopFrames: 10 });
  for (const clockSpeed of speeds) cameras.push(await startFakeCamera({ clip, clockSpeed }));
  const film = await encodedFilm();
  // In chunks, from a server that supports neither length nor ranges: the whole film almost instantly.
  web = createServer((_, reply) => reply.setHeader('content-type', 'video/mp4').end(film));
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  server = await startServer();
  ({ client, cookie } = await administratorOf(server));
});

after(async () => {
  await server?.stop();
  await Promise.all(cameras.map((camera) => camera.stop()));
  web.closeAllConnections();
  await new Promise((resolve) => web.close(resolve));
});

/** Two minutes of H.264 in fragments. */
async function encodedFilm(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-film-'));
  try {
    const path = join(folder, 'film.mp4');
    const source = '-v error -f lavfi -i testsrc2=size=160x120:rate=20:duration=120';
    const { stderr } = await runTool('ffmpeg', [
      ...source.split(' '),
      ...'-c:v libx264 -preset ultrafast -g 20 -movflags frag_keyframe+empty_moov'.split(' '),
      path,
    ]);
    assert.equal(stderr, '');
    return await readFile(path);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test('[R10.3] nothing is recorded in the future: cameras with clocks that run too fast or slow, and a film that arrives faster than real time', async () => {
  const startMs = Date.now();
  const { port } = web.address() as AddressInfo;
  const sources = [...cameras.map(({ url }) => url), `http://127.0.0.1:${port}/film.mp4`];
  const uids: string[] = [];
  for (const [index, streamSource] of sources.entries()) {
    const { uid } = await client.addStream({ body: { name: `Source ${index}`, streamSource } });
    uids.push(uid);
  }
  for (const [index, uid] of uids.entries()) {
    await recordedFor(client, uid, 7_000);
    const pieces = await until(
      () => recorded(client, uid),
      ({ length }) => length > 0,
    );
    const frames = await recordedFrames(client, { url: server.url, cookie }, uid, [
      startMs - 60_000,
      startMs + 1_800_000,
    ]);
    const endMs = frames.at(-1) ?? 0;
    assert.ok(
      frames.length > 50 && endMs <= Date.now() + boundMs,
      `${sources[index]}: ${endMs - Date.now()} ms ahead`,
    );
    assert.ok((pieces[0]?.startMs ?? 0) >= startMs - boundMs, 'nor before the camera was added');
    assert.equal(pieces.length, 1, `${sources[index]}: without a gap`);
  }
  const [piece] = await recorded(client, uids[2] ?? '');
  assert.ok(piece);
  const { footage } = await download(client, uids[2] ?? '', piece);
  assert.equal(footage.consoleErrors, '');
  const { packets } = framesOf(footage);
  const rate = (packets.length * 1000) / (piece.endMs - piece.startMs);
  assert.ok(
    rate > 14 && rate < 30,
    `${rate} frames a second of the camera whose clock runs 20 times as fast`,
  );
});
