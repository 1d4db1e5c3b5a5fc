/**
 * Whether a page that is left open grows: a walk of NAVIGATIONS through its screens, then an hour of its own time in a
 * visible tab, every poll against the real server, and an hour in a hidden one.
 *
 *   npm run bench life [NAVIGATIONS=500] [SECONDS=3600]
 *
 * Counted after forced collections: heap, listeners, nodes, players, sockets. Exit code 1 if any of them grew.
 */
import { Stage } from '../e2e/stage.ts';
import { PageLife, walk, type PageHoldings } from '../e2e/page-life.ts';

const [navigations = 500, seconds = 3_600] = process.argv.slice(2).map(Number);
/** What the heap may gain: caches that fill late, never with the length of the run. */
const heapGrowthMaxBytes = 4_000_000;
const listenersGrowthMax = 30;

const stage = await Stage.start();
let hasGrown = false;

function say(what: string, before: PageHoldings, after: PageHoldings): void {
  const grew =
    after.heapBytes > before.heapBytes + heapGrowthMaxBytes ||
    after.listeners > before.listeners + listenersGrowthMax ||
    after.players > before.players ||
    after.sockets > before.sockets;
  hasGrown ||= grew;
  const of = ({ heapBytes, listeners, nodes, players, sockets }: PageHoldings) =>
    `${(heapBytes / 1e6).toFixed(1)} MB, ${listeners} listeners, ${nodes} nodes, ${players} players, ${sockets} sockets`;
  process.stdout.write(`${what}\n  before  ${of(before)}\n  after   ${of(after)}${grew ? '  GREW' : ''}\n`);
}

try {
  const { uid } = await stage.client.addStream({ body: { name: 'Gate 2', streamSource: 'demo:' } });
  await stage.open('/help', async (page) => {
    const life = await PageLife.begin(page);
    const paths = walk(uid);
    const goTo = (at: number) => life.go(paths[at % paths.length] ?? '/help');
    const warmUp = 5 * paths.length;
    for (let at = 0; at < warmUp; at++) await goTo(at);
    const before = await life.untilQuiet();
    for (let at = 0; at < navigations; at++) await goTo(at);
    await life.go('/help');
    say(`${navigations} navigations`, before, await life.untilQuiet());
  });
  await stage.open('/help', async (page) => {
    await page.clock.install();
    const life = await PageLife.begin(page);
    await page.goto(`${stage.server.url}/ui/streams`);
    await page.getByRole('link', { name: /^Gate 2/ }).waitFor();
    await life.pass(300, 1_000);
    const before = await life.holdings();
    const asked = life.requests;
    await life.pass(seconds, 1_000);
    say(`${seconds} s in sight, ${life.requests - asked} calls`, before, await life.holdings());
    await life.setHidden(true);
    await life.pass(5, 1_000);
    const hidden = await life.holdings();
    const quiet = life.requests;
    await life.pass(seconds / 60, 60_000);
    say(`${seconds} s hidden, ${life.requests - quiet} calls`, hidden, await life.holdings());
    hasGrown ||= life.requests > quiet;
  });
} finally {
  await stage.close();
}
process.exit(hasGrown ? 1 : 0);
