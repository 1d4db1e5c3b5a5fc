/**
 * Takes arguments and environment, returns an exit code. Without a command it runs the server until a signal
 * ends it; the other commands are loaded only when used.
 */
import { enableCompileCache } from 'node:module';
import { isatty } from 'node:tty';
import { setFlagsFromString } from 'node:v8';

enableCompileCache();
// Received data is outside V8's heap but counts towards its limit, which by default lets the process grow by 8
// MB before the whole heap is collected again: twice a second with thirty cameras, a quarter of the total cost.
// With a limit of twice the live heap it happens half as often, at the cost of 20 MB, however many cameras
// there are (design/ingest-cost.md).
setFlagsFromString('--heap-growing-percent=100');

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function serve(): Promise<void> {
  const { systemClock } = await import('./base/clock.ts');
  const { StopRequests } = await import('./base/stop-requests.ts');
  /** Undefined until startup has begun. */
  const server: { starting?: Promise<{ close(): Promise<void>; reload(): void }> } = {};
  const stop = (exitCode: number) => {
    Promise.resolve(server.starting)
      .then((app) => app?.close())
      .then(
        () => process.exit(exitCode),
        (error: unknown) => {
          process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
          process.exit(1);
        },
      );
  };
  let exitCode = 0;
  const requests = new StopRequests({
    clock: systemClock,
    stop: () => stop(exitCode),
    force: () => {
      process.stderr.write('Forced to stop: the last seconds of the recordings may be missing.\n');
      process.exit(1);
    },
  });
  // Registered from the first moment on, so that a signal during startup ends what was started in order.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => requests.ask());
  const wasTerminal = isatty(1);
  process.on('SIGHUP', () => {
    // A closed terminal requests a stop; any other SIGHUP reloads changed files.
    if (wasTerminal && !isatty(1)) requests.ask();
    else server.starting?.then((app) => app.reload()).catch(() => {});
  });
  // The reader of the output may exit first, as `tee` does on Ctrl-C: the server still shuts down in order.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

  const { loadConfig } = await import('./config/load.ts');
  const { App } = await import('./app.ts');
  const config = await loadConfig(process.env);
  const fail = (reason: string) => {
    process.stderr.write(`${reason}\n`);
    exitCode = 1;
    if (!requests.isStopping) requests.ask();
  };
  server.starting = App.start(config, process.env, print, fail);
  try {
    await server.starting;
  } catch (error) {
    // What was opened is closed already; after a stop request `stop` reports the error.
    if (!requests.isStopping) throw error;
  }
}

/**
 * One plain line for errors that an operator can fix (a port in use, an invalid file), the stack for those that
 * only a developer can.
 */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EADDRINUSE') return 'The port is used by another program: set VIDETTE_PORT to a free one.';
  if (code === 'EACCES') return `No permission: ${error.message}`;
  return error.name === 'Fault' || error.name === 'ConfigError'
    ? error.message
    : (error.stack ?? error.message);
}

const [command, ...args] = process.argv.slice(2);
try {
  if (command === undefined) await serve();
  else {
    const { runCommand } = await import('./cli/command-line.ts');
    process.exitCode = await runCommand(command, args, process.env, print);
  }
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}
