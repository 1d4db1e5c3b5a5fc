/** What the server needs of the machine besides disks: a clock, a port, the FFmpeg worker. */
import { execFile } from 'node:child_process';
import { createServer } from 'node:net';
import { resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Clock } from '../../base/clock.ts';
import { expiryNoticeMs, readCertificate } from '../../config/certificate-files.ts';
import { ConfigError } from '../../config/load.ts';
import type { Config } from '../../config/schema.ts';
import { findConfinement } from '../../ffmpeg/confinement.ts';
import { workerEntry } from '../../ffmpeg/worker-entry.ts';
import type { DatedFile } from './files.ts';
import { bad, good, warning, type Finding } from './finding.ts';

const run = promisify(execFile);
const programMs = 15_000;
/** A clock that is corrected in steps may be off by this much. */
const clockStepMs = 60_000;
const dayMs = 86_400_000;

/** Whether the machine's clock has gone back behind the newest file, and is synchronised, as systemd knows it. */
export async function checkClock(clock: Clock, newest: DatedFile | undefined): Promise<Finding> {
  const check = 'clock';
  if (newest && newest.writtenMs > clock.wallMs() + clockStepMs)
    return bad(
      check,
      `The clock shows ${minuteOf(clock.wallMs())}, but ${newest.path} was written at ${minuteOf(newest.writtenMs)}.`,
      'Set the clock, and run a time service, such as systemd-timesyncd or chrony: recordings are dated by this clock. Where the clock is right, it was ahead before.',
    );
  const cure = 'Run a time service, such as systemd-timesyncd or chrony: recordings are dated by this clock.';
  try {
    const { stdout } = await run('timedatectl', ['show', '--property=NTPSynchronized', '--value'], {
      timeout: programMs,
    });
    return stdout.trim() === 'yes'
      ? good(check, 'The clock is synchronised.')
      : warning(check, 'The clock is not synchronised.', cure);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return warning(
      check,
      'It is unknown whether the clock is synchronised: timedatectl gave no answer.',
      cure,
    );
  }
}

/** Whether the server that runs, or is to be started, has its port. */
export async function checkPort({ host, port }: Config, isRunning: boolean): Promise<Finding> {
  const check = 'port';
  if (isRunning) return good(check, `The server runs and is configured for port ${port} of ${host}.`);
  const reason = await new Promise<string | undefined>((answer) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => answer(error.code ?? error.message));
    server.listen(port, host, () => server.close(() => answer(undefined)));
  });
  if (reason === undefined) return good(check, `Port ${port} of ${host} is free.`);
  const words: Readonly<Record<string, Finding>> = {
    EADDRINUSE: bad(
      check,
      `Another program uses port ${port}.`,
      'End it, or set `port` or VIDETTE_PORT to a free one.',
    ),
    EACCES: bad(
      check,
      `This user may not use port ${port}.`,
      'Set a port above 1023, or put a reverse proxy in front.',
    ),
    EADDRNOTAVAIL: bad(check, `This machine has no address ${host}.`, 'Correct `host` or VIDETTE_HOST.'),
    ENOTFOUND: bad(check, `The name ${host} has no address.`, 'Correct `host` or VIDETTE_HOST.'),
  };
  return (
    words[reason] ??
    bad(check, `Port ${port} of ${host} can't be used (${reason}).`, 'Correct `host` and `port`.')
  );
}

/** Whether FFmpeg can be loaded, and how it would be confined. */
export async function checkFfmpeg(): Promise<readonly Finding[]> {
  const check = 'FFmpeg';
  try {
    // In a process of its own, as always, and found from where the worker is.
    const program = `import(${JSON.stringify('node-av/lib')}).then(() => process.exit(0))`;
    await run(process.execPath, ['--input-type=module', '--eval', program], {
      cwd: workerEntry.slice(0, workerEntry.lastIndexOf('/')),
      timeout: programMs,
    });
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    return [
      warning(
        check,
        'FFmpeg is not installed, or can’t be loaded: there are no snapshots, no transcoding, and no sources other than RTSP.',
        'Install the package vidette-ffmpeg, or unpack its archive in the same place; then run `vidette restart`.',
      ),
    ];
  }
  const { level } = await findConfinement();
  return [
    good(check, 'FFmpeg can be loaded.'),
    level === 'files'
      ? good(`${check}: isolation`, 'Its processes have no network access and see no files but the program.')
      : warning(
          `${check}: isolation`,
          `Its processes can't be isolated completely (${level}).`,
          'Allow unprivileged user namespaces (sysctl kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns), and install util-linux.',
        ),
  ];
}

/** Whether the server can use the files of its certificate, and how long it is valid. */
export async function checkCertificate({ dataDir, tls }: Config, clock: Clock): Promise<readonly Finding[]> {
  const check = 'certificate';
  if (tls.certificate === null || tls.key === null) return [];
  const [certificatePath, keyPath] = [resolve(dataDir, tls.certificate), resolve(dataDir, tls.key)];
  try {
    const { validFromMs, validToMs } = await readCertificate({ certificatePath, keyPath });
    const nowMs = clock.wallMs();
    const renew = 'Renew it; the running server takes the new files without a restart.';
    if (validToMs <= nowMs)
      return [bad(check, `The certificate in ${certificatePath} expired on ${dayOf(validToMs)}.`, renew)];
    if (validFromMs > nowMs)
      return [
        bad(
          check,
          `The certificate in ${certificatePath} is not valid before ${dayOf(validFromMs)}.`,
          'Set the clock of this machine if it is behind, or use another certificate.',
        ),
      ];
    if (validToMs - nowMs <= expiryNoticeMs)
      return [warning(check, `The certificate in ${certificatePath} expires on ${dayOf(validToMs)}.`, renew)];
    const days = Math.floor((validToMs - nowMs) / dayMs);
    return [good(check, `Certificate and key belong together, and are valid for ${days} days.`)];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [bad(check, error.message, 'Correct `tls`, and let the user of the server read both files.')];
  }
}

/** As in 2026-11-24, UTC. */
function dayOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}

/** As in 2026-11-24 08:15 UTC. */
function minuteOf(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
