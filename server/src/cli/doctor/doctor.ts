import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { ConfigError, configFileName, dataDirOf, loadConfig } from '../../config/load.ts';
import { runningServer } from '../../processes/control-socket.ts';
import { checkDatabase } from './database.ts';
import { checkDisk } from './disk.ts';
import { checkOwners, newestFile } from './files.ts';
import { bad, good, type Finding } from './finding.ts';
import { checkCertificate, checkClock, checkFfmpeg, checkPort } from './machine.ts';

export interface DoctorOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly isJson: boolean;
  readonly out: (line: string) => void;
}

const signs = { good: 'ok', warning: 'WARNING', bad: 'PROBLEM' } as const;

/**
 * `vidette doctor`: checks what the server needs of its machine, with the server running or not, and prints a sentence and
 * a cure for each finding. Exit code 1 when there is a problem; warnings alone are none.
 */
export async function doctor({ env, clock, isJson, out }: DoctorOptions): Promise<number> {
  const findings = await examine(env, clock);
  if (isJson) out(JSON.stringify(findings));
  for (const { check, state, text, cure } of isJson ? [] : findings) {
    out(`${signs[state].padEnd(8)} ${check}: ${text}`);
    if (cure !== undefined) out(`         ${cure}`);
  }
  return findings.some(({ state }) => state === 'bad') ? 1 : 0;
}

async function examine(env: DoctorOptions['env'], clock: Clock): Promise<readonly Finding[]> {
  try {
    const config = await loadConfig(env);
    const { dataDir, archive } = config;
    const server = await lookForServer(dataDir, clock);
    const home = join(dataDir, 'archive');
    const folder = archive.folder === null ? home : resolve(dataDir, archive.folder);
    const isElsewhere = archive.folder !== null || existsSync(home);
    return [
      good('configuration', `The configuration in ${dataDir} is valid.`),
      ...(await checkDisk('data', dataDir, clock)),
      ...(await checkOwners(dataDir)),
      ...(isElsewhere ? await checkDisk('archive', folder, clock) : []),
      ...server.findings,
      await checkPort(config, server.isRunning),
      await checkClock(clock, await newestFile(dataDir)),
      ...(await checkCertificate(config, clock)),
      ...(await checkFfmpeg()),
      ...(await checkDatabase(config, clock)),
    ];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return [bad('configuration', error.message, cureOf(error, dataDirOf(env)))];
  }
}

/** What to do about a configuration that can't be used. */
function cureOf({ cause }: ConfigError, dataDir: string): string {
  if ((cause as NodeJS.ErrnoException | undefined)?.code !== 'EACCES')
    return `Correct ${configFileName} in ${dataDir}, or the environment.`;
  return `Run this command as the user of the server; if that is this user, give ${dataDir} and what is in it to it (chown -R).`;
}

async function lookForServer(
  dataDir: string,
  clock: Clock,
): Promise<{ isRunning: boolean; findings: readonly Finding[] }> {
  try {
    return { isRunning: (await runningServer(dataDir, clock)) !== undefined, findings: [] };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    // Also the check of the disk says that this user has no permission.
    if (error.code === 'Forbidden') return { isRunning: false, findings: [] };
    const cure =
      'Restart it (systemctl restart vidette); if it hangs again, a disk that does not answer may be the cause: see the kernel’s log (dmesg).';
    return { isRunning: true, findings: [bad('server', error.message, cure)] };
  }
}
