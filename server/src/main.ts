/**
 * argv and environment in, exit code out. Without a command it runs the server until a signal ends it;
 * the commands beside it are loaded only when asked for.
 */
import { enableCompileCache } from 'node:module';
import { setFlagsFromString } from 'node:v8';

enableCompileCache();
// What is received lies outside of V8's heap but counts towards its limit, which by default lets the process grow by
// 8 MB before all of the heap is looked through again: twice a second with thirty cameras, a quarter of the whole cost.
// With twice the live heap it is half as often, for 20 MB more, however many cameras (design/ingest-cost.md).
setFlagsFromString('--heap-growing-percent=100');

const print = (line: string): void => void process.stdout.write(`${line}\n`);

async function serve(): Promise<void> {
  const { loadConfig } = await import('./config/load.ts');
  const { App } = await import('./app.ts');
  const config = await loadConfig(process.env);
  let stopping = false;
  const stop = (exitCode: number) => {
    stopping = true;
    starting
      .then((app) => app.close())
      .then(
        () => process.exit(exitCode),
        (error: unknown) => {
          process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
          process.exit(1);
        },
      );
  };
  const fail = (reason: string) => {
    process.stderr.write(`${reason}\n`);
    if (!stopping) stop(1);
  };
  const starting = App.start(config, process.env, print, fail);
  await starting;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1);
      stop(0);
    });
  }
}

/** One plain line for what an operator can mend (a port in use, a bad file), the stack for what only a developer can. */
function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as NodeJS.ErrnoException).code;
  if (code === 'EADDRINUSE') return 'The port is in use by another program: set VIDETTE_PORT to a free one.';
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
