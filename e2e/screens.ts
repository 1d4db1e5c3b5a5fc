// `npm run screens [FILTER...]`: takes a screenshot of every screen, on phones, a tablet, a desktop and a wall,
// in the day and night themes, in both languages, against the real server with real streams, into the folder
// `screens`. They are for visual inspection; nothing is compared.
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@vidette/contract/client';
import { administratorOf, clientOf, until } from './api.ts';
import { launchBrowser, newPerson, signInByCookie, type Look } from './browser.ts';
import { recordedFor } from './footage.ts';
import { emptyScreens, fullScreens, lockedScreens, type Exhibits, type Screen } from './screen-list.ts';
import { signIn, startServer, type TestServer } from './server.ts';

const folder = join(import.meta.dirname, '../screens');
const filters = process.argv.slice(2);

/** `VIDETTE_SCREENS_LOOKS=360,1440.dark.ru` takes only the looks whose names begin with these. */
const wantedLooks = process.env['VIDETTE_SCREENS_LOOKS']?.split(',') ?? [''];

/** `VIDETTE_SCREENS_STREAMS=500` adds so many further streams, a third of them with long names. */
const furtherStreams = Number(process.env['VIDETTE_SCREENS_STREAMS'] ?? 0);

const looks: readonly Look[] = (
  [
    [360, 740],
    [390, 844],
    [768, 1024],
    [1440, 900],
    [3840, 2160],
  ] as const
)
  .flatMap(([width, height]) =>
    (['dark', 'light'] as const).flatMap((colorScheme) =>
      (['en', 'ru'] as const).map((language) => ({ width, height, colorScheme, language, hasSideBar: true })),
    ),
  )
  .filter((look) => wantedLooks.some((wanted) => nameOf(look).startsWith(wanted)));

/** Number of pages in parallel: most of the time of a screenshot is waiting. */
const hands = 3;

function nameOf({ width, colorScheme, language }: Look): string {
  return `${width}.${colorScheme}.${language}`;
}

const browser = await launchBrowser();
// A mail server that is never used: with one, the page offers to recover a password.
const server = await startServer({ env: { VIDETTE_SMTP_HOST: '127.0.0.1', VIDETTE_SMTP_PORT: '9' } });
try {
  if (filters.length === 0) await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await take(server, lockedScreens, undefined);
  const administrator = await administratorOf(server);
  await take(server, emptyScreens, administrator);
  await take(server, fullScreens(await exhibit(administrator.client)), administrator);
} finally {
  await browser.close();
  await server.stop();
}

async function exhibit(client: Client): Promise<Exhibits> {
  const add = async (name: string, streamSource: string, tags: string[]) =>
    (await client.addStream({ body: { name, streamSource, tags } })).uid;
  const live = await add('Gate 2', 'demo:', ['yard', 'outside']);
  await add('Ворота, северный двор', 'demo:', ['yard']);
  const paused = await add('A name so long that it has to be cut somewhere before it ends', 'demo:', []);
  const failed = await add('Loading dock', 'rtsp://127.0.0.1:9/live', ['inside']);
  await until(
    () => client.listStreamStatuses(),
    ({ items }) => items.every(({ status }) => status !== 'pending'),
    60_000,
  );
  for (let at = 0; at < furtherStreams; at++) await addFurther(client, at);
  await client.pauseStream({ body: { uid: paused } });
  await client.addUser({
    body: { name: 'guard', fullName: 'Night guard', password: 'seven quiet otters 5' },
  });
  await client.saveUserPermissions({
    params: { login: 'guard' },
    body: { items: [{ stream: live, archive: true }] },
  });
  const cell = (x: number, y: number, stream: string) => ({ x, y, width: 1, height: 1, stream });
  const cells = [{ ...cell(0, 0, live), width: 2, height: 2 }, cell(2, 0, paused), cell(2, 1, failed)];
  await client.addMosaic({
    body: { name: 'Front of the house', isShared: true, layout: { columns: 3, rows: 3, cells } },
  });
  const places = Array.from({ length: 16 }, (_, place) => cell(place % 4, Math.floor(place / 4), live));
  await client.addMosaic({
    body: { name: 'Wall', isShared: false, layout: { columns: 4, rows: 4, cells: places } },
  });
  await client.addBookmark({ body: { stream: live, startTime: Date.now(), note: 'A red car at the gate' } });
  const [fragment] = await recordedFor(client, live, 3_000);
  const startTime = Math.floor(fragment?.startMs ?? 0) - 60_000;
  const named = { name: 'Night at the gate', streams: [live], startTime };
  await client.addExport({ body: { ...named, endTime: Math.floor(fragment?.endMs ?? 0) } });
  const { url } = await client.getStreamShare({ params: { uid: live } });
  const guard = await signIn(server, 'guard', 'seven quiet otters 5');
  return { live, failed, guard, shareKey: new URL(url).pathname.split('/').at(-1) ?? '' };
}

/** Adds one of many streams. They have no viewers, so that none of them connects. */
async function addFurther(client: Client, at: number): Promise<void> {
  const number = at + 1;
  const names = [
    `Camera ${number}`,
    `Warehouse ${number}, row 14, northern gate towards the railway and the weighbridge (spare)`,
    `Склад${number}СевернаяПроходнаяУЖелезнодорожныхВесовБезПробелов`,
  ];
  const name = names[at % names.length] ?? '';
  const tags = [`floor ${at % 7}`, ...(at % 5 === 0 ? ['длинная метка для северного двора'] : [])];
  const location = { name: at % 4 === 0 ? 'Building 12, second basement, corridor C' : 'Yard' };
  const body = { name, streamSource: 'demo:', tags, location, live: { onDemand: true } };
  await client.addStream({ body: { ...body, archive: { isEnable: false } } });
}

/** Takes every screen in every look; signed in as `person` if a screen needs it. */
async function take(
  { url }: TestServer,
  screens: readonly Screen[],
  person: { readonly client: Client; readonly cookie: string } | undefined,
): Promise<void> {
  const wanted = screens.filter(
    ({ name }) => filters.length === 0 || filters.some((filter) => name.includes(filter)),
  );
  for (const language of ['en', 'ru'] as const) {
    await person?.client.saveProfile({ body: { language } });
    for (const { cookie } of screens) {
      if (cookie !== undefined) await clientOf(server, cookie).saveProfile({ body: { language } });
    }
    for (const look of looks.filter((one) => one.language === language)) {
      const rest = [...wanted];
      const takeAll = async () => {
        for (let one = rest.shift(); one; one = rest.shift()) await takeOne(url, one, look, person?.cookie);
      };
      await Promise.all(Array.from({ length: hands }, takeAll));
    }
  }
}

async function takeOne(url: string, screen: Screen, look: Look, cookie: string | undefined): Promise<void> {
  const file = `${screen.name}.${nameOf(look)}.png`;
  const context = await newPerson(browser, look);
  const session = screen.cookie ?? cookie;
  if (session && !screen.isSignedOut) await signInByCookie(context, url, session);
  await screen.testEnv?.(context);
  const page = await context.newPage();
  await page.goto(`${url}/ui${screen.path}`);
  await page.locator('main :is(h1, h2, input, video)').first().waitFor();
  // A screenshot of a page that did not reach its state shows more than none.
  await screen.act?.(page).catch((error: unknown) => process.stdout.write(`${file}: ${String(error)}\n`));
  // Time for transitions and loading to finish before the screenshot.
  await page.waitForTimeout(1_200);
  await page.screenshot({ path: join(folder, file) });
  const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  if (overflow > 0) process.stdout.write(`${file}: ${overflow} px too wide\n`);
  await context.close();
}
