// `npm test -- PART_OF_A_PATH --alone`: runs each test of these files in its own process, by its title. A test
// that passes with its file but fails alone depends on another test.
import { relative } from 'node:path';
import { run } from 'node:test';
import { failureText } from './failure-text.mjs';
import { root } from './install.mjs';

/** @typedef {{ name: string, nesting: number, isSuite: boolean }} Reported A test or suite, reported after those in it. */
/** @typedef {{ reported: Reported[], failed: string[] }} FileRun What ran, and the causes of failures. */

/**
 * The titles of all tests that can run alone, as the runner matches them: the titles of its suites, a space,
 * its own title. Subtests are part of their test.
 * @param {readonly Reported[]} reported
 * @returns {string[]}
 */
export function titlesOf(reported) {
  /** By depth: titles whose suite has not been reported yet. @type {string[][]} */
  const open = [];
  for (const { name, nesting, isSuite } of reported) {
    const within = open.splice(nesting + 1).flat();
    const titles = isSuite ? within.map((title) => `${name} ${title}`) : [name];
    open[nesting] = [...(open[nesting] ?? []), ...titles];
  }
  return [...new Set(open.flat())];
}

/** Matches exactly one title. @param {string} title */
export function patternOf(title) {
  return new RegExp(`^${title.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')}$`);
}

/**
 * Prints each test that fails alone; resolves to whether there is none.
 * @param {string[]} files absolute
 * @param {(file: string, pattern?: RegExp) => Promise<FileRun>} runFile
 * @param {(line: string) => void} print
 * @returns {Promise<boolean>}
 */
export async function runAlone(files, runFile, print) {
  const count = { passed: 0, failed: 0 };
  for (const file of files) {
    const path = relative(root, file);
    const whole = await runFile(file);
    const titles = titlesOf(whole.reported);
    if (whole.failed.length > 0) print(`FAIL ${path}, with all of its tests:\n${whole.failed.join('\n')}`);
    if (whole.failed.length > 0 || titles.length === 0) count.failed++;
    for (const title of titles) {
      const { reported, failed } = await runFile(file, patternOf(title));
      const isGood = failed.length === 0 && titlesOf(reported).includes(title);
      count[isGood ? 'passed' : 'failed']++;
      if (!isGood) print(`FAIL ${path}, alone: ${title}\n${failed.join('\n') || 'It did not run.'}`);
    }
  }
  print(`\n${count.passed} passed alone, ${count.failed} failed`);
  return count.failed === 0;
}

/**
 * One file, or its tests whose titles match.
 * @param {string} file
 * @param {RegExp} [pattern]
 * @returns {Promise<FileRun>}
 */
export async function runTestFile(file, pattern) {
  /** @type {FileRun} */
  const outcome = { reported: [], failed: [] };
  const events = run({
    files: [file],
    timeout: 300_000,
    execArgv: ['--import', new URL('end-of-tests.mjs', import.meta.url).href],
    ...(pattern && { testNamePatterns: [pattern] }),
  });
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const { name, nesting, details } = data;
    const isFile = nesting === 0 && /\.test\.\w+$/.test(name);
    if (!isFile) outcome.reported.push({ name, nesting, isSuite: details.type === 'suite' });
    if (type === 'test:fail' && 'error' in details) {
      outcome.failed.push(`    ${name}: ${failureText(details.error.cause ?? details.error)}`);
    }
  }
  return outcome;
}
