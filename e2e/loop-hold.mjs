// Loaded into the server before its own code (`--import`): reports on a socket the longest time that the event
// loop was blocked since the last query, as CPU time of the main thread between two turns: other programs on
// the machine don't count.
import { rmSync } from 'node:fs';
import { createServer } from 'node:net';

const path = process.env['VIDETTE_TEST_LOOP_SOCKET'];
if (path && process.argv[1]?.endsWith('server/src/main.ts')) {
  const usedMs = () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  };
  let [lastMs, longestMs] = [usedMs(), 0];
  setInterval(() => {
    const nowMs = usedMs();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
  }, 2).unref();
  rmSync(path, { force: true });
  createServer((socket) => {
    // In a separate turn, so that the turn just before is counted.
    setTimeout(() => {
      socket.end(String(longestMs));
      longestMs = 0;
    }, 5);
  })
    .listen(path)
    .unref();
}
