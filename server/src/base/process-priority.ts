/**
 * Who gets the CPU, the disk and the memory when there is not enough for all: engines first, then the front, then what
 * renders and transcodes. Linux derives the priority of disk access from `nice` where none is set (ioprio_set(2)).
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/** How a process of the server is preferred. */
export interface ProcessPriority {
  /** Added to the `nice` of the process that starts it. Less than 0 needs privileges. */
  readonly nice: number;
  /** Added to its `oom_score_adj`: when memory runs out, the kernel kills the process with the highest one first. */
  readonly oomScore: number;
}

/** Receives and records. */
export const enginePriority: ProcessPriority = { nice: -5, oomScore: 0 };
/** Serves the page and the API. */
export const frontPriority: ProcessPriority = { nice: 5, oomScore: 300 };
/** Renders snapshots and transcodes. */
export const helperPriority: ProcessPriority = { nice: 5, oomScore: 300 };
/** Receives for an engine: as urgent as the engine, but it costs only a few streams. */
export const sourcePriority: ProcessPriority = { nice: 0, oomScore: 100 };

const { PRIORITY_LOW: lowestNice, PRIORITY_BELOW_NORMAL: helperNice } = constants.priority;
const highestOomScore = 1000;

/** Applies to all threads of this process. What the system refuses stays as it was. */
export function takePriority({ nice, oomScore }: ProcessPriority): void {
  const wanted = Math.min(lowestNice, getPriority() + nice);
  // On Linux each thread has a priority of its own; threads that start later inherit it.
  for (const thread of threads()) setNice(thread, wanted);
  addOomScore('self', oomScore);
}

/** Lowers a child right after it was started, before it has threads of its own. */
export function lowerChild(pid: number, { nice, oomScore }: ProcessPriority): void {
  // Also where everything else runs in one process, which keeps the priority that it was started with.
  if (nice > 0) setNice(pid, Math.min(lowestNice, Math.max(helperNice, getPriority() + nice)));
  addOomScore(pid, oomScore);
}

function threads(): readonly number[] {
  try {
    return readdirSync('/proc/self/task').map(Number);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    // Elsewhere the priority is that of the process.
    return [0];
  }
}

/** Codes with which a system says that it does not allow this, or that the process or thread has ended. */
const refusals: ReadonlySet<string | undefined> = new Set(['EACCES', 'EPERM', 'ESRCH', 'ENOENT', 'EROFS']);

function setNice(id: number, nice: number): void {
  try {
    setPriority(id, nice);
  } catch (error) {
    const { info } = error as { info?: { code?: string } };
    if (!refusals.has(info?.code)) throw error;
  }
}

function addOomScore(id: number | 'self', score: number): void {
  if (score === 0) return;
  try {
    const own = Number(readFileSync('/proc/self/oom_score_adj', 'utf8'));
    writeFileSync(`/proc/${id}/oom_score_adj`, String(Math.min(highestOomScore, own + score)));
  } catch (error) {
    if (!refusals.has((error as NodeJS.ErrnoException).code)) throw error;
  }
}
