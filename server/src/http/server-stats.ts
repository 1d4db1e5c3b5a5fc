import type { Services } from './services.ts';

/** Figures of this server at this moment. */
export async function serverStats(services: Services) {
  const { station, live, archive, health, clock } = services;
  let streams = 0;
  let streamsRunning = 0;
  let viewers = 0;
  for (const running of station.streams()) {
    streams++;
    if (running.state.status === 'running') streamsRunning++;
    viewers += live.audience(running.stream).viewers;
  }
  const disk = await health.disk();
  const { user, system } = process.cpuUsage();
  const uptimeSeconds = process.uptime();
  return {
    uptimeSeconds,
    cpuPercent: uptimeSeconds > 0 ? (user + system) / 1e4 / uptimeSeconds : 0,
    memoryBytes: process.memoryUsage.rss(),
    eventLoopDelayMs: await eventLoopDelay(clock),
    streams,
    streamsRunning,
    viewers,
    archiveBytes: archive.totalBytes,
    diskFreeBytes: disk?.freeBytes ?? null,
    diskTotalBytes: disk?.totalBytes ?? null,
  };
}

/** How late a timer that is due at once fires, milliseconds. */
function eventLoopDelay(clock: Services['clock']): Promise<number> {
  const startMs = clock.monotonicMs();
  return new Promise((resolve) => {
    clock.after(0, () => resolve(Math.max(0, clock.monotonicMs() - startMs - 1)));
  });
}
