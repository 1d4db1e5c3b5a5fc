import { globSync, readFileSync, readdirSync } from 'node:fs';

/** Clock ticks per second of /proc values; 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** Fields of /proc/PID/stat after the program's name (proc(5)). */
const field = { parent: 1, utime: 11, stime: 12, childrenUtime: 13, childrenStime: 14 };

/** CPU seconds, user and system, of processes and all of their running descendants. */
export function cpuSeconds(...pids: readonly number[]): number {
  return sumOver(pids, (pid) => {
    const stat = statFields(pid);
    return stat ? seconds(stat, field.utime, field.stime) : 0;
  });
}

/** CPU seconds of all children of this process that have ended, and of their descendants. */
export function endedChildrenCpuSeconds(): number {
  return seconds(statFields(process.pid) ?? [], field.childrenUtime, field.childrenStime);
}

/**
 * Proportional set size of processes and all of their descendants, MB: pages that several processes share are
 * divided among them.
 */
export function memoryMB(...pids: readonly number[]): number {
  return sumOver(pids, (pid) => {
    const pss = /^Pss:\s+(\d+) kB/m.exec(readOrEmpty(`/proc/${pid}/smaps_rollup`))?.[1];
    return Number(pss ?? 0) / 1024;
  });
}

/** How often all threads of processes and of their running descendants have waited so far (proc_pid_status(5)). */
export function wakeUps(...pids: readonly number[]): number {
  return sumOver(pids, (pid) =>
    globSync(`/proc/${pid}/task/*/status`).reduce((sum, path) => {
      const switches = /^voluntary_ctxt_switches:\s+(\d+)/m.exec(readOrEmpty(path))?.[1];
      return sum + Number(switches ?? 0);
    }, 0),
  );
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2
    ? (sorted[middle] ?? NaN)
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

/** The value below which that share of the values is; the largest for 100. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? NaN;
}

/** The least and the largest value. */
export function spreadOf(values: readonly number[], digits = 1): string {
  return `${Math.min(...values).toFixed(digits)} to ${Math.max(...values).toFixed(digits)}`;
}

function sumOver(roots: readonly number[], of: (pid: number) => number): number {
  return [...withDescendants(roots)].reduce((sum, pid) => sum + of(pid), 0);
}

/** The processes and all of their descendants, from one pass over /proc. */
export function withDescendants(roots: readonly number[]): Set<number> {
  const childrenOf = new Map<number, number[]>();
  for (const name of readdirSync('/proc')) {
    const stat = /^\d+$/.test(name) ? statFields(Number(name)) : undefined;
    if (!stat) continue;
    const parent = Number(stat[field.parent]);
    childrenOf.set(parent, [...(childrenOf.get(parent) ?? []), Number(name)]);
  }
  const found = new Set(roots);
  for (const pid of found) for (const child of childrenOf.get(pid) ?? []) found.add(child);
  return found;
}

function seconds(stat: readonly string[], user: number, system: number): number {
  return (Number(stat[user]) + Number(stat[system])) / ticksPerSecond;
}

/** The fields after the program's name; undefined when the process has ended. */
function statFields(pid: number): string[] | undefined {
  const stat = readOrEmpty(`/proc/${pid}/stat`);
  return stat === '' ? undefined : stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

/** A process may end between two readings: then it does not count. */
function readOrEmpty(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ESRCH') return '';
    throw error;
  }
}
