/**
 * argv and environment in, exit code out. Without a command it runs the server until a signal ends it;
 * the commands beside it are loaded only when asked for.
 */
import { enableCompileCache } from 'node:module';

enableCompileCache();

interface Output {
  line(text: string): void;
}

const out: Output = { line: (text) => process.stdout.write(`${text}\n`) };

const usage = `vidette [COMMAND]
  (none)          run the server
  check           prove the archive's invariants, change nothing
  rebuild-index   make the archive's catalog anew from its files`;

async function runCommand(command: string): Promise<number> {
  const { loadConfig } = await import('./config/load.ts');
  const config = await loadConfig(process.env);
  switch (command) {
    case 'check': {
      const { check } = await import('./cli/check.ts');
      return check({ dataDir: config.dataDir, out: out.line });
    }
    case 'rebuild-index': {
      const { rebuildIndex } = await import('./cli/rebuild-index.ts');
      return rebuildIndex({ dataDir: config.dataDir, out: out.line });
    }
    case 'help':
    case '--help':
      out.line(usage);
      return 0;
    default:
      process.stderr.write(`Unknown command ${command}.\n${usage}\n`);
      return 2;
  }
}

async function serve(): Promise<void> {
  const { loadConfig } = await import('./config/load.ts');
  const { App } = await import('./app.ts');
  const app = await App.start(await loadConfig(process.env), out.line);
  let stopping = false;
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      if (stopping) process.exit(1);
      stopping = true;
      app.close().then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
          process.exit(1);
        },
      );
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

const command = process.argv[2];
try {
  if (command === undefined) await serve();
  else process.exitCode = await runCommand(command);
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
}
