import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { getPriority } from 'node:os';
import { test, type TestContext } from 'node:test';
import { helperPriority, lowerChild, sourcePriority } from './process-priority.ts';

const module = new URL('./process-priority.ts', import.meta.url).href;

/** The `nice` of each thread of a process (proc_pid_stat(5), field 19). */
async function niceOfThreads(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`);
  const stats = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/stat`, 'utf8')),
  );
  return stats.map((stat) => Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]));
}

async function oomScoreOf(pid: number | 'self'): Promise<number> {
  return Number(await readFile(`/proc/${pid}/oom_score_adj`, 'utf8'));
}

/** A process that runs a script and then waits until it is killed; resolves when the script has run. */
async function running(t: TestContext, script: string): Promise<number> {
  const child: ChildProcess = spawn(
    process.execPath,
    ['--input-type=module', '-e', `${script}; console.log('done'); setInterval(() => {}, 1e6);`],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  t.after(() => child.kill('SIGKILL'));
  await new Promise((resolve) => child.stdout?.once('data', resolve));
  return child.pid ?? 0;
}

test('[R15.4] the front lowers all of its threads, also those that exist already', async (t) => {
  const pid = await running(
    t,
    `import { readFile } from 'node:fs/promises';
     // Starts the threads for files.
     await readFile('/proc/self/stat');
     const { takePriority, frontPriority } = await import('${module}');
     takePriority(frontPriority);`,
  );
  const threads = await niceOfThreads(pid);
  assert.ok(threads.length > 4);
  assert.deepEqual([...new Set(threads)], [Math.min(19, getPriority() + 5)]);
  assert.equal(await oomScoreOf(pid), Math.min(1000, (await oomScoreOf('self')) + 300));
});

test('[R15.4] what the system refuses leaves an engine as it was', async (t) => {
  const pid = await running(
    t,
    `const { takePriority, enginePriority } = await import('${module}');
     if (process.getuid() === 0) process.setuid(65534);
     takePriority(enginePriority);`,
  );
  assert.deepEqual([...new Set(await niceOfThreads(pid))], [getPriority()]);
});

test('[R15.4] children that render and transcode yield; those that receive for a recording keep their priority', async (t) => {
  const helper = await running(t, '');
  const source = await running(t, '');
  lowerChild(helper, helperPriority);
  lowerChild(source, sourcePriority);
  assert.ok(getPriority(helper) >= 10);
  assert.ok(getPriority(helper) > getPriority());
  assert.equal(getPriority(source), getPriority());
  assert.ok((await oomScoreOf(helper)) > (await oomScoreOf(source)) || (await oomScoreOf('self')) >= 900);
});
