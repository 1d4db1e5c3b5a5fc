import { runningServer } from '../processes/control-socket.ts';

/** As for the scripts of services in the Linux Standard Base. */
const notRunning = 3;

/** `vidette status`: says whether a server runs with a data folder. Resolves to the exit code. */
export async function status(dataDir: string, isJson: boolean, out: (line: string) => void): Promise<number> {
  const running = await runningServer(dataDir);
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
