import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import type { Client } from '@vidette/contract/client';
import { runCommand } from '../server/src/cli/command-line.ts';
import { administratorOf, clientOf, until } from './api.ts';
import { signIn, startServer, type TestServer } from './server.ts';

test('[R10.10] a server that is asked to stop disconnects all clients and leaves an archive in order', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'vidette-stop-'));
  t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const server = await startServer({ dataDir });
  t.after(() => server.kill());
  const { client, cookie } = await administratorOf(server);
  const { uid } = await client.addStream({ body: { name: 'Demo', streamSource: 'demo:' } });
  await until(
    () => client.getArchiveStats({ params: { uid } }),
    ({ bytes }) => bytes > 0,
  );
  const socket = new WebSocket(`${server.url.replace('http', 'ws')}/v1/stream/${uid}/live`, {
    headers: { cookie },
  });
  await once(socket, 'message');
  const left = once(socket, 'close');
  await server.stop();
  await left;
  assert.match(server.output, /listens/);
  assert.doesNotMatch(server.output, /"level":(50|60)/);
  assert.doesNotMatch(server.output, /An engine was lost/);
  const lines: string[] = [];
  const code = await runCommand('check', [], { VIDETTE_DATA: dataDir }, (line) => void lines.push(line));
  assert.deepEqual([code, lines], [0, ['The archive is in order.']]);
});

const root = fileURLToPath(new URL('..', import.meta.url));

interface Started {
  /** The process id of npm, which leads its own process group. */
  readonly npm: ChildProcess;
  readonly url: string;
  output: string;
}

/**
 * `npm start` as an operator runs it, in its own process group and without a terminal, as under a supervisor.
 */
async function npmStart(dataDir: string, program: readonly string[] = ['npm', 'start']): Promise<Started> {
  const [command = '', ...args] = program;
  const npm = spawn(command, args, {
    cwd: root,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, VIDETTE_PORT: '0', VIDETTE_HOST: '127.0.0.1', VIDETTE_DATA: dataDir },
  });
  const started = { npm, url: '', output: '' };
  await new Promise<void>((resolve, reject) => {
    const onData = (chunk: Buffer) => {
      started.output += chunk.toString();
      const [, url] = /Vidette listens on (http\S+?)\/ui\//.exec(started.output) ?? [];
      if (url === undefined || started.url !== '') return;
      started.url = url;
      resolve();
    };
    npm.stdout.on('data', onData);
    npm.stderr.on('data', onData);
    npm.once('exit', (code) => reject(new Error(`npm start ended with ${code}:\n${started.output}`)));
  });
  return started;
}

/** Waits until frames have arrived of a part that is not on the disk yet; resolves to the end of what is. */
async function inTheMiddleOfAPart(url: string, cookie: string, uid: string): Promise<number> {
  const client = clientOf({ url } as TestServer, cookie);
  const recordedUntil = async () => {
    const { period } = await client.getArchiveRanges({
      params: { uid },
      query: { start_time: Date.now() - 600_000, end_time: Date.now() },
    });
    return period?.endTime ?? 0;
  };
  // Not by the statistics of the stream: they are of the last whole second.
  let seenFrames = 0;
  const viewer = new WebSocket(`${url.replace('http', 'ws')}/v1/stream/${uid}/live`, { headers: { cookie } });
  viewer.on('message', (_data, isBinary) => (seenFrames += isBinary ? 1 : 0));
  try {
    const started = await until(recordedUntil, (endMs) => endMs > 0);
    let endMs = await until(recordedUntil, (now) => now > started);
    for (;;) {
      const framesBefore = seenFrames;
      await until(
        async () => seenFrames,
        (frames) => frames >= framesBefore + 12,
      );
      const later = await recordedUntil();
      if (later === endMs) return endMs;
      endMs = later;
    }
  } finally {
    viewer.terminate();
  }
}

type Stop = (started: Started) => void;

const group =
  (signal: NodeJS.Signals): Stop =>
  ({ npm }) =>
    process.kill(-(npm.pid ?? 0), signal);

const ways: readonly [name: string, program: readonly string[] | undefined, stop: Stop][] = [
  ['SIGTERM to the whole group, as systemd sends it', undefined, group('SIGTERM')],
  ['kill of npm', undefined, ({ npm }) => npm.kill('SIGTERM')],
  [
    'several signals of both kinds',
    undefined,
    (started) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGINT'] as const) group(signal)(started);
    },
  ],
  [
    'Ctrl-C typed in a terminal',
    // `exec`, because a waiting shell would be ended by the signal itself: dash would; bash replaces itself
    // anyway.
    ['script', '-qefc', 'exec npm start', '/dev/null'],
    ({ npm }) => void npm.stdin?.write('\u0003'),
  ],
];

test('[R10.10] npm start stops cleanly, however and however often it is signalled', async (t) => {
  const dataDir = await mkdtemp(join(tmpdir(), 'vidette-stop-'));
  t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }));
  const first = await startServer({ dataDir });
  t.after(() => first.kill());
  const { client: admin } = await administratorOf(first);
  const { uid } = await admin.addStream({ body: { name: 'Demo', streamSource: 'demo:' } });
  await first.stop();
  let stoppedAt: { name: string; wholeMs: number } | undefined;
  for (const [name, program, stop] of ways) {
    const started = await npmStart(dataDir, program);
    t.after(() => {
      if (started.npm.exitCode === null && started.npm.signalCode === null) group('SIGKILL')(started);
    });
    const there = { url: started.url } as TestServer;
    const cookie = await signIn(there);
    const client = clientOf(there, cookie);
    if (stoppedAt) await assertWholeUntil(client, uid, stoppedAt);
    stoppedAt = { name, wholeMs: await inTheMiddleOfAPart(started.url, cookie, uid) };
    const left = once(started.npm, 'exit');
    stop(started);
    assert.deepEqual(await left, [0, null], `${name}:\n${started.output}`);
    assert.doesNotMatch(started.output, /"level":(50|60)|npm error/i, name);
  }
  const last = await startServer({ dataDir });
  t.after(() => last.kill());
  if (stoppedAt) await assertWholeUntil(clientOf(last, await signIn(last)), uid, stoppedAt);
  await last.stop();
});

/** What had arrived of the current part is on the disk, and the timeline shows that the server was stopped. */
async function assertWholeUntil(
  client: Client,
  uid: string,
  { name, wholeMs }: { name: string; wholeMs: number },
): Promise<void> {
  const { gaps } = await client.getArchiveRanges({
    params: { uid },
    query: { start_time: wholeMs - 1, end_time: Date.now() },
  });
  const since = gaps.filter(({ endTime }) => endTime > wholeMs + 1);
  const causes = since.map(({ cause }) => cause);
  assert.ok(causes.includes('server-stopped') || causes.includes('stopped'), `${name}: ${causes.join()}`);
  assert.ok(!causes.includes('server-crashed'), `${name}: ${causes.join()}`);
  assert.ok((since[0]?.startTime ?? 0) >= wholeMs + 3 * 40, `${name}: the last part is missing`);
}
