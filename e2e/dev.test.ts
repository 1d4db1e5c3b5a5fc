import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const tool = fileURLToPath(new URL('../tools/dev.mjs', import.meta.url));

let dataDir: string;
let dev: ReturnType<typeof spawn>;
let origin: string;

before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'vidette-dev-'));
  dev = spawn(process.execPath, [tool, '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, VIDETTE_DATA: dataDir },
  });
  for await (const line of createInterface(dev.stdout!)) {
    const found = /listens on (http:\/\/localhost:\d+)\/ui\//.exec(line)?.[1];
    if (found === undefined) continue;
    origin = found;
    break;
  }
});

after(async () => {
  const ended = once(dev, 'exit');
  dev.kill('SIGTERM');
  assert.deepEqual(await ended, [0, null]);
  await rm(dataDir, { recursive: true });
});

test('development: the page comes from the server, with its boot data and policy, and its scripts from Vite', async () => {
  const reply = await fetch(`${origin}/ui/init`, { headers: { accept: 'text/html' } });
  const html = await reply.text();
  const boot = JSON.parse(/<script type="application\/json" id="boot"[^>]*>([^<]*)</.exec(html)?.[1] ?? '');
  assert.equal(boot.settings.isLocked, true);
  assert.match(html, /src="\/ui\/src\/main\.tsx"/);
  const policy = reply.headers.get('content-security-policy') ?? '';
  assert.match(policy, /script-src 'self' 'nonce-[\w-]+'/);
  assert.match(policy, /object-src 'none'/);

  const script = await fetch(`${origin}/ui/src/main.tsx`);
  assert.match(script.headers.get('content-type') ?? '', /javascript/);
  assert.doesNotMatch(await script.text(), /as HTMLElement/);
});

test('development: calls reach the server', async () => {
  const reply = await fetch(`${origin}/v1/system/health`);
  assert.equal(reply.status, 423);
  assert.equal(((await reply.json()) as { code: string }).code, 'LifetimeCodeRequired');
});
