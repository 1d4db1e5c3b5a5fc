// Has Node compile the server, once per change of its sources, by running it once on an empty folder. Node keeps what it
// compiles; a process that finds nothing strips the types itself, which costs it 20 to 30 MB for as long as it runs. FFmpeg's
// processes can't write what they compile, and end without a chance to: their modules are loaded once without a task.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { programInputs } from './bundle.mjs';
import { nodePath, root } from './install.mjs';
import { digestOf } from './page.mjs';

const workerModules = join(root, 'server/src/ffmpeg/worker/job-dispatcher.ts');
const stampPath = join(root, '.cache/compiled-from');
/** A server that does not start says why when it is started next. */
const startMaxMs = 30_000;

/** Compiles the server unless that was done for exactly these sources. Without it the server only needs more memory. */
export async function ensureCompiled() {
  const digest = digestOf(programInputs);
  if (digest === stamp() || !canKeep()) return;
  process.stdout.write('Compiling the server (once per change)...\n');
  await Promise.all([runOnce(), loadWorker()]);
  writeFileSync(stampPath, digest);
}

/** FFmpeg may not be installed: the server says so. */
async function loadWorker() {
  const program = `await import(${JSON.stringify(pathToFileURL(workerModules).href)}).catch(() => {}); process.exit();`;
  const worker = spawn(nodePath, ['--input-type=module', '--eval', program], {
    env: { ...process.env, NODE_COMPILE_CACHE: join(root, '.cache/compile') },
    stdio: 'ignore',
  });
  await once(worker, 'exit');
}

function stamp() {
  try {
    return readFileSync(stampPath, 'utf8');
  } catch {
    return undefined;
  }
}

/** Not where the program's folder can't be written to. */
function canKeep() {
  try {
    mkdirSync(dirname(stampPath), { recursive: true });
    writeFileSync(stampPath, '');
    return true;
  } catch {
    return false;
  }
}

/** With an engine, so that all programs are compiled. */
async function runOnce() {
  const folder = mkdtempSync(join(tmpdir(), 'vidette-compile-'));
  const settings = {
    ...{ VIDETTE_DATA: folder, VIDETTE_ENGINE_PROCESSES: '1' },
    ...{ VIDETTE_HOST: '127.0.0.1', VIDETTE_PORT: '0' },
  };
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('VIDETTE_'));
  const server = spawn(nodePath, [join(root, 'server/src/main.ts')], {
    env: { ...Object.fromEntries(inherited), ...settings },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = once(server, 'exit');
  const stop = () => server.kill();
  const late = setTimeout(stop, startMaxMs);
  /** @type {NodeJS.Signals | undefined} */
  let signalled;
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.once(signal, () => {
      signalled = signal;
      stop();
    });
  }
  server.stdout.setEncoding('utf8').on('data', (text) => {
    if (text.includes('Vidette listens')) stop();
  });
  await ended;
  clearTimeout(late);
  rmSync(folder, { recursive: true, force: true });
  if (signalled !== undefined) process.exit(1);
}
