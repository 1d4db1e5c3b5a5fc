import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test, type TestContext } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { WebSocket } from 'ws';
import { addressOf } from '@vidette/contract/routes';
import { KeyPair } from '../server/src/base/key-pair.ts';
import { nodeKeyFile } from '../server/src/rpc/node-key.ts';
import {
  base64url,
  claimHeader,
  rpcProtocol,
  proofHeader,
  readProof,
  requestText,
  writeClaim,
} from '../server/src/rpc/signature.ts';
import { snapshotOf, until } from './api.ts';
import { consoleErrorsOf, launchBrowser, newPerson, signInByCookie } from './browser.ts';
import { inspect } from './footage.ts';
import { LiveViewer } from './live-viewer.ts';
import { Nodes } from './nodes.ts';
import { assertMoves } from './frame.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';
import { startFakeCamera, type FakeCamera } from './rtsp/fake-camera.ts';
import { encodeClip } from './rtsp/fake-media.ts';
import { freePort } from './sshd.ts';

// Two servers: south has the stream, every request goes to north.

const WAIT_MS = 60_000;

let postgres: TestPostgres;
let camera: FakeCamera;
/** The same camera's sub-stream. */
let subCamera: FakeCamera;
let nodes: Nodes;
let browser: Browser;
let uid: string;
/** Start of the recording, UTC ms. */
let startMs: number;

const north = () => nodes.client('north');
const params = () => ({ uid });
const span = () => ({ start_time: startMs, end_time: Date.now() });
const ranges = () => north().getArchiveRanges({ params: params(), query: span() });

/** Opens a page of north for the administrator; it is closed at the end of the test. */
async function openNorth(t: TestContext): Promise<{ page: Page; consoleErrors: string[] }> {
  const context = await newPerson(browser);
  t.after(() => context.close());
  await signInByCookie(context, nodes.server('north').url, nodes.cookie);
  const page = await context.newPage();
  return { page, consoleErrors: consoleErrorsOf(page) };
}

/** Waits until the stream is on this node, and the other is drained. Starts a node that a failed test left down. */
async function runsOn(id: 'north' | 'south'): Promise<void> {
  const other = id === 'north' ? 'south' : 'north';
  if (!nodes.runningIds.includes('south')) await nodes.start('south');
  await north().returnClusterNode({ params: { id } });
  await north().drainClusterNode({ params: { id: other } });
  await until(
    () => north().getStream({ params: params() }),
    ({ status, node }) => status === 'running' && node.id === id,
    WAIT_MS,
  );
  await until(
    () => north().getClusterNode({ params: { id: other } }),
    ({ state }) => state === 'drained',
    WAIT_MS,
  );
}

/** Waits until the footage, wherever it is, is longer than four seconds and goes on. */
async function footage() {
  const answer = await until(
    ranges,
    ({ period, ranges: found }) =>
      period !== null &&
      period.endTime - period.startTime > 4_000 &&
      found.some(({ status }) => status === 'live'),
    WAIT_MS,
  );
  return { ...answer, startTime: answer.period?.startTime ?? 0 };
}

/** Waits until south has footage and north has the stream. */
async function movedToNorth(): Promise<void> {
  await footage();
  await runsOn('north');
}

before(async () => {
  postgres = await startPostgres();
  camera = await startFakeCamera({ clip: await encodeClip({ framesPerSecond: 10 }) });
  subCamera = await startFakeCamera({ clip: await encodeClip({ width: 160, framesPerSecond: 10 }) });
  nodes = await Nodes.start(await postgres.create('relay'), ['north', 'south']);
  // A drained node runs no streams, and shows those of the others.
  await north().drainClusterNode({ params: { id: 'north' } });
  startMs = Date.now() - 1_000;
  ({ uid } = await north().addStream({
    body: { name: 'Gate', streamSource: camera.url, subStreamSource: subCamera.url },
  }));
  browser = await launchBrowser();
});

after(async () => {
  await browser?.close();
  await nodes?.close();
  await camera?.stop();
  await subCamera?.stop();
  await postgres?.stop();
});

test('[R10.8, R3.1] live video, statistics and logs of a stream are available from the node that does not run it', async () => {
  const stream = await until(
    () => north().getStream({ params: params() }),
    ({ status, node }) => status === 'running' && node.id === 'south',
    WAIT_MS,
  );
  assert.deepEqual(stream.node, { id: 'south', available: true });
  assert.equal((await north().listStreams()).items[0]?.node.id, 'south');

  const [first, second] = await Promise.all([
    LiveViewer.watch(nodes.server('north'), nodes.cookie, uid),
    LiveViewer.watch(nodes.server('north'), nodes.cookie, uid),
  ]);
  assert.ok((await first.receive(5)).initSegment);
  await second.receive(5);
  // The node that runs it reports them once a second.
  const stats = await until(
    () => north().getStreamStats({ params: params() }),
    ({ videoFrames }) => videoFrames > 0,
  );
  assert.equal(stats.status, 'running');
  first.close();
  second.close();
  assert.ok((await north().getStreamLogs({ params: params() })).items.length > 0);

  const frame = await snapshotOf(north(), uid);
  assert.equal(frame.headers.get('content-type'), 'image/jpeg');
  assert.ok((await frame.arrayBuffer()).byteLength > 500);

  const playlist = await north().getLiveFile({ params: { uid, file: 'index.m3u8' } });
  assert.match(await playlist.text(), /#EXTM3U/);
});

test('[R10.8, R2.12] a wall on a node that runs none of its streams gets the main stream and the sub-stream from the peers', async () => {
  const server = nodes.server('north');
  const socket = new WebSocket(server.url.replace('http', 'ws') + addressOf('watchWall'), {
    headers: { cookie: nodes.cookie, origin: server.url },
  });
  const widths = new Map<number, number>();
  const pieces = new Map<number, number>();
  socket.on('message', (data: Buffer, isBinary) => {
    if (isBinary) {
      const channel = data.readUInt32BE();
      pieces.set(channel, (pieces.get(channel) ?? 0) + 1);
      return;
    }
    const message = JSON.parse(data.toString()) as { channel?: number; tracks?: { width?: number }[] };
    const width = message.tracks?.[0]?.width;
    if (message.channel !== undefined && width !== undefined) widths.set(message.channel, width);
  });
  await once(socket, 'open');
  for (const [channel, frame] of (['main', 'sub'] as const).entries()) {
    const request = {
      type: 'watch',
      channel,
      uid,
      picture: frame,
      keyFrames: false,
      audio: false,
      convert: false,
    };
    socket.send(JSON.stringify(request));
  }
  await until(
    () => [...pieces.values()],
    (counts) => counts.length === 2 && counts.every((count) => count > 5),
    WAIT_MS,
  );
  assert.deepEqual([widths.get(0), widths.get(1)], [320, 160]);
  socket.terminate();
});

test('[R10.8, R3.7] the reason why a stream of another node fails is shown on every node; its source is probed from that node', async () => {
  const streamSource = `rtsp://127.0.0.1:${await freePort()}/none`;
  const { uid: brokenUid } = await north().addStream({ body: { name: 'Yard', streamSource } });
  const seenBy = (node: string) => () => nodes.client(node).getStream({ params: { uid: brokenUid } });
  const own = await until(seenBy('south'), ({ status }) => status === 'failed', WAIT_MS);
  const told = await until(seenBy('north'), ({ status }) => status === 'failed', WAIT_MS);
  assert.ok(own.failureReason);
  assert.equal(told.failureReason, own.failureReason);
  const listed = (await north().listStreams()).items.find((stream) => stream.uid === brokenUid);
  assert.equal(listed?.failureReason, own.failureReason);

  const asked = { url: camera.url, stream_id: uid };
  const { tracks, transport } = await north().probeStream({ query: asked });
  assert.deepEqual([tracks[0]?.codec, tracks[0]?.width, transport], ['h264', 320, 'RTSP over TCP']);
  const preview = await north().previewStream({ query: asked });
  assert.ok((await preview.arrayBuffer()).byteLength > 500);
  const wrong = north().probeStream({ query: { url: streamSource, stream_id: brokenUid } });
  const words = /^The camera cannot be reached\. 127\.0\.0\.1 refused the connection on port \d+\.$/;
  await assert.rejects(wrong, { code: 'EHOSTUNREACH', message: words });
});

test('[R10.8, R9.3] ranges, days, playlist, bytes, download and stills of footage on another node', async () => {
  const { ranges: found, startTime } = await footage();
  assert.ok(found.some(({ status }) => status === 'fragment'));
  assert.ok(found.some(({ status }) => status === 'live'));
  const stats = await north().getArchiveStats({ params: params() });
  assert.ok(stats.bytes > 0 && stats.segments > 0);
  const { days, shares } = await north().getArchiveDays({ params: params(), query: span() });
  assert.ok(days.length > 0 && shares.length === days.length && (shares[0] ?? 0) > 0);
  await assert.rejects(
    north().getArchiveRanges({ params: params(), query: { start_time: 0, end_time: Date.now() } }),
    { code: 'TimeRangeIsTooLong' },
  );
  const coarse = await north().getArchiveRanges({
    params: params(),
    query: { start_time: Date.now() - 30 * 86_400_000, end_time: Date.now(), resolution_seconds: 300 },
  });
  assert.deepEqual(
    coarse.ranges.slice(0, 2).map(({ status }) => status),
    ['gap', 'fragment'],
  );
  assert.equal(coarse.ranges[1]?.date, startTime);
  const extent = await north().getArchiveExtent({ params: params(), query: span() });
  assert.ok(extent.durationMs > 3_000);

  const entry = await firstEntry('north');
  assert.equal(entry.bytes.byteLength, entry.length);
  assert.equal(entry.bytes.toString('latin1', 4, 8), 'moof');

  const file = await download('north');
  const shown = await inspect(file);
  assert.equal(shown.consoleErrors, '');
  assert.ok((shown.tracks[0]?.decodedFrames ?? 0) > 20);

  const time = startTime + 1_500;
  const still = await north().getArchivePicture({ params: params(), query: { time } });
  assert.ok(Number(still.headers.get('x-picture-time')) <= time);
  assert.ok((await still.arrayBuffer()).byteLength > 500);
});

test('[R10.8] the page on one node plays live and archive of another, through a restart of that one', async (t) => {
  const { page, consoleErrors } = await openNorth(t);
  await page.goto(`${nodes.server('north').url}/ui/stream/${uid}/view`);
  await shows('live', page);
  await assertMoves(page);
  const archive = await page.context().newPage();
  const momentMs = (await footage()).startTime + 1_000;
  await archive.goto(`${nodes.server('north').url}/ui/stream/${uid}/view?t=${momentMs}`);
  await shows('archive', archive);
  await assertMoves(archive);
  const cell = { x: 0, y: 0, width: 1, height: 1, stream: uid };
  const { id } = await north().addMosaic({
    body: { name: 'Far', layout: { columns: 2, rows: 2, cells: [cell] } },
  });
  const wall = await page.context().newPage();
  const wallAddress = `${nodes.server('north').url}/ui/mosaic/${id}`;
  const tilePlays = () =>
    wall.locator('[data-tile-state=playing]').waitFor({ state: 'attached', timeout: WAIT_MS });
  await wall.goto(wallAddress);
  await tilePlays();
  await nodes.stop('south');
  await page.locator('[data-player-state=playing]').waitFor({ state: 'detached', timeout: WAIT_MS });
  await wall.getByText('Its server is not available').waitFor({ timeout: WAIT_MS });
  await nodes.start('south');
  await shows('live', page);
  await assertMoves(page);
  await tilePlays();
  // After the gap of the restart the archive may have reached the live video [R4.8].
  await archive.locator('[data-player-state=playing]').waitFor({ state: 'attached', timeout: WAIT_MS });
  await assertMoves(archive);
  await archive.goto(`${nodes.server('north').url}/ui/stream/${uid}/view?t=${momentMs}`);
  await shows('archive', archive);
  await assertMoves(archive);
  await wall.goto(`${wallAddress}?t=${momentMs}`);
  await wall.locator('[data-shared-ms]').waitFor({ timeout: WAIT_MS });
  await tilePlays();
  assert.deepEqual(consoleErrors, []);
});

test('[R10.8] footage of a stream that moved is one timeline on every node', async () => {
  await runsOn('south');
  await footage();
  await north().returnClusterNode({ params: { id: 'north' } });
  await north().drainClusterNode({ params: { id: 'south' } });
  const moved = async () => (await north().getStream({ params: params() })).node.id;
  await until(moved, (node) => node === 'north', WAIT_MS);
  const movedMs = Date.now();
  for (const by of ['north', 'south']) {
    const asked = () => nodes.client(by).getArchiveRanges({ params: params(), query: span() });
    const answer = await until(asked, ({ period }) => (period?.endTime ?? 0) > movedMs + 2_000, WAIT_MS);
    assert.ok((answer.period?.startTime ?? Infinity) < movedMs - 3_000);
    // The handover was complete before the interruption: there is no gap where the stream moved.
    const around = answer.gaps.filter(({ startTime }) => startTime > movedMs - 2_000 && startTime < movedMs);
    assert.deepEqual(around, []);
    const text = await (
      await nodes.client(by).getArchivePlaylist({ params: params(), query: span() })
    ).text();
    assert.equal(new Set(text.match(/-[0-9a-f]{12}\.mp4/g)).size, 2);
    const shown = await inspect(await download(by));
    assert.equal(shown.consoleErrors, '');
    const { recorded, durationMs } = await nodes.client(by).getArchiveStats({ params: params() });
    assert.ok(recorded && recorded.day.recordedMs > durationMs - 5_000, JSON.stringify(recorded));
  }
});

test('[R10.8] an unavailable node is a gap with that cause, and nothing else fails', async () => {
  await movedToNorth();
  await nodes.kill('south');
  const answer = await until(
    ranges,
    ({ gaps, ranges: found }) =>
      gaps.some(({ cause }) => cause === 'node-away') && found.some(({ status }) => status === 'live'),
    WAIT_MS,
  );
  assert.ok(answer.ranges.some(({ status }) => status === 'live'));
  assert.ok((answer.period?.startTime ?? Infinity) < startMs + 60_000);
  assert.ok((await north().getArchiveStats({ params: params() })).bytes > 0);
  assert.ok(
    (await (await north().getArchivePlaylist({ params: params(), query: span() })).text()).includes(
      'moof',
    ) === false,
  );
  assert.ok((await download('north')).length > 0);
  await nodes.start('south');
});

test('[R10.8] nodes answer only nodes: no strangers, no replays, nothing without TLS unless that is configured', async () => {
  await movedToNorth();
  const own = new KeyPair(await readFile(join(nodes.folder('north'), nodeKeyFile)));
  const path = `/link/footage/${uid}/stats`;
  const asked = (header: string) =>
    fetch(nodes.server('south').url + path, { headers: { [claimHeader]: header } });
  const ask = async (header: string) => (await asked(header)).status;
  assert.equal(await ask(''), 401);
  assert.equal(await ask(claimBy(new KeyPair(Buffer.alloc(32, 7)), path)), 401);
  // The refusal contains the time of the called node's run, for nodes only.
  const refused = await asked(claimBy(own, path));
  assert.equal(refused.status, 401);
  const timeMs = readProof(refused.headers.get(proofHeader))?.timeMs;
  const claim = claimBy(own, path, timeMs);
  assert.equal(await ask(claim), 200);
  assert.equal(await ask(claim), 401);

  await nodes.stop('south');
  await nodes.start('south', { VIDETTE_CLUSTER_ALLOW_PLAIN_HTTP: 'false' });
  assert.equal(await ask(claimBy(own, path)), 403);
  const { gaps } = await ranges();
  assert.ok(gaps.some(({ cause }) => cause === 'node-away'));
  await nodes.stop('south');
  await nodes.start('south');
});

test('[R10.8, R7.11] the footage of a deleted stream is deleted on every node, on an unavailable one when it returns', async () => {
  await runsOn('north');
  const { uid: goneUid } = await north().addStream({ body: { name: 'Dock', streamSource: camera.url } });
  const folderOn = (node: string) => join(nodes.folder(node), 'archive', goneUid);
  const recordedBy = (node: string) => () => existsSync(folderOn(node));
  await until(recordedBy('north'), Boolean, WAIT_MS);
  await north().returnClusterNode({ params: { id: 'south' } });
  await north().drainClusterNode({ params: { id: 'north' } });
  await until(recordedBy('south'), Boolean, WAIT_MS);
  await until(
    () => nodes.active('north'),
    (active) => active === 0,
    WAIT_MS,
  );
  await nodes.kill('south');
  await north().deleteStream({ params: { uid: goneUid }, query: { purge: true } });
  assert.equal(recordedBy('north')(), false);
  assert.equal(recordedBy('south')(), true);
  await nodes.start('south');
  await until(recordedBy('south'), (isThere) => !isThere, WAIT_MS);
});

test('[R10.8, R2.14] on the page a code is created, shown once, used or revoked, and a missing node is removed', async (t) => {
  const { page, consoleErrors } = await openNorth(t);
  await page.goto(`${nodes.server('north').url}/ui/administration/cluster`);
  await page.setViewportSize({ width: 360, height: 740 });
  const box = page.getByRole('region', { name: 'Another server' });
  const make = box.getByRole('button', { name: 'Create a code' });
  await make.click();
  await box.getByLabel('Name of the new node').fill('ea st');
  await box.getByText('Letters, digits, dots').waitFor();
  await box.getByLabel('Name of the new node').fill('east');
  const command = box.getByLabel('Command for the new server');
  const [, address = '', code = '', name = ''] =
    /^npm run vidette -- join (\S+) (\S+) (\S+)$/.exec((await command.textContent()) ?? '') ?? [];
  assert.equal(name, 'east');
  assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 360);
  const waiting = box.getByText(/^Code created by admin, valid until/);
  await waiting.waitFor();
  assert.doesNotMatch(JSON.stringify(await north().listClusterInvitations()), new RegExp(code));
  assert.equal((await nodes.command('east', 'join', address, code, name)).code, 0);
  await waiting.waitFor({ state: 'detached', timeout: WAIT_MS });
  await command.waitFor({ state: 'detached' });
  const forget = page.getByRole('button', { name: 'Remove east' });
  await forget.waitFor({ timeout: WAIT_MS });
  // The list is polled: the row may disappear before the answer to its own button has arrived.
  await page.route(`**${addressOf('deleteClusterNode', { id: 'east' })}`, async (route) => {
    const response = await route.fetch();
    assert.equal(response.status(), 200);
    await forget.waitFor({ state: 'detached', timeout: WAIT_MS });
    await route.fulfill({ response });
  });
  // It is shown for three seconds: looked for in the page itself by a timer, because a busy machine may draw no frame in
  // that time. No key press, which needs the focus, and no mouse, because the page may still be scrolling.
  await Promise.all([
    page.waitForFunction((words) => document.body.innerText.includes(words), 'east has been removed', {
      polling: 50,
      timeout: 2 * WAIT_MS,
    }),
    forget.dispatchEvent('click'),
  ]);

  await make.click();
  const [, , withdrawn = ''] = ((await command.textContent()) ?? '').match(/join (\S+) (\S+)/) ?? [];
  await box.getByRole('button', { name: 'Revoke' }).click();
  await command.waitFor({ state: 'detached' });
  assert.match((await nodes.command('late', 'join', address, withdrawn, 'late')).output, /not authorized/);
  assert.deepEqual(consoleErrors, []);
});

test('[R10.8, R7.38] a code admits one server, once; a drained node can leave', async () => {
  await runsOn('north');
  const { output } = await nodes.command('north', 'invite');
  const [, address = '', code = ''] = /vidette join (\S+) (\S+) NAME/.exec(output) ?? [];
  assert.match((await nodes.command('hall', 'join', address, `${code}x`, 'hall')).output, /not authorized/);
  // A name that is taken does not replace a key: the code is used up, and the existing node keeps its key.
  assert.match((await nodes.command('hall', 'join', address, code, 'north')).output, /Already used/);
  assert.match((await nodes.command('hall', 'join', address, code, 'hall')).output, /not authorized/);
  assert.match(
    (await nodes.command('south', 'join', address, code, 'south')).output,
    /already belongs to a server/,
  );

  assert.match((await nodes.command('north', 'leave')).output, /still has streams/);
  await nodes.stop('south');
  assert.equal((await nodes.command('south', 'leave')).code, 0);
  assert.deepEqual(
    (await north().listClusterNodes()).items.map(({ id }) => id),
    ['north'],
  );
});

async function shows(mode: 'live' | 'archive', of: Page): Promise<void> {
  await of
    .locator(`[data-player-state=playing][data-player-mode=${mode}]`)
    .waitFor({ state: 'attached', timeout: WAIT_MS });
}

async function download(by: string): Promise<Uint8Array> {
  const reply = await nodes.client(by).downloadArchive({ params: params(), query: span() });
  const bytes = new Uint8Array(await reply.arrayBuffer());
  assert.equal(bytes.length, Number(reply.headers.get('content-length')));
  return bytes;
}

/** The bytes of the first entry in the playlist from a node. */
async function firstEntry(by: string): Promise<{ bytes: Buffer; length: number }> {
  const text = await (await nodes.client(by).getArchivePlaylist({ params: params(), query: span() })).text();
  const [, length, offset, uri] = /#EXT-X-BYTERANGE:(\d+)@(\d+)\n(?:#[^\n]*\n)*([^#\n]+)/.exec(text) ?? [];
  assert.ok(length && offset && uri, text);
  const base = new URL(addressOf('getArchivePlaylist', params()), nodes.server(by).url);
  const end = Number(offset) + Number(length) - 1;
  const reply = await fetch(new URL(uri, base), {
    headers: { cookie: nodes.cookie, range: `bytes=${offset}-${end}` },
  });
  assert.equal(reply.status, 206);
  return { bytes: Buffer.from(await reply.arrayBuffer()), length: Number(length) };
}

function claimBy(key: KeyPair, path: string, timeMs = Date.now()): string {
  const nonce = base64url(crypto.getRandomValues(new Uint8Array(18)));
  const claim = { protocol: rpcProtocol, from: 'north', to: 'south', timeMs, nonce };
  const empty = new Uint8Array();
  const text = requestText(claim, { method: 'GET', path, body: empty, channel: empty });
  return writeClaim({ ...claim, signature: base64url(key.sign(text)) });
}
