// Runs the checks and every test file on the project's own Node: units two files at a time, then browser and
// whole-product tests one at a time, because they share two cores with real encoders and a real Chromium.
import { globSync } from 'node:fs';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { root } from './install.mjs';
import { runChecks } from './check.mjs';

const filters = process.argv.slice(2);
const chosen = (/** @type {string} */ pattern) =>
  globSync(pattern, { cwd: root })
    .filter(
      (file) =>
        !file.includes('node_modules') &&
        (filters.length === 0 || filters.some((part) => file.includes(part))),
    )
    .sort()
    .map((file) => join(root, file));

const totals = { passed: 0, failed: 0, skipped: 0 };

if (filters.length === 0) {
  const failed = runChecks();
  if (failed.length) {
    totals.failed++;
    process.stdout.write(`FAIL check: ${failed.join(', ')}\n`);
  } else {
    totals.passed++;
  }
}
await runFiles(chosen('{contract,media,server,ui,tools}/**/*.test.ts'), 2);
await runFiles(chosen('e2e/**/*.test.ts'), 1);
process.stdout.write(
  `\n${totals.passed} passed, ${totals.failed} failed${totals.skipped ? `, ${totals.skipped} skipped` : ''}\n`,
);
process.exit(totals.failed ? 1 : 0);

/** @param {string[]} files @param {number} concurrency */
async function runFiles(files, concurrency) {
  if (files.length === 0) return;
  // A file whose set-up failed may leave a browser open: it must not hold up those after it.
  const stream = run({ files, concurrency, timeout: 300_000, forceExit: true });
  for await (const event of stream) {
    if (event.type === 'test:pass') countPass(event.data);
    else if (event.type === 'test:fail') countFailure(event.data);
    else if (event.type === 'test:stderr' && process.env.VIDETTE_TEST_OUTPUT)
      process.stderr.write(event.data.message);
  }
}

/** @param {any} data */
function countPass(data) {
  if (isGroup(data)) return;
  if (data.skip !== undefined) totals.skipped++;
  else totals.passed++;
}

/** @param {any} data */
function countFailure(data) {
  const cause = data.details.error?.cause ?? data.details.error;
  const ownFailure = data.details.error?.failureType !== 'subtestsFailed';
  if (!ownFailure) return;
  totals.failed++;
  const where = data.file ? relative(root, data.file) : '';
  process.stdout.write(`FAIL ${where}: ${data.name}\n${indent(cause?.stack ?? String(cause))}\n`);
}

/** A file or a describe block is no test of its own. @param {any} data */
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
