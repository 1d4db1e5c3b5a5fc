import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { WebSocket } from 'ws';
import { runCommand } from '../server/src/cli/command-line.ts';
import { administratorOf, until } from './api.ts';
import { startServer } from './server.ts';

test('[R10.10] a server that is asked to stop lets everybody go and leaves an archive in order', async (t) => {
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
  const lines: string[] = [];
  const code = await runCommand('check', [], { VIDETTE_DATA: dataDir }, (line) => void lines.push(line));
  assert.deepEqual([code, lines], [0, ['The archive is in order.']]);
});
