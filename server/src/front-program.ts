/** The front of a server whose streams run in engine processes. Arguments: the Unix socket of each engine. */
import type { App } from './app.ts';
import type { SocketHandle } from './base/socket-handle.ts';
import { collectStartGarbage, endWith, OrderlyEnd, print } from './program.ts';

try {
  const { systemClock } = await import('./base/clock.ts');
  const { beSupervised, inheritedListener } = await import('./processes/supervised.ts');
  const { frontPriority, takePriority } = await import('./base/process-priority.ts');
  takePriority(frontPriority);
  const { EngineLives } = await import('./engine/engine-lives.ts');
  const lives = new EngineLives();
  const server: { starting?: Promise<App> } = {};
  const started = Promise.withResolvers<App>();
  const ending = new OrderlyEnd();
  const line = beSupervised(systemClock, {
    end: () => ending.begin(server.starting),
    reload: () => {
      server.starting?.then((app) => app.reload()).catch(() => {});
    },
    engines: (...known) => lives.note(...known),
    replace: async (path, successors) => (await started.promise).replaceEngine(path, successors),
  });
  const { loadConfig } = await import('./config/load.ts');
  const { App: Application } = await import('./app.ts');
  const config = await loadConfig(process.env);
  const fail = (reason: string) => {
    process.stderr.write(`${reason}\n`);
    line.failed();
  };
  const kept = {
    inherited: inheritedListener,
    keep: (address: string, handle: SocketHandle) => line.keep(address, handle),
  };
  const { wake, addEngine, endEngine, pass } = line;
  const engines = { sockets: process.argv.slice(2), lives, wake, addEngine, endEngine, pass };
  const { signal } = ending;
  server.starting = Application.start({ config, env: process.env, print, fail, engines, kept, signal });
  server.starting.then(started.resolve, () => undefined);
  await server.starting.catch((error: unknown) => {
    // Opened parts are closed already.
    if (!ending.isEnding) throw error;
  });
  line.ready();
  collectStartGarbage(systemClock, { isReceiving: false });
} catch (error) {
  endWith(error);
}
