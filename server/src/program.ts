/** What the programs of the server (main, front, engine) have in common. */
import { enableCompileCache, flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Clock } from './base/clock.ts';

/** In the program's own folder, where no other user can put code for this one to run. */
const compileCache = fileURLToPath(new URL('../../.cache/compile', import.meta.url));

/** To be called before anything large is imported. */
export function prepareProgram(): void {
  enableCompileCache(process.env['NODE_COMPILE_CACHE'] ?? compileCache);
  // For its threads and processes: what they don't find there they compile themselves, types included, which
  // takes 9 to 18 MB in each.
  process.env['NODE_COMPILE_CACHE'] ??= compileCache;
  // Each write that is in progress occupies a thread of Node's pool until the disk has it, and disks flush many files
  // in the time of one. Read when the pool is first used, which is later.
  process.env['UV_THREADPOOL_SIZE'] ??= '16';
  // Received data is outside V8's heap but counts towards its limit, which by default lets the process grow by 8
  // MB before the whole heap is collected again: twice a second with thirty cameras, a quarter of the total cost.
  // With a limit of twice the live heap it happens half as often, at the cost of 20 MB, however many cameras
  // there are (design/ingest-cost.md).
  setFlagsFromString('--heap-growing-percent=100');
  // The reader of the output may exit first, as `tee` does on Ctrl-C: the server still shuts down in order.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
}

/** What follows the start has calmed down. */
const calmMs = 5_000;

/**
 * Has what starting leaves collected, once. Otherwise V8 keeps the room that its young generation grew to while the modules
 * were loaded, 30 MB in a front, until the heap has doubled: on an idle server never. A process that receives pauses for
 * 30 ms only, and V8 gives its memory back some seconds later. Others pause for 100 ms, and also give up the compiled code
 * that Node has read; what is new of it is written to the cache then, which takes a while after an update.
 */
export function collectStartGarbage(clock: Clock, { isReceiving }: { readonly isReceiving: boolean }): void {
  clock.after(calmMs, () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as (how?: object) => void;
    setFlagsFromString('--no-expose-gc');
    if (isReceiving) {
      collect();
      return;
    }
    flushCompileCache();
    collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
  });
}

/** Shows a line to the operator. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/**
 * Ends the program in order, the first time that it is called: closes what has been started, if anything has, and runs
 * `last`.
 */
export class OrderlyEnd {
  readonly #aborting = new AbortController();

  get isEnding(): boolean {
    return this.signal.aborted;
  }

  /** Aborted when the end begins: what is still being started need not be. */
  get signal(): AbortSignal {
    return this.#aborting.signal;
  }

  begin(starting: Promise<{ close(): Promise<void> }> | undefined, last?: () => Promise<void>): void {
    if (this.isEnding) return;
    this.#aborting.abort();
    Promise.resolve(starting)
      .then(
        (started) => started?.close(),
        (error: unknown) => {
          // What had been opened is closed already.
          if (error !== this.signal.reason) throw error;
        },
      )
      .then(last)
      .then(() => process.exit(0), endWith);
  }
}

/** Shows why the program ends, and ends it. */
export function endWith(error: unknown): never {
  process.stderr.write(`${explain(error)}\n`);
  process.exit(1);
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
