import { readFileSync, readdirSync } from 'node:fs';

/** Clock ticks a second of /proc figures; 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** CPU seconds, user and system, that a process and its living children have used so far (proc(5), stat). */
export function cpuSeconds(pid: number): number {
  return family(pid).reduce((sum, member) => {
    const fields = statFields(member);
    return fields ? sum + (Number(fields[11]) + Number(fields[12])) / ticksPerSecond : sum;
  }, 0);
}

/** Proportional set size of a process and its children, MB: shared pages are divided among those who share them. */
export function memoryMB(pid: number): number {
  return family(pid).reduce((sum, member) => {
    const pss = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${member}/smaps_rollup`, 'utf8'))?.[1];
    return sum + Number(pss ?? 0) / 1024;
  }, 0);
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2
    ? (sorted[middle] ?? NaN)
    : ((sorted[middle - 1] ?? NaN) + (sorted[middle] ?? NaN)) / 2;
}

function family(pid: number): number[] {
  const members = [pid];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    if (Number(statFields(Number(name))?.[1]) === pid) members.push(...family(Number(name)));
  }
  return members;
}

/** The fields after the program's name: [0] state, [1] parent, ..., [11] utime, [12] stime. */
function statFields(pid: number): string[] | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  } catch (error) {
    if (
      (error as NodeJS.ErrnoException).code === 'ENOENT' ||
      (error as NodeJS.ErrnoException).code === 'ESRCH'
    )
      return undefined;
    throw error;
  }
}
