// `npm run check`: formatting, lint, types, import rules, sizes of functions and classes, circular imports,
// words and unused code, in one command. Exit code 1 if any of them finds something.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, nodePath, root } from './install.mjs';

const bin = (/** @type {string} */ path) => join(root, 'node_modules', path);

/** Each step: a name, and the script to run with the project's own Node. */
const steps = [
  ['formatting', bin('prettier/bin/prettier.cjs'), '--check', '--log-level', 'warn', '.'],
  ['lint', bin('oxlint/bin/oxlint'), '--type-aware', '--deny-warnings'],
  ['types of contract', bin('typescript/bin/tsc'), '-p', 'contract'],
  ['types of media', bin('typescript/bin/tsc'), '-p', 'media'],
  ['types of server', bin('typescript/bin/tsc'), '-p', 'server'],
  ['types of ui', bin('typescript/bin/tsc'), '-p', 'ui'],
  ['types of tests and tools', bin('typescript/bin/tsc'), '-p', '.'],
  ['import rules', join(root, 'tools/import-rules.mjs')],
  ['sizes of functions and classes', join(root, 'tools/structure.mjs')],
  ['circular imports', join(root, 'tools/circles.mjs')],
  ['words', join(root, 'tools/word-list.mjs')],
  [
    'unused dependencies, files and exports',
    bin('knip/bin/knip.js'),
    '--no-progress',
    '--treat-config-hints-as-errors',
  ],
];

/** Runs every step and returns the names of those that failed. */
function runChecks() {
  return steps
    .filter(([name, ...command]) => {
      const result = spawnSync(nodePath, command, {
        cwd: root,
        encoding: 'utf8',
        env: { ...process.env, PATH: `${join(root, 'node_modules/.bin')}:${process.env.PATH}` },
      });
      if (result.status === 0) {
        process.stdout.write(hintsOf(result.stdout));
        return false;
      }
      process.stdout.write(`${name}:\n${result.stdout}${result.stderr}\n`);
      return true;
    })
    .map(([name]) => name);
}

/** Lines with advice from a step that passed. @param {string} output */
function hintsOf(output) {
  return output
    .split('\n')
    .filter((line) => line.startsWith('hint: '))
    .map((line) => `${line}\n`)
    .join('');
}

if (process.argv[1] === join(root, 'tools/check.mjs')) {
  ensureInstalled();
  const failed = runChecks();
  process.stdout.write(failed.length ? `check failed: ${failed.join(', ')}\n` : 'check: all clear\n');
  process.exit(failed.length ? 1 : 0);
}
