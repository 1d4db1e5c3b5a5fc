import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from '../base/manual-clock.ts';
import { systemClock, type Clock } from '../base/clock.ts';
import type { Fault } from '../base/fault.ts';
import { silentLog } from '../base/log.ts';
import type { FfmpegJob } from './job.ts';
import { FfmpegPool } from './pool.ts';
import { encodeMessage, protocolVersion } from './protocol.ts';

/** Runs `script` (JavaScript that can use `pipe` and `hello`) instead of the child. */
async function withPool(
  script: string,
  clock: Clock,
  run: (pool: FfmpegPool, open: () => { job: FfmpegJob; ended: Promise<Fault | undefined> }) => Promise<void>,
): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-pool-'));
  const entry = join(folder, 'stand-in.mjs');
  const hello = encodeMessage({ type: 'hello', job: 0, version: protocolVersion }).toString('base64');
  await writeFile(
    entry,
    `import { Socket } from 'node:net';
     const pipe = new Socket({ fd: 3 });
     pipe.on('close', () => process.exit());
     pipe.on('error', () => process.exit());
     pipe.resume();
     const hello = Buffer.from('${hello}', 'base64');
     ${script}`,
  );
  const pool = new FfmpegPool({ clock, log: silentLog, entry });
  const open = () => {
    const { promise: ended, resolve } = Promise.withResolvers<Fault | undefined>();
    const request = { kind: 'audio', codec: 'pcmu', sampleRate: 8000, clockRate: 8000, channels: 1 } as const;
    const listener = { message: () => {}, ended: (fault: Fault | undefined) => resolve(fault) };
    return { job: pool.open(() => request, 'audio', listener), ended };
  };
  try {
    await run(pool, open);
  } finally {
    await pool.dispose('the test is over');
    assert.deepEqual(pool.pids, []);
    await rm(folder, { recursive: true });
  }
}

test('without node-av a job fails with a message, and later ones are rejected immediately', async () => {
  const failure = encodeMessage({
    type: 'hello',
    job: 0,
    version: protocolVersion,
    failure: 'no such package',
  });
  const script = `pipe.write(Buffer.from('${failure.toString('base64')}', 'base64'));`;
  await withPool(script, systemClock, async (_pool, open) => {
    const fault = await open().ended;
    assert.equal(fault?.code, 'Unavailable');
    assert.match(fault.message, /node-av, which is not installed/);
    assert.throws(open, { code: 'Unavailable' });
  });
});

test('a child that does not answer its heartbeat is killed, and its jobs receive the cause', async () => {
  const clock = new ManualClock();
  await withPool('pipe.write(hello);', clock, async (pool, open) => {
    const { ended } = open();
    const [pid] = pool.pids;
    // Enough for a child that answers nothing, whether its greeting has been read yet or not.
    for (let turn = 0; turn < 25; turn++) clock.advance(2000);
    const fault = await ended;
    assert.match(fault?.message ?? '', /no longer answered/);
    assert.ok(pid !== undefined && !pool.pids.includes(pid));
  });
});

test('a child that sends invalid data is killed', async () => {
  await withPool(
    'pipe.write(hello); pipe.write(Buffer.alloc(64, 255));',
    systemClock,
    async (_pool, open) => {
      assert.match((await open().ended)?.message ?? '', /invalid data/);
    },
  );
});

test('a child of another version is not used', async () => {
  const other = encodeMessage({ type: 'hello', job: 0, version: protocolVersion + 1 }).toString('base64');
  await withPool(`pipe.write(Buffer.from('${other}', 'base64'));`, systemClock, async (_pool, open) => {
    assert.match((await open().ended)?.message ?? '', /version/);
  });
});

test('jobs share a child up to its capacity; an idle child is terminated', async () => {
  const clock = new ManualClock();
  await withPool('pipe.write(hello);', clock, async (pool, open) => {
    const jobs = Array.from({ length: 33 }, () => open().job);
    assert.equal(pool.pids.length, 2);
    for (const job of jobs) job.close();
    for (const job of jobs) job.close();
    clock.advance(31_000);
    assert.equal(pool.pids.length, 0);
  });
});

test('media that must not be dropped waits for room, and is refused once the job or its child has ended', async () => {
  const chunk = new Uint8Array(3 * 1024 * 1024);
  await withPool('pipe.write(hello); pipe.pause();', systemClock, async (_pool, open) => {
    const [first, second] = [open(), open()];
    assert.ok(await first.job.send(chunk, 0));
    assert.ok(!first.job.data(chunk, 0));
    const waiting = [first.job.send(chunk, 1), second.job.send(chunk, 1)];
    second.job.close();
    first.job.kill('the test wants it');
    assert.deepEqual(await Promise.all(waiting), [false, false]);
    assert.equal(await first.job.send(chunk, 2), false);
    assert.match((await first.ended)?.message ?? '', /the test wants it/);
  });
  await withPool('pipe.write(hello);', systemClock, async (_pool, open) => {
    const { job } = open();
    const sent = Array.from({ length: 5 }, (_, at) => job.send(chunk, at));
    assert.deepEqual(await Promise.all(sent), [true, true, true, true, true]);
  });
});

test('disposing ends every job with the cause, once, and nothing starts after it', async () => {
  await withPool('pipe.write(hello);', systemClock, async (pool, open) => {
    const { ended } = open();
    await pool.dispose('the server stops');
    assert.match((await ended)?.message ?? '', /the server stops/);
    assert.throws(open, /the server stops/);
  });
});
