import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** The examples of a page of the guide in one language, in their order, as one program. */
export function programIn(page: string, language: string): string {
  const text = readFileSync(join(import.meta.dirname, '../guide', page), 'utf8');
  return [...text.matchAll(/^```(\w+)\n([^]*?)^```$/gm)]
    .filter(([, of]) => of === language)
    .map(([, , code]) => code)
    .join('\n');
}

/**
 * Runs a program until its output matches; it is then ended. Rejects if it ends before, with its output.
 * @param file where its text is stored, in the folder that it runs in
 */
export async function runUntil(
  { command, program, folder, file }: { command: string; program: string; folder: string; file: string },
  env: Readonly<Record<string, string | undefined>>,
  expected: RegExp,
): Promise<string> {
  await writeFile(join(folder, file), program);
  const child = spawn(command, [file], {
    cwd: folder,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const ended = once(child, 'exit');
  let output = '';
  const matched = new Promise<true>((resolve) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (bytes) => {
        output += String(bytes);
        if (expected.test(output)) resolve(true);
      });
  });
  const isMatched = await Promise.race([matched, ended]);
  if (isMatched !== true) throw new Error(`${file} has ended:\n${output}`);
  // The shell and what it started.
  process.kill(-(child.pid ?? 0), 'SIGKILL');
  await ended;
  return output;
}
