import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { bootElementId } from '@vidette/contract/constants';
import type { Client } from '@vidette/contract/client';
import type { Settings, User } from '@vidette/contract/entities';
import { administratorOf } from '../api.ts';
import { startServer, type TestServer } from '../server.ts';

const env = { VIDETTE_APP_TITLE: 'Cams </title><script>', VIDETTE_APP_LANGUAGE: '' };
let server: TestServer;
let client: Client;
let cookie: string;

before(async () => {
  server = await startServer({ env });
  ({ client, cookie } = await administratorOf(server));
});

after(() => server?.stop());

interface Boot {
  settings: Settings;
  user: User | null;
  language: string;
}

async function open(path: string, headers: Record<string, string> = {}, { url } = server) {
  const response = await fetch(url + path, { headers, redirect: 'manual' });
  const html = await response.text();
  const json = new RegExp(`id="${bootElementId}">([^<]*)</script>`).exec(html)?.[1];
  return { response, html, boot: json === undefined ? undefined : (JSON.parse(json) as Boot) };
}

test('[R1.1] / redirects to /ui/, and every deep link opens the page on a hard reload', async () => {
  const root = await open('/');
  assert.deepEqual([root.response.status, root.response.headers.get('location')], [302, '/ui/']);
  for (const path of [
    '/ui/',
    '/ui/streams',
    '/ui/stream/abc/view?x=1',
    '/ui/user/a.b@c/info',
    '/ui/..%2f..%2fpackage.json',
  ]) {
    const { response, boot } = await open(path);
    assert.equal(response.status, 200, path);
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
    assert.ok(boot, path);
  }
});

test('[R1.2, R2.4] the page contains the settings, and no user before there is one', async (t) => {
  const locked = await startServer({ env });
  t.after(() => locked.stop());
  const { boot } = await open('/ui/', { 'accept-language': 'ru' }, locked);
  assert.equal(boot?.settings.isLocked, true);
  assert.equal(boot?.user, null);
  assert.equal(boot?.language, 'ru');
});

test('[R1.2, R1.4] when signed in, it contains the user, in the language of the profile', async () => {
  const { boot } = await open('/ui/streams', { cookie, 'accept-language': 'ru' });
  assert.equal(boot?.user?.name, 'admin');
  assert.equal(boot?.language, 'en');
  assert.notEqual(boot?.settings.version, '');
});

test('[R2.19, R1.6] the selected theme is in the HTML itself, so that no other flashes first', async () => {
  assert.match((await open('/ui/', { cookie })).html, /<html lang="en">/);
  await client.saveProfile({ body: { preferences: { theme: 'dark' } } });
  assert.match((await open('/ui/', { cookie })).html, /<html lang="en" data-mantine-color-scheme="dark">/);
  await client.saveProfile({ body: { preferences: { theme: 'auto' } } });
});

test('[R3.8] an anonymous client learns nothing about the server that sign-in does not need', async () => {
  const { boot } = await open('/ui/');
  const { version, revision, nodeID, smtpServerHost, features } = boot?.settings ?? {};
  assert.deepEqual([version, revision, nodeID, smtpServerHost, features], ['', '', null, null, []]);
});

test('[R1.5] a title can’t break out of its element, nor the boot data out of its script', async () => {
  const { html } = await open('/ui/');
  assert.match(html, /<title>Cams &lt;\/title&gt;&lt;script&gt;<\/title>/);
  assert.doesNotMatch(html, /<\/title><script>/);
});

test('headers: no external scripts, no MIME sniffing, no framing by other sites', async () => {
  for (const path of ['/ui/', '/v1/system/internal/ui/settings', '/v1/nothing']) {
    const { headers } = (await open(path)).response;
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, path === '/ui/' ? /script-src 'self';/ : /default-src 'none';/);
    assert.match(policy, /frame-ancestors 'self'/);
    assert.equal(headers.get('x-content-type-options'), 'nosniff');
  }
});

test('files of the page are compressed, cached for a year by their hash, and requested once', async () => {
  const { html } = await open('/ui/');
  const script = /src="(\/ui\/assets\/[^"]+\.js)"/.exec(html)?.[1] ?? '';
  const first = await fetch(server.url + script, { headers: { 'accept-encoding': 'br' } });
  assert.equal(first.headers.get('content-encoding'), 'br');
  assert.match(first.headers.get('cache-control') ?? '', /max-age=31536000, immutable/);
  assert.match(first.headers.get('content-type') ?? '', /^text\/javascript/);
  const etag = first.headers.get('etag') ?? '';
  assert.equal((await fetch(server.url + script, { headers: { 'if-none-match': etag } })).status, 304);
  assert.equal((await fetch(`${server.url}/ui/assets/gone-12345678.js`)).status, 404);
  const shell = await fetch(`${server.url}/ui/`);
  assert.equal(shell.headers.get('cache-control'), 'private, no-cache');
});
