import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { parse } from 'yaml';
import type { Client } from '@vidette/contract/client';
import { administratorOf, until } from './api.ts';
import { seriousFaults } from './axe.ts';
import { consoleErrorsOf, desktop, launchBrowser, newPerson, overflowOf, signInByCookie } from './browser.ts';
import type { Look } from './browser.ts';
import { recordedFor } from './footage.ts';
import { programIn, runUntil } from './guide-examples.ts';
import { administrator, startServer, type TestServer } from './server.ts';

// The guide that every server serves.

const metricsToken = 'token-of-the-metrics';
const guideFolder = join(import.meta.dirname, '../guide');

let server: TestServer;
let browser: Browser;
let client: Client;
let cookie: string;

before(async () => {
  // On a busy machine the server would leave out snapshots.
  const env = { VIDETTE_METRICS_TOKEN: metricsToken, VIDETTE_OVERLOAD_YIELDS: 'false' };
  [server, browser] = await Promise.all([startServer({ env }), launchBrowser()]);
  ({ client, cookie } = await administratorOf(server));
});

after(async () => {
  await browser?.close();
  await server?.stop();
});

/** Opens a page; fails if it logs an error or loads anything from another server. */
async function open(
  path: string,
  body: (page: Page) => Promise<void>,
  { look = desktop, as }: { look?: Look; as?: string } = {},
): Promise<void> {
  const context = await newPerson(browser, look);
  if (as !== undefined) await signInByCookie(context, server.url, as);
  const page = await context.newPage();
  const consoleErrors = consoleErrorsOf(page);
  const elsewhere: string[] = [];
  context.on('request', (request) => {
    if (!request.url().startsWith(server.url)) elsewhere.push(request.url());
  });
  await page.goto(`${server.url}/ui${path}`);
  await body(page);
  assert.deepEqual([consoleErrors, elsewhere], [[], []]);
  await context.close();
}

const theme = (page: Page) => page.evaluate(() => getComputedStyle(document.documentElement).colorScheme);

test('everybody can read the guide, under the headers of every page, and all of it comes from the server', async () => {
  const [guide, shell] = await Promise.all(
    ['/ui/help/', '/ui/'].map((path) => fetch(`${server.url}${path}`)),
  );
  assert.equal(guide?.status, 200);
  for (const name of ['content-security-policy', 'x-frame-options', 'referrer-policy'])
    assert.equal(guide?.headers.get(name), shell?.headers.get(name), name);
  const [, style = ''] = /href="(\/ui\/assets\/[^"]+\.css)"/.exec((await guide?.text()) ?? '') ?? [];
  const files = [
    style,
    '/ui/help/vidette.sample.yaml',
    '/ui/help/third-party-licenses.txt',
    '/ui/help/search.json',
  ];
  for (const file of files) assert.equal((await fetch(`${server.url}${file}`)).status, 200, file);
  const again = { headers: { 'if-none-match': guide?.headers.get('etag') ?? '' } };
  assert.equal((await fetch(`${server.url}/ui/help/`, again)).status, 304);
  await open('/help/', async (page) => {
    await page.getByRole('link', { name: 'Install', exact: true }).first().click();
    await page.waitForURL('**/ui/help/install.html');
    assert.equal(await page.title(), 'Install – Vidette');
    await page.getByRole('link', { name: 'HTTPS', exact: true }).click();
    await page.waitForURL('**/install.html#https');
    await page.getByRole('heading', { name: 'HTTPS' }).waitFor();
  });
});

test('the guide is searched with the keyboard', () =>
  open('/help/backup.html', async (page) => {
    await page.keyboard.press('/');
    await page.keyboard.type('overl');
    const results = page.locator('#results a');
    await until(
      () => results.count(),
      (count) => count > 0,
    );
    assert.equal(await results.first().textContent(), 'Monitor: Overload');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/monitoring.html#overload');
    await page.locator('#search').fill('xylophone');
    await page.getByText('Nothing found').waitFor();
    await page.keyboard.press('Escape');
    await until(
      () => page.getByText('Nothing found').count(),
      (count) => count === 0,
    );
  }));

test('[R1.7] axe finds nothing serious in the guide, which fits a phone and follows the theme of its reader', async () => {
  const phone = { ...desktop, width: 390, height: 740 };
  for (const look of [desktop, { ...phone, colorScheme: 'light' as const }]) {
    await open(
      '/help/',
      async (page) => {
        assert.equal(await theme(page), look.colorScheme);
        const addresses = await page
          .locator('main li > a')
          .evaluateAll((links) => links.map((link) => (link as HTMLAnchorElement).href));
        assert.ok(addresses.length >= 15);
        // The themes differ in colours only: a page with a table, code and a list has all of them.
        const isChecked = (address: string) => look === desktop || address.endsWith('/monitoring.html');
        for (const address of addresses) {
          await page.goto(address);
          assert.equal(await overflowOf(page), 0, address);
          if (isChecked(address)) assert.deepEqual(await seriousFaults(page), [], address);
        }
        if (look.width > 800) return;
        await page.getByRole('button', { name: 'Contents' }).click();
        await page.locator('#contents').getByRole('link', { name: 'Nodes' }).click();
        await page.waitForURL('**/cluster.html');
      },
      { look },
    );
  }
  await client.saveProfile({ body: { preferences: { theme: 'light' } } });
  await open('/help/', async (page) => assert.equal(await theme(page), 'light'), { as: cookie });
});

test('[R2.16] [R2.24] the menu and the help screen lead to the guide', () =>
  open(
    '/help',
    async (page) => {
      await page.getByRole('link', { name: 'Open the guide' }).waitFor();
      await page.getByRole('button', { name: /^Menu of/ }).click();
      const opened = page.context().waitForEvent('page');
      await page.getByRole('menuitem', { name: 'Guide' }).click();
      await (await opened).getByRole('heading', { name: 'Guide', level: 1 }).waitFor();
    },
    { as: cookie },
  ));

test('the examples of the API’s quick start work as they are printed, in curl, TypeScript and Python', async (t) => {
  const { uid } = await client.addStream({ body: { name: 'Gate', streamSource: 'demo:' } });
  await recordedFor(client, uid, 3_000);
  const folder = await mkdtemp(join(tmpdir(), 'vidette-guide-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  const env = {
    ...{ PATH: process.env['PATH'], HOME: process.env['HOME'] },
    VIDETTE_URL: server.url,
    VIDETTE_LOGIN: administrator.name,
    VIDETTE_PASSWORD: administrator.password,
  };
  const { secret } = await client.addToken({ body: { name: 'examples', expireTime: null } });
  for (const [language, command, file, isFirst] of [
    ['sh', 'sh', 'example.sh', true],
    ['ts', process.execPath, 'example.ts', false],
    ['python', 'python3', 'example.py', false],
  ] as const) {
    const own = join(folder, language);
    await mkdir(own);
    const run = { command, file, folder: own, program: programIn('api.md', language) };
    const output = await runUntil(run, isFirst ? env : { ...env, VIDETTE_TOKEN: secret }, /^event: reload$/m);
    assert.match(output, new RegExp(uid));
    assert.match(output, /fragment/, output);
    assert.match(output, language === 'ts' ? /^live video\/mp4; codecs=/m : /^#EXTM3U$/m);
    const jpeg = await readFile(join(own, 'snapshot.jpg'));
    assert.deepEqual([...jpeg.subarray(0, 2)], [0xff, 0xd8]);
    const probe = [
      '-v',
      'error',
      '-show_entries',
      'format=duration',
      '-of',
      'csv=p=0',
      join(own, 'clip.mp4'),
    ];
    assert.ok(Number(execFileSync('ffprobe', probe, { encoding: 'utf8' })) >= 3);
  }
});

/** Of the metrics in Prometheus' text format: the labels of each. */
function labelsIn(exposition: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [, name = ''] of exposition.matchAll(/^# TYPE (\S+) /gm)) found.set(name, new Set());
  for (const [, name = '', labels = ''] of exposition.matchAll(/^([a-z_]+)(?:\{([^}]*)\})? /gm))
    for (const [, label = ''] of labels.matchAll(/(\w+)="/g)) found.get(name)?.add(label);
  return found;
}

test('[R10.10] the alert rules and the dashboard use metrics and labels that the server really exports', async () => {
  const { uid } = await client.addStream({ body: { name: 'Measured', streamSource: 'demo:' } });
  await recordedFor(client, uid, 1_000);
  const headers = { authorization: `Bearer ${metricsToken}` };
  const known = await until(
    async () => {
      // Without a question the coverage is computed once a minute.
      await client.getArchiveStats({ params: { uid } });
      return labelsIn(await (await fetch(`${server.url}/metrics`, { headers })).text());
    },
    (labels) => labels.get('vidette_stream_recorded_ratio')?.has('window') === true,
  );
  const rules = parse(await readFile(join(guideFolder, 'vidette-alerts.yaml'), 'utf8')) as {
    groups: {
      rules: { alert: string; expr: string; labels: object; annotations: Record<string, string> }[];
    }[];
  };
  const alerts = rules.groups.flatMap((group) => group.rules);
  assert.equal(new Set(alerts.map(({ alert }) => alert)).size, 12);
  for (const { alert, labels, annotations } of alerts) {
    assert.match(alert, /^Vidette[A-Za-z]+$/);
    assert.deepEqual(
      [Object.keys(labels), Object.keys(annotations)],
      [['severity'], ['summary', 'description']],
      alert,
    );
  }
  const dashboard = await readFile(join(guideFolder, 'vidette-dashboard.json'), 'utf8');
  const { panels, templating } = JSON.parse(dashboard) as {
    panels: { targets: { expr: string }[] }[];
    templating: { list: { definition?: string }[] };
  };
  const queries = [
    ...alerts.map(({ expr }) => expr),
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...templating.list.flatMap(({ definition = [] }) => definition),
  ];
  const used = queries.flatMap((query) => [
    ...query.matchAll(/\b((?:vidette|process|nodejs)_[a-z_]+)(?:\{([^}]*)\})?/g),
  ]);
  assert.ok(used.length > 30);
  for (const [text, name = '', selector = ''] of used) {
    const labels = known.get(name);
    assert.ok(labels, `${name} is not exported`);
    // Prometheus adds the instance.
    for (const [, label = ''] of selector.matchAll(/(\w+)=/g))
      assert.ok(label === 'instance' || labels.has(label), text);
  }
});
