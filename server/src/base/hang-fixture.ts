/**
 * A process of a test that hangs for one stream, as an engine would. Arguments: where it leaves its note, how it hangs, and
 * for how long, ms.
 */
import { Worker } from 'node:worker_threads';
import { systemClock } from './clock.ts';
import { beWatchedForHangs } from './hang-watch.ts';
import { asStream } from './stream-context.ts';

const [socket = '', kind = '', ms = ''] = process.argv.slice(2);
const untilMs = systemClock.monotonicMs() + Number(ms);
const hangs: Readonly<Record<string, () => unknown>> = {
  loop() {
    while (systemClock.monotonicMs() < untilMs);
  },
  async microtasks() {
    while (systemClock.monotonicMs() < untilMs) await Promise.resolve();
  },
  regexp: () => /^(a+)+$/.test(`${'a'.repeat(60)}b`),
};
const hangWatch = beWatchedForHangs(systemClock, socket);
const watcher = new Worker(new URL('./hang-watch-thread-fixture.ts', import.meta.url), {
  workerData: hangWatch,
});
asStream('innocent', () => systemClock.every(10, () => {}));
// Not before the thread is there: an engine has it from its start.
watcher.once('message', () => asStream('guilty', () => setImmediate(() => hangs[kind]?.())));
