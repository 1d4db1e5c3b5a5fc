import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createClient } from '@vidette/contract/client';
import { clientOf, until } from './api.ts';
import type { Facts } from './fixtures/make-data-folder.ts';
import { download, framesOf } from './footage.ts';
import { runProgram } from './loop-disk.ts';
import { signIn, startServer, type TestServer } from './server.ts';

const mainProgram = fileURLToPath(new URL('../server/src/main.ts', import.meta.url));

// Data folders belong to SQLite: with another database there is nothing to upgrade.
const skip = process.env['VIDETTE_TEST_POSTGRES'] !== undefined && 'the folders hold SQLite';

/** Data folders by the version that created them (`fixtures/make-data-folder.ts`). */
const archives = {
  '0.1.0': 'data-0.1.0.tar.gz',
  '0.2.0, before its names were changed': 'data-0.2.0.tar.gz',
};

for (const [maker, archive] of Object.entries(archives)) {
  test(`[R10.3] a data folder of ${maker} keeps footage, accounts and configuration`, { skip }, async (t) => {
    const { dataDir, facts } = await unpacked(t, archive);
    const server = await startServer({ dataDir });
    t.after(() => server.stop());
    await keepsAccounts(server, facts);
    await keepsStreams(server, facts);
    await keepsConfiguration(server, dataDir);
    await playsFootage(server, facts);
    await recordsOn(server, facts);
    await server.stop();
    const check = await runProgram(process.execPath, [mainProgram, 'check'], { VIDETTE_DATA: dataDir });
    assert.deepEqual(check, { code: 0, output: 'The archive is in order.\n' });
  });
}

async function unpacked(t: TestContext, archive: string): Promise<{ dataDir: string; facts: Facts }> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-upgrade-'));
  t.after(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  execFileSync('tar', ['-C', folder, '-xzf', join(import.meta.dirname, 'fixtures', archive)]);
  const facts = JSON.parse(await readFile(join(folder, 'facts.json'), 'utf8')) as Facts;
  return { dataDir: join(folder, 'data'), facts };
}

/** Checks passwords, the session of a browser, the token of a script, users and their rights. */
async function keepsAccounts(server: TestServer, facts: Facts): Promise<void> {
  const { admin, user, recorded } = facts;
  const profile = await clientOf(server, await signIn(server, admin.name, admin.password)).getProfile();
  assert.deepEqual([profile.name, profile.isAdmin], [admin.name, true]);
  await assert.rejects(signIn(server, admin.name, `${admin.password}?`), /AuthorizationRequired|401/);

  const byCookie = clientOf(server, facts.cookie);
  assert.equal((await byCookie.getProfile()).name, admin.name);
  const headers = () => ({ authorization: `Bearer ${facts.token}` });
  const byToken = createClient({ baseUrl: server.url, headers });
  assert.equal((await byToken.listStreams({ query: {} })).total, 2);
  assert.deepEqual(
    (await byCookie.listTokens()).items.map(({ name }) => name),
    ['script'],
  );

  const { items: rights } = await byCookie.getUserPermissions({ params: { login: user.name } });
  assert.deepEqual(
    rights.map(({ stream, view, archive, share, edit }) => ({ stream, view, archive, share, edit })),
    [{ stream: recorded, view: true, archive: true, share: false, edit: false }],
  );
  const asUser = clientOf(server, await signIn(server, user.name, user.password));
  const { items } = await asUser.listStreams({ query: {} });
  assert.deepEqual(
    items.map(({ uid }) => uid),
    [recorded],
  );
}

/** Checks streams with their settings, mosaics, bookmarks and public links. */
async function keepsStreams(server: TestServer, facts: Facts): Promise<void> {
  const client = clientOf(server, facts.cookie);
  const stream = await client.getStream({ params: { uid: facts.recorded }, query: {} });
  const { name, streamSource, tags, isPublic, archive } = stream;
  assert.deepEqual(
    { name, streamSource, tags, isPublic },
    { name: 'Gate', streamSource: 'demo:gate?fps=2', tags: ['outside'], isPublic: true },
  );
  assert.deepEqual([archive.isEnable, archive.depthHours], [true, -1]);
  const paused = await client.getStream({ params: { uid: facts.paused }, query: {} });
  assert.deepEqual([paused.name, paused.status], ['Yard', 'paused']);

  const mosaic = await client.getMosaic({ params: { id: facts.mosaic }, query: {} });
  assert.deepEqual([mosaic.name, mosaic.isShared, mosaic.createdBy], ['Entrance', true, facts.admin.name]);
  assert.deepEqual(
    mosaic.layout.cells.map((cell) => cell.stream),
    [facts.recorded, facts.paused],
  );
  const { items: bookmarks } = await client.listBookmarks({ query: { stream: facts.recorded } });
  assert.deepEqual(
    bookmarks.map(({ id, note, startTime }) => ({ id, note, startTime })),
    [{ id: facts.bookmark, note: 'van at the gate', startTime: facts.startMs + 2000 }],
  );
  const shared = await createClient({ baseUrl: server.url }).getShared({ params: { key: facts.shareKey } });
  assert.equal(shared.name, 'Gate');
}

/**
 * Checks the values of the manually written file: an older form is accepted with a warning, and the file itself
 * is not changed.
 */
async function keepsConfiguration(server: TestServer, dataDir: string): Promise<void> {
  const text = await readFile(join(dataDir, 'vidette.yaml'), 'utf8');
  assert.match(text, /^# Written by hand, with a comment\.\n/);
  const { values } = await clientOf(server, await signIn(server)).getConfiguration();
  const kept = {
    'app.title': 'Old gatehouse',
    'session.days': 3650,
    'conversion.for': 'administrators',
    'conversion.atOnce': 1,
    'source.noFramesSeconds': 20,
    trustProxy: true,
  };
  for (const [path, value] of Object.entries(kept)) {
    const found = path.split('.').reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], values);
    assert.equal(found, value, path);
  }
  assert.match(server.output, /trustProxy: true trusts one proxy on any private address/);
}

/** Checks that the old footage is on the timeline and plays. */
async function playsFootage(server: TestServer, facts: Facts): Promise<void> {
  const { recorded: uid, startMs, endMs } = facts;
  const client = clientOf(server, facts.cookie);
  const query = { start_time: startMs, end_time: endMs };
  const { ranges } = await client.getArchiveRanges({ params: { uid }, query });
  assert.equal(ranges[0]?.status, 'fragment');
  const { footage } = await download(client, uid, facts);
  const frames = framesOf(footage);
  assert.deepEqual([frames.codec, frames.width, footage.consoleErrors], ['h264', 1280, '']);
  assert.ok(frames.decodedFrames >= ((endMs - startMs) / 1000) * 2 - 2, `${frames.decodedFrames} frames`);
  const reply = await fetch(
    `${server.url}/v1/stream/${uid}/archive/index.m3u8?start_time=${startMs}&end_time=${endMs}`,
    { headers: { cookie: facts.cookie } },
  );
  assert.match(await reply.text(), /#EXTINF/);
}

/** Checks that recording continues in the same archive. */
async function recordsOn(server: TestServer, facts: Facts): Promise<void> {
  const client = clientOf(server, facts.cookie);
  await until(
    () => client.getArchiveStats({ params: { uid: facts.recorded } }),
    ({ endTime }) => (endTime ?? 0) > facts.endMs,
    60_000,
  );
}
