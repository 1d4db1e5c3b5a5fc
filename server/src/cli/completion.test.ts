import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { completionScript, runCommand, usage } from './command-line.ts';

/** What Bash offers for a command line, whose last word is incomplete. */
function completed(...words: readonly string[]): string[] {
  const line = `COMP_WORDS=(vidette ${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length}; _vidette; printf '%s\\n' "\${COMPREPLY[@]}"`;
  return execFileSync('bash', ['-c', `${completionScript('bash')}\n${line}`], { encoding: 'utf8' })
    .split('\n')
    .filter(Boolean);
}

test('Bash completes the commands and what they take', () => {
  assert.deepEqual(completed('sta'), ['start', 'status']);
  assert.deepEqual(completed('status', '-'), ['--json']);
  assert.deepEqual(completed('verify', '--j'), ['--json']);
  assert.deepEqual(completed('completion', ''), ['bash', 'zsh', 'fish']);
  assert.ok(completed('restore', '/etc/pass').includes('/etc/passwd'));
});

test('each script names every command of the usage', async () => {
  const names = [...usage().matchAll(/^ {2}([a-z-]+) /gm)].map(([, name = '']) => name);
  assert.ok(names.length > 15);
  for (const shell of ['bash', 'zsh', 'fish'] as const) {
    const lines: string[] = [];
    assert.equal(await runCommand('completion', [shell], {}, (line) => void lines.push(line)), 0);
    for (const name of names) assert.match(lines.join('\n'), new RegExp(`\\b${name}\\b`), shell);
  }
  assert.equal(await runCommand('completion', ['csh'], {}, () => {}), 2);
});
