/**
 * Takes arguments and environment, returns an exit code. Without a command it runs the server until a signal
 * ends it; the other commands are loaded only when used.
 */
import { isatty } from 'node:tty';
import { collectStartGarbage, endWith, print } from './program.ts';
import type { ServerPlan } from './processes/plan.ts';
import type { ServerStatus } from './processes/control-socket.ts';
import type { ServerProgram } from './processes/server-program.ts';

/** What runs until the operator ends it. */
interface Running {
  /** Resolves when the page is served. Rejects when the server ends before. */
  readonly ready: Promise<void>;
  /** Ends in order: every open GOP is on the disk when it resolves. */
  stop(): Promise<void>;
  /** Ends immediately. */
  kill(): void;
  /** Reads changed files again. */
  reload(): void;
}

async function serve(): Promise<void> {
  const { systemClock } = await import('./base/clock.ts');
  const { StopRequests } = await import('./base/stop-requests.ts');
  /** Undefined until startup has begun. */
  const server: { starting?: Promise<Running> } = {};
  let exitCode = 0;
  const { serviceManagerOf } = await import('./processes/service-manager.ts');
  const serviceManager = serviceManagerOf(process.env, report);
  const requests = new StopRequests({
    clock: systemClock,
    stop: () => {
      serviceManager.notifyStopping();
      Promise.resolve(server.starting)
        .then((running) => running?.stop())
        .then(
          () => process.exit(exitCode),
          (error: unknown) => {
            process.stderr.write(`${error instanceof Error ? error.stack : String(error)}\n`);
            process.exit(1);
          },
        );
    },
    force: () => {
      process.stderr.write('Forced to stop: the last seconds of the recordings may be missing.\n');
      server.starting?.then((running) => running.kill()).catch(() => {});
      process.exit(1);
    },
  });
  // Registered from the first moment on, so that a signal during startup ends what was started in order.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => requests.ask());
  const wasTerminal = isatty(1);
  process.on('SIGHUP', () => {
    // A closed terminal requests a stop; any other SIGHUP reloads changed files.
    if (wasTerminal && !isatty(1)) requests.ask();
    else server.starting?.then((running) => running.reload()).catch(() => {});
  });

  const plan = await planServer();
  const fail = (code: number) => {
    exitCode = code;
    if (!requests.isStopping) requests.ask();
  };
  const { runningServer } = await import('./processes/control-socket.ts');
  const running = await runningServer(plan.dataDir, systemClock);
  if (running) {
    const { meetRunning } = await import('./cli/replace.ts');
    process.exit(await meetRunning(running, { dataDir: plan.dataDir, out: print }));
  }
  server.starting = plan.engines === 0 ? serveHere(fail) : supervise(plan, fail);
  try {
    serviceManager.notifyReady((await server.starting).ready);
    collectStartGarbage(systemClock, { isReceiving: plan.engines === 0 });
  } catch (error) {
    // What was opened is closed already; after a stop request `stop` reports the error.
    if (!requests.isStopping) throw error;
  }
}

/** The program that does everything in one process loads all of it anyway. */
async function planServer(): Promise<ServerPlan> {
  if (process.env['VIDETTE_ENGINE_PROCESSES'] === '0')
    return (await import('./compose/server-plan.ts')).planOf(process.env);
  return (await import('./processes/plan.ts')).readPlan();
}

const report = (line: string) => void process.stderr.write(`${line}\n`);

/** Everything in this process. */
async function serveHere(fail: (exitCode: number) => void): Promise<Running> {
  const { App } = await import('./app.ts');
  const { loadConfig } = await import('./config/load.ts');
  const config = await loadConfig(process.env);
  const failWith = (reason: string) => {
    process.stderr.write(`${reason}\n`);
    fail(1);
  };
  const app = await App.start({ config, env: process.env, print, fail: failWith });
  const { openControlIfPossible } = await import('./processes/control-socket.ts');
  const { ownFolder, programIn } = await import('./processes/server-program.ts');
  const { needsFullRestart } = await import('./processes/program-change.ts');
  const controlled = {
    status: () => statusOf(programIn(ownFolder), true),
    replace: () => Promise.reject(new Error(needsFullRestart)),
  };
  const control = await openControlIfPossible(config.dataDir, controlled, report);
  const stop = async () => {
    await control.close();
    await app.close();
  };
  return { ready: Promise.resolve(), stop, kill: () => {}, reload: () => app.reload() };
}

/** The server in processes of its own, of which this one is the supervisor. */
async function supervise(
  { dataDir, engines, areDormant, locks }: ServerPlan,
  onFailed: (exitCode: number) => void,
): Promise<Running> {
  const { systemClock: clock } = await import('./base/clock.ts');
  const { makeFolders } = await import('./base/durable.ts');
  const { ProcessSupervisor } = await import('./processes/process-supervisor.ts');
  const { ownFolder, programIn } = await import('./processes/server-program.ts');
  await makeFolders(dataDir, 0o750);
  const { openControlIfPossible } = await import('./processes/control-socket.ts');
  const { ProgramChange } = await import('./processes/program-change.ts');
  const { ownFacts } = await import('./cli/about.ts');
  const supervisor = new ProcessSupervisor({
    ...{ engines, areDormant, locks, clock, report, onFailed },
    program: programIn(ownFolder),
  });
  const change = new ProgramChange({ supervisor, plan: planServer, facts: ownFacts() });
  let isReady = false;
  supervisor.ready.then(
    () => {
      isReady = true;
    },
    () => undefined,
  );
  const controlled = {
    status: () => statusOf(supervisor.program, isReady),
    replace: (...request: Parameters<typeof change.replace>) => change.replace(...request),
  };
  const control = await openControlIfPossible(dataDir, controlled, report);
  supervisor.start();
  return {
    ready: supervisor.ready,
    stop: async () => {
      await control.close();
      await supervisor.stop();
    },
    kill: () => supervisor.kill(),
    reload: () => {
      supervisor.reload();
      change.replaceIfChanged(report).catch((error: unknown) => report((error as Error).message));
    },
  };
}

function statusOf({ version, folder }: ServerProgram, isReady: boolean): ServerStatus {
  return { pid: process.pid, version, folder, isReady };
}

const [command, ...args] = process.argv.slice(2);
try {
  if (command === undefined || (command === 'start' && args.length === 0)) await serve();
  else {
    const { runCommand } = await import('./cli/command-line.ts');
    process.exitCode = await runCommand(command, args, process.env, print);
  }
} catch (error) {
  endWith(error);
}
