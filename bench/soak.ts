/**
 * Whether an open page leaks: NAVIGATIONS through its screens, then an hour of page time in a visible tab,
 * every poll against the real server, and an hour in a hidden one.
 *
 *   npm run bench soak [NAVIGATIONS=500] [SECONDS=3600]
 *
 * Counted after forced collections: heap, listeners, nodes, players, sockets. Exit code 1 if any of them grew.
 */
import { TestEnv } from '../e2e/test-env.ts';
import { PageSoak, walk, type PageHoldings } from '../e2e/page-soak.ts';

const [navigations = 500, seconds = 3_600] = process.argv.slice(2).map(Number);
/** How much the heap may grow: for caches that fill late, independent of the length of the run. */
const heapGrowthMaxBytes = 4_000_000;
const listenersGrowthMax = 30;

const testEnv = await TestEnv.start();
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
  const { uid } = await testEnv.client.addStream({ body: { name: 'Gate 2', streamSource: 'demo:' } });
  await testEnv.open('/help', async (page) => {
    const soak = await PageSoak.begin(page);
    const paths = walk(uid);
    const goTo = (at: number) => soak.go(paths[at % paths.length] ?? '/help');
    const warmUp = 5 * paths.length;
    for (let at = 0; at < warmUp; at++) await goTo(at);
    const before = await soak.untilQuiet();
    for (let at = 0; at < navigations; at++) await goTo(at);
    await soak.go('/help');
    say(`${navigations} navigations`, before, await soak.untilQuiet());
  });
  await testEnv.open('/help', async (page) => {
    await page.clock.install();
    const soak = await PageSoak.begin(page);
    await page.goto(`${testEnv.server.url}/ui/streams`);
    await page.getByRole('link', { name: /^Gate 2/ }).waitFor();
    await soak.pass(300, 1_000);
    const before = await soak.holdings();
    const asked = soak.requests;
    await soak.pass(seconds, 1_000);
    say(`${seconds} s visible, ${soak.requests - asked} calls`, before, await soak.holdings());
    await soak.setHidden(true);
    await soak.pass(5, 1_000);
    const hidden = await soak.holdings();
    const quiet = soak.requests;
    await soak.pass(seconds / 60, 60_000);
    say(`${seconds} s hidden, ${soak.requests - quiet} calls`, hidden, await soak.holdings());
    hasGrown ||= soak.requests > quiet;
  });
} finally {
  await testEnv.close();
}
process.exit(hasGrown ? 1 : 0);
