import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ProgramChange } from './program-change.ts';
import type { NextProcesses } from './process-supervisor.ts';
import { programIn } from './server-program.ts';

const facts = { version: '1.0.0', catalog: 1, catalogFrom: 1 };

/** A folder with a program that only says what it is. */
async function programOf(version: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-program-'));
  await mkdir(join(folder, 'server', 'src'), { recursive: true });
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'vidette', version, type: 'module' }));
  const about = `console.log('${JSON.stringify({ ...facts, version })}');`;
  await writeFile(join(folder, 'server', 'src', 'main.js'), about);
  return folder;
}

/** A supervisor with two engines that replaces its processes in order, when it is told to go on. */
class Supervisor {
  readonly started: string[] = [];
  readonly going = Promise.withResolvers<void>();
  program;
  engines = 2;
  #turn: Promise<void> = Promise.resolve();

  constructor(folder: string) {
    this.program = programIn(folder);
  }

  replace(choose: () => Promise<NextProcesses | undefined>): Promise<void> {
    const turn = this.#turn.then(async () => {
      const next = await choose();
      if (!next) return;
      const { engines } = this;
      // Those of the present and of the next program.
      this.engines = 2 * engines;
      this.started.push(`${next.program.version} with ${next.engines}`);
      await this.going.promise;
      this.program = next.program;
      this.engines = next.engines;
    });
    this.#turn = turn.catch(() => undefined);
    return turn;
  }
}

test('[R15.1] a restart and a reload during an upgrade do not lead back to the version before', async (t) => {
  const [old, next] = [await programOf('1.0.0'), await programOf('1.1.0')];
  t.after(() => Promise.all([old, next].map((folder) => rm(folder, { recursive: true }))));
  const supervisor = new Supervisor(old);
  const change = new ProgramChange({ supervisor, plan: async () => ({ engines: 2 }), facts });
  const upgrading = change.replace(next, () => {});
  const restarting = change.replace(undefined, () => {});
  const reloading = change.replaceIfChanged(() => {});
  supervisor.going.resolve();
  await Promise.all([upgrading, restarting, reloading]);
  assert.deepEqual(supervisor.started, ['1.1.0 with 2', '1.1.0 with 2']);
});

test('a program that the running one can not go on beside is refused before anything is replaced', async (t) => {
  const old = await programOf('1.0.0');
  t.after(() => rm(old, { recursive: true }));
  const supervisor = new Supervisor(old);
  const plan = async () => ({ engines: 2 });
  const change = new ProgramChange({ supervisor, plan, facts: { ...facts, catalog: 2, catalogFrom: 2 } });
  await assert.rejects(
    change.replace(undefined, () => {}),
    /another format/,
  );
  const without = new ProgramChange({ supervisor, plan: async () => ({ engines: 0 }), facts });
  await assert.rejects(
    without.replace(undefined, () => {}),
    /Without engine processes/,
  );
  assert.deepEqual(supervisor.started, []);
});
