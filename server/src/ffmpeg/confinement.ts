import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { ConfinementLevel } from '../base/confinement-level.ts';
import { workerEntry } from './worker-entry.ts';

/** The log message about the level at server start. */
export const confinementWords: Readonly<Record<ConfinementLevel, string>> = {
  files:
    'media processes have no network access and see no files other than the program; those for UDP, SRT and FFmpeg’s RTSP keep network access',
  network:
    'media processes have no network access, except those for UDP, SRT and FFmpeg’s RTSP; file access could not be restricted',
  none: 'media processes are not confined: this system provides no namespaces; what FFmpeg may open is still restricted',
};

/** A command and its arguments. */
export type ProcessCommand = readonly [program: string, ...args: string[]];

/**
 * Linux namespaces through util-linux, which needs no privileges if the system allows unprivileged user
 * namespaces. The started process becomes the child itself, so its id and its signals are those of the child.
 */
export class Confinement {
  readonly level: ConfinementLevel;

  constructor(level: ConfinementLevel) {
    this.level = level;
  }

  /** `keepsNetwork`: for work over datagrams, which the server cannot pass on as a connection. */
  wrap(command: ProcessCommand, options: { keepsNetwork: boolean }): ProcessCommand {
    if (this.level === 'none' || (this.level === 'network' && options.keepsNetwork)) return command;
    const namespaces = [
      '--user',
      '--map-root-user',
      ...(options.keepsNetwork ? [] : ['--net']),
      ...(this.level === 'files' ? ['--mount'] : []),
    ];
    const steps = [
      'set -e',
      ...(options.keepsNetwork ? [] : [loopback]),
      ...(this.level === 'files'
        ? [newRoot, `exec chroot . ${withoutRights} "$@"`]
        : [`exec ${withoutRights} "$@"`]),
    ];
    const folders = [dirname(command[0]), ...programFolders, ...compiledFolders()];
    return ['unshare', ...namespaces, 'sh', '-c', steps.join('\n'), folders.join(':'), ...command];
  }
}

/** The loopback interface of a new network namespace is down. */
const loopback = 'ip link set lo up 2>/dev/null || ifconfig lo up';

/** Removes all capabilities and any way to regain them: root in the namespace could undo the setup. */
const withoutRights = '/usr/bin/setpriv --bounding-set=-all --inh-caps=-all --no-new-privs';

/**
 * A root of its own in memory, with the folders of the system's libraries and those named in $0, all read-only.
 * A bind mount inherits flags that a namespace may not clear, hence the second form of each `remount`. The
 * machine's other mounts are removed from the namespace: otherwise a disk unmounted while a child runs would
 * stay in use, and could be neither checked nor mounted again. Where the root cannot be replaced, as in an
 * initial RAM disk, the child only changes into the new one. `umount` reads /proc.
 */
const newRoot = `
mount -t tmpfs -o size=4m,mode=755 tmpfs /mnt
cd /mnt
show() {
  mkdir -p ".$1"
  mount --rbind "$1" ".$1"
  mount -o remount,bind,ro ".$1" 2>/dev/null || mount -o remount,bind,ro,nosuid,nodev ".$1"
}
for folder in /usr /lib /lib64 /bin /sbin; do
  if [ -L $folder ]; then ln -s "$(readlink $folder)" .$folder; elif [ -d $folder ]; then show $folder; fi
done
mkdir dev etc tmp
for file in null zero random urandom; do : >dev/$file; mount --bind /dev/$file dev/$file; done
if [ -f /etc/ld.so.cache ]; then cp /etc/ld.so.cache etc/; fi
IFS=:
for folder in $0; do case $folder in /usr/*) ;; *) show "$folder" ;; esac; done
unset IFS
ln -s tmp/proc proc
if pivot_root . tmp 2>/dev/null; then umount -l /tmp; top=/; else top=/mnt; fi
rm proc
mkdir proc
mount -o remount,bind,ro $top`;

const root = fileURLToPath(new URL('../../../', import.meta.url));
/** The files of the child's program. The data folder may be next to them, so their parent is not mounted. */
const programFolders = ['server/src', 'contract', 'media', 'node_modules', 'server/node_modules']
  .map((folder) => root + folder)
  .filter((folder) => existsSync(folder));

/** What Node has compiled of the program, which the child only reads. */
function compiledFolders(): string[] {
  const folder = process.env['NODE_COMPILE_CACHE'];
  return folder !== undefined && existsSync(folder) ? [folder] : [];
}

/** Tries the loopback interface and reads the program, as the child will. */
const trial = `
const { createServer, connect } = require('node:net');
require('node:fs').readFileSync(process.argv[1]);
const server = createServer().listen(0, '127.0.0.1', () => {
  const socket = connect(server.address().port, '127.0.0.1', () => process.exit(0));
  socket.on('error', () => process.exit(1));
});`;
const trialMs = 10_000;

/** The strongest level that this system allows, determined by trying. */
export async function findConfinement(): Promise<Confinement> {
  for (const level of ['files', 'network'] as const) {
    const confinement = new Confinement(level);
    const [program, ...args] = confinement.wrap([process.execPath, '-e', trial, workerEntry], {
      keepsNetwork: false,
    });
    try {
      await promisify(execFile)(program, args, { timeout: trialMs, killSignal: 'SIGKILL' });
      return confinement;
    } catch {
      // Not here: the next level is weaker.
    }
  }
  return new Confinement('none');
}
