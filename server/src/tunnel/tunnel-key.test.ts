import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { authorizedKeyLine } from './location.ts';
import { loadTunnelKey, tunnelKeyFile } from './tunnel-key.ts';

async function newFolder(t: TestContext): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-key-'));
  t.after(() => rm(folder, { recursive: true }));
  return folder;
}

test('[R10.9] the key is created once, is readable only by its owner, and is kept', async (t) => {
  const folder = await newFolder(t);
  const made = await loadTunnelKey(folder);
  assert.match(made.publicKey, /^ssh-ed25519 AAAAC3NzaC1lZDI1NTE5\S+ vidette$/);
  assert.deepEqual(await readdir(folder), [tunnelKeyFile]);
  const file = join(folder, tunnelKeyFile);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  await chmod(file, 0o644);
  assert.deepEqual(await loadTunnelKey(folder), made);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
});

test('[R10.9] an invalid key file is reported, and not replaced', async (t) => {
  const folder = await newFolder(t);
  await writeFile(join(folder, tunnelKeyFile), 'half a ke');
  await assert.rejects(loadTunnelKey(folder), /contains no Ed25519 key/);
});

test('[R10.9] the line for the relay names the port, with IPv6 addresses in brackets', () => {
  const location = {
    ...{ code: 'RU', name: null, host: 'relay', port: 22, user: 'vidette', hostKey: null },
    ...{ bindHost: '::1', bindPort: 8443, publicUrl: null, trustProxy: false },
  };
  assert.equal(
    authorizedKeyLine(location, 'ssh-ed25519 AAAA vidette'),
    'restrict,port-forwarding,permitlisten="[::1]:8443",permitopen="localhost:1",command="/usr/sbin/nologin" ssh-ed25519 AAAA vidette',
  );
});
