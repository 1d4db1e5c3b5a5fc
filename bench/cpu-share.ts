import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Short, so that a process which has used its share waits for a few milliseconds only. */
const periodUs = 10_000;
const version1 = '/sys/fs/cgroup/cpu';
const version2 = '/sys/fs/cgroup';

/**
 * A slower core: processes that together get at most a share of one core (cgroups(7), CPU bandwidth control).
 * Requires root.
 */
export class CpuShare {
  readonly #folder: string;

  constructor(name: string, share: number) {
    const isVersion1 = existsSync(join(version1, 'cpu.cfs_quota_us'));
    this.#folder = join(isVersion1 ? version1 : version2, `vidette-bench-${process.pid}-${name}`);
    mkdirSync(this.#folder);
    const quotaUs = Math.round(periodUs * share);
    if (isVersion1) {
      this.#write('cpu.cfs_period_us', periodUs);
      this.#write('cpu.cfs_quota_us', quotaUs);
    } else {
      this.#write('cpu.max', `${quotaUs} ${periodUs}`);
    }
  }

  /** Processes that they start later belong to it too. */
  add(pids: Iterable<number>): void {
    for (const pid of pids) this.#write('cgroup.procs', pid);
  }

  /** After all of its processes have ended. */
  remove(): void {
    rmdirSync(this.#folder);
  }

  #write(file: string, value: string | number): void {
    writeFileSync(join(this.#folder, file), String(value));
  }
}

/** The command line of a process, its arguments separated by spaces; empty when it has ended. */
export function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    return '';
  }
}
