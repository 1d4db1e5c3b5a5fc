// Loaded before each test file. A file that leaves a server, a browser or a timer behind ends soon after its
// last result instead of blocking the files after it. The runner's own option, `forceExit`, ends the process
// before the last results of the file have been written to the pipe: they are lost silently, failures included
// (nodejs/node#64833).
import { AsyncResource } from 'node:async_hooks';
import { after } from 'node:test';

const periodMs = 100;
/** Nothing was written for this many periods: every result has left the process. */
const quietPeriods = 6;
/** The same while the file's own hooks still close what it opened, which may take a minute. */
const quietWhileClosing = 1_200;

let hasEnded = false;

// A process that ends in the middle, with code 0, has tests that never ran.
process.once('exit', () => {
  if (!hasEnded) process.exitCode = 1;
});

// Hooks run in the order in which they were registered, and this file is loaded first: the one that ends the process is
// registered when the others are, from outside the running hook, because within it `after` is that of the hook.
const outside = new AsyncResource('end-of-tests');

after(() => {
  const stdout = /** @type {import('node:net').Socket} */ (process.stdout);
  let before = stdout.bytesWritten;
  let quiet = 0;
  const look = setInterval(() => {
    const isQuiet = stdout.bytesWritten === before && stdout.writableLength === 0;
    quiet = isQuiet ? quiet + 1 : 0;
    before = stdout.bytesWritten;
    if (quiet >= (hasEnded ? quietPeriods : quietWhileClosing)) process.exit();
  }, periodMs);
  look.unref();
  outside.runInAsyncScope(() =>
    after(() => {
      hasEnded = true;
      quiet = 0;
    }),
  );
});
