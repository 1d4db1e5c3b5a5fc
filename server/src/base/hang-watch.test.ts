import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { takeCrashNote, type CrashNote } from './crash-note.ts';
import { until } from './until-fixture.ts';

const program = fileURLToPath(new URL('./hang-fixture.ts', import.meta.url));

/** A process that hangs, and where it leaves its note. */
async function withHang(
  kind: string,
  run: (socket: string, ended: Promise<unknown[]>) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-hang-'));
  const socket = join(folder, 'engine-0.sock');
  const child = spawn(process.execPath, [program, socket, kind], { stdio: 'inherit' });
  try {
    await run(socket, once(child, 'exit'));
  } finally {
    child.kill('SIGKILL');
    await rm(folder, { recursive: true, force: true });
  }
}

async function noteOf(socket: string): Promise<CrashNote | undefined> {
  let note: CrashNote | undefined;
  await until(() => (note = takeCrashNote(socket)) !== undefined);
  return note;
}

for (const kind of ['loop', 'microtasks', 'regexp']) {
  test(`[R15.5] a main thread that hangs in ${kind} leaves a note with the stream, and is ended if no supervisor does`, async () => {
    await withHang(kind, async (socket, ended) => {
      const note = await noteOf(socket);
      assert.equal(note?.uid, 'guilty');
      assert.match(
        note?.message ?? '',
        /^the process did not respond: it was busy in .*(hang-fixture|clock)\.ts:\d+$/,
      );
      const [, signal] = await ended;
      assert.equal(signal, 'SIGKILL');
    });
  });
}

test('[R15.5] a main thread that goes on after all leaves no note, and is not ended', async () => {
  await withHang('untilNoted', async (socket, ended) => {
    await until(() => existsSync(`${socket}.noted`));
    await until(() => !existsSync(`${socket}.crash`));
    const first = await Promise.race([ended, new Promise((resolve) => setImmediate(resolve, 'runs'))]);
    assert.equal(first, 'runs');
  });
});
