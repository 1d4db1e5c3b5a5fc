// `npm test`: prepares everything that the tests need, runs all of them, and ends with `N passed, N failed`.
// `npm test -- PART_OF_A_PATH... --name PATTERN` runs the files whose path contains one of the parts, and of
// their tests those whose title matches the pattern.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureBundle } from './bundle.mjs';
import { ensureInstalled, fail, nodePath, root } from './install.mjs';
import { ensurePage } from './page.mjs';

/** The programs that the tests use besides npm packages, with the Debian package of each. */
const tools = [
  { command: ['ffmpeg', '-version'], package: 'ffmpeg' },
  { command: ['ffprobe', '-version'], package: 'ffmpeg' },
  { command: ['mkfs.ext4', '-V'], package: 'e2fsprogs' },
  { command: ['faketime', '--version'], package: 'faketime' },
  { command: ['/usr/bin/chromium', '--version'], package: 'chromium' },
  { command: ['/usr/bin/test', '-x', '/usr/sbin/sshd'], package: 'openssh-server' },
  {
    command: [
      '/usr/bin/python3',
      '-c',
      "import gi; gi.require_version('GstRtspServer','1.0'); from gi.repository import GstRtspServer",
    ],
    package:
      'gir1.2-gst-rtsp-server-1.0 python3-gi gstreamer1.0-plugins-{base,good,bad,ugly} gstreamer1.0-libav gstreamer1.0-x',
  },
  { command: ['sh', '-c', 'ls /usr/lib/postgresql/*/bin/initdb'], package: 'postgresql' },
  { command: ['/usr/bin/python3', '-c', 'import swift.proxy.server'], package: 'python3-swift' },
  { command: ['/lib/systemd/systemd', '--version'], package: 'systemd' },
];

ensureInstalled();
const missing = tools.filter(({ command: [name = '', ...args] }) => spawnSync(name, args).status !== 0);
if (missing.length) {
  fail(`The tests need ${missing.map((tool) => tool.package).join(', ')} (Debian: apt-get install).`);
}
ensurePage();
ensureBundle();
const run = spawnSync(nodePath, [join(root, 'tools/run-tests.mjs'), ...process.argv.slice(2)], {
  stdio: 'inherit',
  cwd: root,
});
process.exit(run.status ?? 1);
