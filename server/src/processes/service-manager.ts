import { spawn } from 'node:child_process';

/** Learns what the server does, if it wants to know. */
export interface ServiceManager {
  notifyStopping(): void;
  /** A server whose `ready` rejects ends, and says why. */
  notifyReady(ready: Promise<void>): void;
}

/**
 * The service manager that started the server, by sd_notify(3). Node can't send the datagrams that it expects, so
 * `systemd-notify` does, which is part of systemd: a unit needs `NotifyAccess=all`.
 */
export function serviceManagerOf(
  env: Readonly<Record<string, string | undefined>>,
  report: (line: string) => void,
): ServiceManager {
  const notify = (state: string) => {
    if (!env['NOTIFY_SOCKET']) return;
    const child = spawn('systemd-notify', [`--pid=${process.pid}`, state], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    child.once('error', (error) => report(`The service manager could not be notified: ${error.message}`));
  };
  return {
    notifyStopping: () => notify('STOPPING=1'),
    notifyReady: (ready) => {
      ready.then(
        () => notify('READY=1'),
        () => undefined,
      );
    },
  };
}
