import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { until } from './api.ts';
import { runProgram } from './loop-disk.ts';

/**
 * A root of its own over that of this machine, which stays unchanged, and systemd as the first process in it. $1 is an empty
 * folder, $2 one that it sees as /shared. It shares the network. Services that would change the kernel of this machine are
 * masked.
 */
const boot = `
set -e
mount --make-rprivate /
mount -t tmpfs tmpfs "$1"
mkdir "$1/upper" "$1/work" "$1/root"
mount -t overlay overlay -o "lowerdir=/,upperdir=$1/upper,workdir=$1/work" "$1/root"
cd "$1/root"
mkdir -p shared old-root
mount --bind "$2" shared
mount -t proc proc proc
mount -t tmpfs tmpfs run
mount -t tmpfs tmpfs tmp
mount -t tmpfs tmpfs dev
mkdir dev/pts dev/shm dev/mqueue dev/hugepages
mount -t devpts devpts dev/pts -o newinstance,ptmxmode=0666
ln -s pts/ptmx dev/ptmx
for file in null zero full random urandom tty; do : >dev/$file; mount --bind /dev/$file dev/$file; done
mount --rbind /sys sys
if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
  umount -l sys/fs/cgroup
  mount -t cgroup2 cgroup2 sys/fs/cgroup
else
  umount -l sys/fs/cgroup
  mount -t tmpfs -o mode=755 tmpfs sys/fs/cgroup
  mkdir sys/fs/cgroup/unified sys/fs/cgroup/systemd
  mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
  mount -t cgroup2 cgroup2 sys/fs/cgroup/unified
fi
rm -f etc/systemd/system/*.wants/* usr/sbin/policy-rc.d
: >etc/fstab
printf '[Unit]\\nRequires=basic.target\\n' >etc/systemd/system/vidette-test.target
for unit in sysctl modules-load remount-fs udevd udev-trigger update-utmp timesyncd; do
  ln -sf /dev/null etc/systemd/system/systemd-$unit.service
done
pivot_root . old-root
umount -l old-root
exec env -i container=other PATH=/usr/sbin:/usr/bin:/sbin:/bin \\
  /lib/systemd/systemd --system --unit=vidette-test.target >/dev/null 2>&1`;

/** Puts the program that follows into a control group of its own, so that systemd manages no other. $1: its name. */
const inGroup = `
name=$1
shift
for top in /sys/fs/cgroup /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do
  if [ -e $top/cgroup.procs ]; then mkdir $top/$name; echo $$ >$top/$name/cgroup.procs; fi
done
exec "$@"`;

/** A machine with systemd, as far as namespaces allow: services, packages and users are real, the kernel is shared. */
export class SystemdMachine {
  readonly #pid: string;

  private constructor(pid: string) {
    this.#pid = pid;
  }

  /** Undefined where this user may not create one. It sees `shared` as `/shared`. */
  static async boot(t: TestContext, shared: string): Promise<SystemdMachine | undefined> {
    const folder = await mkdtemp(join(tmpdir(), 'vidette-machine-'));
    const group = `vidette-test-${process.pid}`;
    t.after(async () => {
      for (const top of ['/sys/fs/cgroup', '/sys/fs/cgroup/systemd', '/sys/fs/cgroup/unified'])
        await runProgram('find', [`${top}/${group}`, '-depth', '-type', 'd', '-delete']);
      await rm(folder, { recursive: true, force: true });
    });
    await mkdir(shared, { recursive: true });
    const namespaces = ['--mount', '--pid', '--cgroup', '--uts', '--ipc', '--fork', '--kill-child'];
    const outer = spawn(
      'sh',
      ['-c', inGroup, 'sh', group, 'unshare', ...namespaces, 'sh', '-c', boot, 'sh', folder, shared],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    );
    const ended = once(outer, 'exit');
    t.after(async () => {
      outer.kill('SIGKILL');
      await ended;
    });
    const children = () => readFile(`/proc/${outer.pid}/task/${outer.pid}/children`, 'utf8').catch(() => '');
    const running = await until(
      async () => {
        if (outer.exitCode !== null) return { pid: '', state: 'ended' };
        const pid = (await children()).trim();
        if (pid === '') return { pid, state: '' };
        const { output } = await new SystemdMachine(pid).run('systemctl', 'is-system-running');
        return { pid, state: output.trim() };
      },
      ({ state }) => /^(ended|running|degraded)$/.test(state),
    );
    return running.state === 'ended' ? undefined : new SystemdMachine(running.pid);
  }

  /** Runs a program there. */
  run(...command: readonly string[]): Promise<{ code: number; output: string }> {
    const inside = ['--mount', '--pid', '--uts', '--ipc', '--cgroup', '--root', '--wd'];
    const environment = ['env', '-i', 'PATH=/usr/sbin:/usr/bin:/sbin:/bin', 'DEBIAN_FRONTEND=noninteractive'];
    return runProgram('nsenter', [`--target=${this.#pid}`, ...inside, '--', ...environment, ...command]);
  }

  /** As `run`, but the program must succeed; resolves to its output. */
  async must(...command: readonly string[]): Promise<string> {
    const { code, output } = await this.run(...command);
    if (code !== 0) throw new Error(`${command.join(' ')} ended with ${code}:\n${output}`);
    return output;
  }
}
