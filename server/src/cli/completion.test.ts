import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { completionScript, runCommand, usage } from './command-line.ts';

/** What Bash offers for a command line, whose last word is incomplete. */
function completed(...words: readonly string[]): string[] {
  const line = `COMP_WORDS=(vidette ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _vidette; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', `${completionScript('bash')}\n${line}`], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
}

test('Bash completes the commands and what they take', (t) => {
  assert.deepEqual(completed('sta'), ['start', 'status']);
  assert.deepEqual(completed('status', '-'), ['--json']);
  assert.deepEqual(completed('about', '-'), ['--json']);
  assert.deepEqual(completed('check', '--'), ['--objects', '--read-objects', '--json']);
  assert.deepEqual(completed('verify', '--j'), ['--json']);
  assert.deepEqual(completed('completion', ''), ['bash', 'zsh', 'fish']);
  assert.ok(completed('restore', '/etc/pass').includes('/etc/passwd'));
  const folder = mkdtempSync(join(tmpdir(), 'vidette-completion-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'my backup'), '');
  assert.deepEqual(completed('restore', join(folder, 'my')), [join(folder, 'my backup')]);
});

test('fish completes the same', (t) => {
  if (spawnSync('fish', ['--version']).error) return t.skip('needs fish');
  const offered = (line: string) =>
    execFileSync(
      'fish',
      ['--no-config', '-c', `${completionScript('fish')}\ncomplete -C ${JSON.stringify(line)}`],
      {
        encoding: 'utf8',
        cwd: import.meta.dirname,
      },
    )
      .split('\n')
      .filter(Boolean)
      .map((found) => found.split('\t')[0]);
  assert.deepEqual(offered('vidette sta'), ['start', 'status']);
  assert.deepEqual(offered('vidette check --'), ['--json', '--objects', '--read-objects']);
  assert.deepEqual(offered('vidette completion '), ['bash', 'fish', 'zsh']);
  assert.ok(offered('vidette restore /etc/pass').includes('/etc/passwd'));
});

test('zsh completes the same', (t) => {
  if (spawnSync('zsh', ['--version']).error) return t.skip('needs zsh');
  // What the script passes to the completion system, whose own functions need a terminal.
  const offered = (...words: readonly string[]) =>
    execFileSync(
      'zsh',
      [
        '-f',
        '-c',
        `compdef() { :; }; compadd() { shift; print -l -- $@; }; _files() { print FILES; }; _describe() { print -l -- \${(P)2}; }
${completionScript('zsh')}
words=(vidette ${words.join(' ')}); CURRENT=${words.length + 1}; _vidette`,
      ],
      { encoding: 'utf8' },
    )
      .split('\n')
      .filter(Boolean);
  assert.ok(offered("''").some((line) => line.startsWith('start:')));
  assert.deepEqual(offered('check', "''"), ['--objects', '--read-objects', '--json']);
  assert.deepEqual(offered('completion', "''"), ['bash', 'zsh', 'fish']);
  assert.ok(offered('restore', "''").includes('FILES'));
});

test('each script names every command of the usage', async () => {
  const names = [...usage().matchAll(/^ {2}([a-z-]+) /gm)].map(([, name = '']) => name);
  assert.ok(names.length > 15);
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    const lines: string[] = [];
    assert.equal(await runCommand('completion', [shell], {}, (line) => void lines.push(line)), 0);
    for (const name of names) assert.match(lines.join('\n'), new RegExp(`\\b${name}\\b`), shell);
  }
  const versions: string[] = [];
  assert.equal(await runCommand('--version', [], {}, (line) => void versions.push(line)), 0);
  assert.match(versions.join(), /^Vidette \d+\.\d+\.\d+, catalog \d+$/);
  assert.equal(await runCommand('completion', ['csh'], {}, () => {}), 2);
});
