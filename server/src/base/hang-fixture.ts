/**
 * A process of a test that hangs for one stream, as an engine would. Arguments: where it leaves its note, and how it hangs:
 * for ever, or until it is noted.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { systemClock } from './clock.ts';
import { beWatchedForHangs } from './hang-watch.ts';
import { asStream } from './stream-context.ts';

const [socket = '', kind = ''] = process.argv.slice(2);
const hangs: Readonly<Record<string, () => unknown>> = {
  loop() {
    while (systemClock.monotonicMs() > 0);
  },
  async microtasks() {
    while (systemClock.monotonicMs() > 0) await Promise.resolve();
  },
  untilNoted() {
    while (!existsSync(`${socket}.crash`));
    writeFileSync(`${socket}.noted`, '');
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
