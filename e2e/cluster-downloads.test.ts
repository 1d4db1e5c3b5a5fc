import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import { createClient } from '@vidette/contract/client';
import { addressOf } from '@vidette/contract/routes';
import { footageOf, heavier } from '../server/src/archive/fixtures/footage-fixture.ts';
import { runCommand } from '../server/src/cli/command-line.ts';
import { until } from './api.ts';
import { download } from './footage.ts';
import { Nodes } from './nodes.ts';
import { recordPast } from './past-footage.ts';
import { startPostgres, type TestPostgres } from './postgres.ts';
import { signIn } from './server.ts';

// A stream that north recorded and south records now: downloads of north's part through south, interrupted in
// the middle.

const WAIT_MS = 60_000;
const password = 'correct horse 8 battery';
const pastMs = Math.floor(Date.now() / 1000) * 1000 - 1_200_000;
const pastEndMs = pastMs + 15_000;
/** More than the buffers of the sockets on the way: a download paused by its reader is not complete. */
const frameBytes = 200_000;

let postgres: TestPostgres;
let nodes: Nodes;
let uid: string;
let people = 0;

const north = () => nodes.client('north');
const south = () => nodes.client('south');

before(async () => {
  postgres = await startPostgres();
  nodes = await Nodes.start(await postgres.create('downloads'), ['north', 'south']);
  await north().drainClusterNode({ params: { id: 'south' } });
  ({ uid } = await north().addStream({ body: { name: 'Gate', streamSource: 'demo:?fps=5' } }));
  const runsOn = (node: string) =>
    until(
      () => north().getStream({ params: { uid } }),
      (stream) => stream.status === 'running' && stream.node.id === node,
      WAIT_MS,
    );
  await runsOn('north');
  await north().returnClusterNode({ params: { id: 'south' } });
  await north().drainClusterNode({ params: { id: 'north' } });
  await runsOn('south');
  await nodes.stop('north');
  const footage = heavier(footageOf('h264-no-b.mp4'), frameBytes);
  const limits = { queueMaxBytes: 512 * 1024 * 1024 };
  await recordPast(nodes.folder('north'), uid, [{ startMs: pastMs, endMs: pastEndMs }], limits, { footage });
  await nodes.start('north');
  await until(
    () => south().getArchiveStats({ params: { uid } }),
    ({ bytes }) => bytes > 300 * frameBytes,
    WAIT_MS,
  );
});

after(async () => {
  await nodes?.close();
  await postgres?.stop();
});

/** An answer whose body pauses after its first bytes until the rest is read. */
class PausedDownload {
  readonly #reply: IncomingMessage;
  #bytes = 0;

  private constructor(reply: IncomingMessage) {
    this.#reply = reply;
  }

  static async start(
    headers: Record<string, string>,
    startMs = pastMs,
    endMs = pastEndMs,
  ): Promise<PausedDownload> {
    const address = nodes.server('south').url + addressOf('downloadArchive', { uid });
    const outgoing = request(`${address}?start_time=${startMs}&end_time=${endMs}`, { headers, agent: false });
    outgoing.end();
    const [reply] = (await once(outgoing, 'response')) as [IncomingMessage];
    assert.equal(reply.statusCode, 200);
    const download = new PausedDownload(reply);
    await once(reply, 'readable');
    download.#bytes += (reply.read() as Buffer | null)?.length ?? 0;
    return download;
  }

  /** `whole`, `broken off`, or `hangs`. */
  async rest(): Promise<string> {
    const late = setTimeout(() => this.#reply.destroy(new Error('hangs')), 40_000);
    try {
      for await (const chunk of this.#reply) this.#bytes += (chunk as Buffer).length;
      const isWhole = this.#bytes === Number(this.#reply.headers['content-length']);
      return isWhole && this.#reply.complete ? 'whole' : 'a clean end before its time';
    } catch (error) {
      return (error as Error).message === 'hangs' ? 'hangs' : 'broken off';
    } finally {
      clearTimeout(late);
    }
  }
}

/** A new user with all rights on the stream, signed in on south and with a token. */
async function newPerson() {
  const login = `guard${++people}`;
  await north().addUser({
    body: { name: login, email: `${login}@example.org`, password, permissionType: 'user' },
  });
  await allow(login, true);
  const { url } = nodes.server('south');
  const cookie = await signIn(nodes.server('south'), login, password);
  const client = createClient({ baseUrl: url, headers: () => ({ cookie, origin: url }) });
  const { secret, id: tokenId } = await client.addToken({ body: { name: 'phone', expireTime: null } });
  return { login, cookie: { cookie }, token: { authorization: `Bearer ${secret}` }, tokenId, client };
}

async function allow(login: string, archive: boolean): Promise<void> {
  const items = [{ stream: uid, view: true, archive, share: false, edit: false }];
  await north().saveUserPermissions({ params: { login }, body: { items } });
}

/** South's answer to the same user's next request. */
async function statusBy(headers: Record<string, string>): Promise<number> {
  const query = `start_time=${pastMs}&end_time=${pastEndMs}`;
  const address = nodes.server('south').url + addressOf('getArchiveRanges', { uid });
  return (await fetch(`${address}?${query}`, { headers })).status;
}

type Person = Awaited<ReturnType<typeof newPerson>>;
const revocations: readonly [
  string,
  (person: Person) => Record<string, string>,
  (person: Person) => Promise<unknown>,
][] = [
  ['a right is taken', ({ cookie }) => cookie, ({ login }) => allow(login, false)],
  ['a user is blocked', ({ token }) => token, ({ login }) => north().blockUser({ params: { login } })],
  [
    'a session is ended',
    ({ cookie }) => cookie,
    async ({ login }) => {
      const { items } = await north().listUserSessions({ params: { login } });
      for (const { id } of items) await north().deleteUserSession({ params: { login, id } });
    },
  ],
  [
    'a token is revoked',
    ({ token }) => token,
    async ({ cookie, tokenId }) => {
      const { url } = nodes.server('north');
      const own = createClient({ baseUrl: url, headers: () => ({ ...cookie, origin: url }) });
      await own.deleteToken({ params: { id: tokenId } });
    },
  ],
];

for (const [what, credentials, revoke] of revocations) {
  test(`[R10.8, R4.4] when ${what} on one node, a download through another one breaks off in the middle`, async () => {
    const person = await newPerson();
    const headers = credentials(person);
    const download = await PausedDownload.start(headers);
    await revoke(person);
    // Once the other node refuses the next request, nothing more of this one is read for them either.
    await until(
      () => statusBy(headers),
      (status) => status >= 400,
      WAIT_MS,
    );
    assert.equal(await download.rest(), 'broken off');
  });
}

test('[R10.8] an uninterrupted download through the other node is complete', async () => {
  const download = await PausedDownload.start({ cookie: nodes.cookie });
  assert.equal(await download.rest(), 'whole');
});

test('[R16.3] what was imported on one node plays through another one', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-cluster-import-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const fromMs = pastMs - 3_600_000;
  const [day = '', time = ''] = new Date(fromMs).toISOString().split('T');
  const file = join(
    folder,
    'recordings',
    day,
    time.slice(0, 2),
    'Gate',
    `${time.slice(3, 5)}.${time.slice(6, 8)}.mp4`,
  );
  await mkdir(dirname(file), { recursive: true });
  const source = ['-f', 'lavfi', '-i', 'testsrc2=s=320x180:r=25:d=8'];
  const coding = ['-c:v', 'libx264', '-preset', 'ultrafast', '-g', '50', '-pix_fmt', 'yuv420p'];
  await promisify(execFile)('ffmpeg', ['-v', 'error', ...source, ...coding, file]);
  await writeFile(
    join(folder, 'config.yml'),
    'cameras: { Gate: { ffmpeg: { inputs: [{ path: "rtsp://127.0.0.1:9/a", roles: [record] }] } } }',
  );
  const { secret } = await north().addToken({ body: { name: 'import', expireTime: null } });
  const env = { VIDETTE_DATA: nodes.folder('north'), VIDETTE_TOKEN: secret };
  const lines: string[] = [];
  const args = ['frigate', folder, nodes.server('north').url];
  assert.equal(await runCommand('import', args, env, (line) => void lines.push(line)), 0, lines.join('\n'));

  const params = { uid };
  const query = { start_time: fromMs - 1_000, end_time: fromMs + 20_000 };
  const found = async () =>
    (await south().getArchiveRanges({ params, query })).ranges.map(({ date, status }) => [
      date - fromMs,
      status,
    ]);
  const expected = [
    [-1_000, 'gap'],
    [0, 'fragment'],
    [8_000, 'gap'],
  ];
  assert.deepEqual(await until(found, (ranges) => ranges.length > 1, WAIT_MS), expected);
  const stats = await south().getArchiveStats({ params });
  assert.equal(stats.startTime, fromMs);
  assert.ok((stats.importedBytes ?? 0) > 0);
  const zone = { start_time: fromMs - 86_400_000, end_time: fromMs + 86_400_000, timezone_offset: 0 };
  assert.ok((await south().getArchiveDays({ params, query: zone })).days.includes(day));
  const { footage } = await download(south(), uid, { startMs: fromMs, endMs: fromMs + 8_000 });
  assert.deepEqual([footage.consoleErrors, footage.tracks[0]?.decodedFrames], ['', 200]);
  const still = await south().getArchivePicture({ params, query: { time: fromMs + 3_000 } });
  assert.equal(still.headers.get('content-type'), 'image/jpeg');
  const playlist = await (await south().getArchivePlaylist({ params, query })).text();
  const [, length = '0', offset = '0', name = ''] = /BYTERANGE:(\d+)@(\d+)\n(\S+)/.exec(playlist) ?? [];
  const address = new URL(name, nodes.server('south').url + addressOf('getArchivePlaylist', { uid }));
  const range = `bytes=${offset}-${Number(offset) + Number(length) - 1}`;
  const reply = await fetch(address, { headers: { cookie: nodes.cookie, range } });
  assert.deepEqual([reply.status, (await reply.arrayBuffer()).byteLength], [206, Number(length)]);
});

test('[R10.8] a node that falls silent or dies in the middle of a transfer breaks it off, and the footage of the others is delivered', async () => {
  const headers = { cookie: nodes.cookie };
  const nowMs = () => Date.now();
  const silent = await PausedDownload.start(headers, pastMs, nowMs());
  nodes.pause('north');
  assert.equal(await silent.rest(), 'broken off');
  nodes.resume('north');
  const whole = async () => (await south().getArchiveStats({ params: { uid } })).bytes > 300 * frameBytes;
  await until(whole, Boolean, WAIT_MS);

  const dying = await until(
    () => PausedDownload.start(headers, pastMs, nowMs()).catch(() => undefined),
    (started) => started !== undefined,
    WAIT_MS,
  );
  await nodes.kill('north');
  assert.equal(await dying?.rest(), 'broken off');

  const query = { start_time: pastMs, end_time: nowMs() };
  const { ranges, gaps } = await south().getArchiveRanges({ params: { uid }, query });
  assert.ok(gaps.some(({ cause }) => cause === 'node-away'));
  // What was imported there is missed, too.
  const { withoutNodes, importedBytes } = await south().getArchiveStats({ params: { uid } });
  assert.deepEqual([withoutNodes, importedBytes], [['north'], undefined]);
  assert.ok(ranges.length > 0);
  const healthy = await PausedDownload.start(headers, pastMs, nowMs());
  assert.equal(await healthy.rest(), 'whole');
  const playlist = await (await south().getArchivePlaylist({ params: { uid }, query })).text();
  const file = /segment\/[\w.-]+/.exec(playlist)?.[0] ?? '';
  const address = new URL(file, nodes.server('south').url + addressOf('getArchivePlaylist', { uid }));
  const reply = await fetch(address, { headers, signal: AbortSignal.timeout(30_000) });
  assert.equal((await reply.arrayBuffer()).byteLength, Number(reply.headers.get('content-length')));
});
