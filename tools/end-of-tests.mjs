// Loaded before each test file. A file that leaves a server, a browser or a timer behind ends soon after its
// last result instead of blocking the files after it. The runner's own option, `forceExit`, ends the process
// before the last results of the file have been written to the pipe: they are lost silently, failures included
// (nodejs/node#64833).
import { after } from 'node:test';

const periodMs = 100;
/** After this many periods without output every result has left the process. */
const quietPeriods = 6;

let hasEnded = false;

// If a process ends early with code 0, some tests never ran.
process.once('exit', () => {
  if (!hasEnded) process.exitCode = 1;
});

after(() => {
  hasEnded = true;
  const stdout = /** @type {import('node:net').Socket} */ (process.stdout);
  let before = stdout.bytesWritten;
  let quiet = 0;
  const look = setInterval(() => {
    const isQuiet = stdout.bytesWritten === before && stdout.writableLength === 0;
    quiet = isQuiet ? quiet + 1 : 0;
    before = stdout.bytesWritten;
    if (quiet >= quietPeriods) process.exit();
  }, periodMs);
  look.unref();
});
