import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { engineMemory, engineNodeOptions } from './process-supervisor.ts';

const arena = new URL('../../../media/src/rtp/byte-arena.ts', import.meta.url);
/** Fills 130 MB of blocks with other small memory in between, drops them, and prints how many MB remain. */
const program = `
  const { ByteArena, receivedBlocks } = await import(${JSON.stringify(arena)});
  const frame = new Uint8Array(30_000).fill(1);
  const before = process.memoryUsage.rss();
  const small = [];
  let blocks = new Set();
  for (const arenas = Array.from({ length: 2_000 }, () => new ByteArena(receivedBlocks)); arenas.length > 0; ) {
    const arena = arenas.pop();
    arena.keep(frame, 0, frame.length);
    arena.keep(frame, 0, frame.length);
    blocks.add(arena.block);
    small.push(new Uint8Array(1_000).fill(1));
  }
  const grown = process.memoryUsage.rss() - before;
  blocks = undefined;
  let left = Infinity;
  for (let round = 0; round < 300 && left > grown / 4; round++) {
    gc();
    await new Promise(setImmediate);
    left = process.memoryUsage.rss() - before;
  }
  console.log(left / grown + small.length * 0);
`;

/** The part of the memory that a process keeps. */
async function kept(env: Readonly<Record<string, string>>): Promise<number> {
  const options = { env: { ...process.env, ...env } };
  const args = ['--expose-gc', '--input-type=module', '-e', program];
  return Number((await promisify(execFile)(process.execPath, args, options)).stdout);
}

const { glibcVersionRuntime } = (process.report.getReport() as { header: { glibcVersionRuntime?: string } })
  .header;

test(
  'an engine gives the memory of received video back to the system',
  { skip: glibcVersionRuntime === undefined },
  async () => {
    const share = await kept(engineMemory);
    assert.ok(share < 0.3, `${share} of it is kept`);
  },
);

test("an engine's young generation stays small", async () => {
  const allocate = `
    let kept = [];
    for (let round = 0; round < 3e6; round++) {
      kept.push({ round });
      if (kept.length > 4e5) kept = [];
    }
    const { getHeapSpaceStatistics } = await import('node:v8');
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    console.log(young.space_size / 1e6);`;
  const args = [...engineNodeOptions, '--input-type=module', '-e', allocate];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  assert.ok(Number(stdout) > 0 && Number(stdout) < 18, `${stdout} MB`);
});
