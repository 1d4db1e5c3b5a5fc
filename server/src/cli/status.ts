import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { runningServer, type ServerStatus } from '../processes/control-socket.ts';

/** As for the scripts of services in the Linux Standard Base. */
const notRunning = 3;

/** `vidette status`: says whether a server runs with a data folder. Resolves to the exit code. */
export async function status(
  dataDir: string,
  clock: Clock,
  isJson: boolean,
  out: (line: string) => void,
): Promise<number> {
  let running: ServerStatus | undefined;
  try {
    running = await runningServer(dataDir, clock);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    const state = error.code === 'Forbidden' ? 'unknown' : 'silent';
    out(isJson ? JSON.stringify({ state, dataDir }) : error.message);
    return 1;
  }
  if (!running) {
    out(isJson ? JSON.stringify({ state: 'stopped', dataDir }) : `No server runs with ${dataDir}.`);
    return notRunning;
  }
  const { pid, version, folder, isReady = true } = running;
  const state = isReady ? 'running' : 'starting';
  if (isJson) out(JSON.stringify({ state, pid, version, folder, dataDir }));
  else
    out(
      `Vidette ${version} ${isReady ? 'runs' : 'is starting'} (process ${pid}, program ${folder}, data ${dataDir}).`,
    );
  return isReady ? 0 : 1;
}
