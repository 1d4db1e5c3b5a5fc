// Runs the checks and every test file on the project's own Node: unit tests two files at a time, beside the
// checks, then whole-product tests in lanes, one file at a time in each: one for those with a browser, which use
// most of the CPU, one for those without one, and one for the few that do little but wait, which is done with them
// after some minutes and helps the second one. They use two cores almost completely; a second lane of browsers is
// opened only when nothing else is left. Long files begin first, so that the lanes end together. A whole-product
// file that fails is run again at the end, when nothing else is running; a unit test never is. The verdict is in
// `verdict.mjs`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { globSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { parseArgs } from 'node:util';
import { keepCompiled, nodePath, root } from './install.mjs';
import { runAlone, runTestFile } from './alone.mjs';
import { failureText } from './failure-text.mjs';
import { mayRunAgain, verdictOf } from './verdict.mjs';

/** @typedef {import('./verdict.mjs').Outcome} Outcome */
/** @typedef {import('./verdict.mjs').FileRun} FileRun */

keepCompiled();
const { values: chosenBy, positionals: filters } = parseArgs({
  args: process.argv.slice(2),
  options: { name: { type: 'string' }, alone: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const isWhole = filters.length === 0 && chosenBy.name === undefined;
const chosen = (/** @type {string} */ pattern) =>
  globSync(pattern, { cwd: root })
    .filter(
      (file) =>
        !file.includes('node_modules') &&
        (filters.length === 0 || filters.some((part) => file.includes(part))),
    )
    .sort()
    .map((file) => join(root, file));

if (chosenBy.alone) {
  const files = chosen('{contract,media,server,ui,tools,e2e}/**/*.test.ts');
  process.exit((await runAlone(files, runTestFile, (line) => process.stdout.write(`${line}\n`))) ? 0 : 1);
}

const endOfTests = new URL('end-of-tests.mjs', import.meta.url).href;

/** @type {FileRun[]} */
const runs = [];

/** Files that wait for disks, clocks, stores and recordings three quarters of the time, as their CPU time shows. */
const waitingFiles = /\/(archive-(clock|disk|readonly)|full-disk|main-path|s3-tier|slow-store)\.test\.ts$/;
/** Files that take more than a minute, as the line `Longest` of a run reports them. */
const longFiles =
  /\/(accessibility|archive-disk|cluster-relay|engine-\w+|page|release|review|small-screens)\.test\.ts$/;
const [units] = await Promise.all([
  runFiles(chosen('{contract,media,server,ui,tools}/**/*.test.ts'), 2),
  isWhole && check().then((outcome) => runs.push({ path: 'npm run check', first: outcome })),
]);
const whole = Object.groupBy(longFirst(chosen('e2e/**/*.test.ts')), (file) => {
  if (waitingFiles.test(file)) return 'waiting';
  return /'\.+\/(browser|test-env)\.ts'/.test(readFileSync(file, 'utf8')) ? 'browser' : 'plain';
});
const { browser = [], plain = [], waiting = [] } = whole;
/** Duration of each whole-product file, to find out what makes the suite slow. @type {Map<string, number>} */
const seconds = new Map();
const lanes = await Promise.all([
  runLane(() => browser.shift()),
  runLane(() => plain.shift() ?? browser.pop()),
  runLane(() => waiting.shift() ?? plain.shift()),
]);
const first = new Map([...units, ...lanes.flatMap((lane) => [...lane])]);
for (const [file, outcome] of first) {
  const path = relative(root, file);
  /** @type {Outcome | undefined} */
  let second;
  if (outcome.failed && mayRunAgain(path)) {
    outcome.failures.forEach((text) => process.stdout.write(`Before the second run: ${text}`));
    second = joined([...(await runFiles([file], 1)).values()]);
  }
  runs.push({ path, first: outcome, second });
  (second ?? outcome).failures.forEach((text) => process.stdout.write(text));
}

const slowest = [...seconds].sort(([, a], [, b]) => b - a).slice(0, 12);
if (isWhole)
  process.stdout.write(
    `Longest: ${slowest.map(([file, took]) => `${relative(root, file)} ${took} s`).join(', ')}\n`,
  );

const verdict = verdictOf(runs);
process.stdout.write(`\n${verdict.lines.join('\n')}\n`);
process.exit(verdict.isGood ? 0 : 1);

/**
 * `npm run check` in a process of its own.
 * @returns {Promise<Outcome>}
 */
async function check() {
  const child = spawn(nodePath, [join(root, 'tools/check.mjs')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text) => (output += text));
  const [code] = await once(child, 'close');
  process.stdout.write(output);
  const failures = code === 0 ? [] : ['FAIL npm run check\n'];
  failures.forEach((text) => process.stdout.write(text));
  return { passed: 1 - failures.length, failed: failures.length, skipped: 0, failures };
}

/** @param {string[]} files */
function longFirst(files) {
  const { long = [], short = [] } = Object.groupBy(files, (file) =>
    longFiles.test(file) ? 'long' : 'short',
  );
  return [...long, ...short];
}

/**
 * Runs one file after the other until there are no more.
 * @param {() => string | undefined} next
 * @returns {Promise<Map<string, Outcome>>}
 */
async function runLane(next) {
  /** @type {Map<string, Outcome>} */
  const byFile = new Map();
  for (let file = next(); file !== undefined; file = next()) {
    const startedMs = Date.now();
    for (const [key, outcome] of await runFiles([file], 1)) byFile.set(key, outcome);
    seconds.set(file, Math.round((Date.now() - startedMs) / 1000));
  }
  return byFile;
}

/**
 * @param {string[]} files
 * @param {number} concurrency
 * @returns {Promise<Map<string, Outcome>>} by file, absolute
 */
async function runFiles(files, concurrency) {
  /** @type {Map<string, Outcome>} */
  const byFile = new Map();
  if (files.length === 0) return byFile;
  const stream = run({
    files,
    concurrency,
    timeout: 300_000,
    execArgv: ['--import', endOfTests],
    ...(chosenBy.name === undefined ? {} : { testNamePatterns: [chosenBy.name] }),
  });
  for await (const event of stream) {
    if (event.type === 'test:pass') countPass(outcomeOf(byFile, event.data), event.data);
    else if (event.type === 'test:fail') countFailure(outcomeOf(byFile, event.data), event.data);
    else if (event.type === 'test:stderr' && process.env.VIDETTE_TEST_OUTPUT)
      process.stderr.write(event.data.message);
  }
  if (chosenBy.name === undefined) {
    for (const file of files) failIfEmpty(outcomeOf(byFile, { file }), relative(root, file));
  }
  return byFile;
}

/**
 * Without a result, it was lost, or the file contains no tests. @param {Outcome} outcome @param {string} path
 */
function failIfEmpty(outcome, path) {
  if (outcome.passed + outcome.failed + outcome.skipped > 0) return;
  outcome.failed++;
  outcome.failures.push(`FAIL ${path}: it reported no tests\n`);
}

/** @param {Map<string, Outcome>} byFile @param {any} data */
function outcomeOf(byFile, data) {
  const file = data.file ?? data.name;
  const known = byFile.get(file);
  if (known) return known;
  /** @type {Outcome} */
  const outcome = { passed: 0, failed: 0, skipped: 0, failures: [] };
  byFile.set(file, outcome);
  return outcome;
}

/** The sum of several. @param {Outcome[]} outcomes @returns {Outcome} */
function joined(outcomes) {
  return {
    passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
    failed: outcomes.reduce((sum, { failed }) => sum + failed, 0),
    skipped: outcomes.reduce((sum, { skipped }) => sum + skipped, 0),
    failures: outcomes.flatMap(({ failures }) => failures),
  };
}

/** @param {Outcome} outcome @param {any} data */
function countPass(outcome, data) {
  if (isGroup(data)) return;
  if (data.skip !== undefined) outcome.skipped++;
  else outcome.passed++;
}

/** @param {Outcome} outcome @param {any} data */
function countFailure(outcome, data) {
  const cause = data.details.error?.cause ?? data.details.error;
  const ownFailure = data.details.error?.failureType !== 'subtestsFailed';
  if (!ownFailure) return;
  outcome.failed++;
  const where = data.file ? relative(root, data.file) : '';
  outcome.failures.push(`FAIL ${where}: ${data.name}\n${indent(failureText(cause))}\n`);
}

/** A file or a describe block is not a test itself. @param {any} data */
function isGroup(data) {
  return (
    data.details?.type === 'suite' ||
    (data.nesting === 0 && data.name === data.file) ||
    data.name.endsWith('.test.ts')
  );
}

/** @param {string} text */
function indent(text) {
  return text.replace(/^/gm, '    ');
}
