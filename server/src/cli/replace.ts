import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { askToReplace, type ServerStatus } from '../processes/control-socket.ts';
import { ownCommand, ownFolder, programIn } from '../processes/server-program.ts';

export interface ReplaceOptions {
  readonly dataDir: string;
  readonly out: (line: string) => void;
}

/** Replaces the processes of the running server by new ones of the same program. */
export async function restart({ dataDir, out }: ReplaceOptions): Promise<number> {
  return report(await askToReplace(dataDir, undefined, out), 'The server was restarted.', out);
}

/** Replaces the processes of the running server by those of the program in a folder. */
export async function upgrade({
  dataDir,
  out,
  folder,
}: ReplaceOptions & { folder: string }): Promise<number> {
  const { version } = programIn(folder);
  if (!(await isPrepared(folder))) {
    out(`The program in ${folder} could not be prepared.`);
    return 1;
  }
  return report(
    await askToReplace(dataDir, folder, out),
    `The server runs version ${version} from ${folder} now.`,
    out,
  );
}

/**
 * A server was to be started with a data folder that another one uses: offers to replace that one.
 * @returns the exit code
 */
export async function meetRunning(running: ServerStatus, { dataDir, out }: ReplaceOptions): Promise<number> {
  const own = programIn(ownFolder);
  const { version, folder, pid } = running;
  if (own.version === version && own.folder === folder) {
    out(`Vidette ${version} runs with this data folder already (process ${pid}).`);
    return 1;
  }
  out(`Vidette ${version} in ${folder} runs with this data folder already (process ${pid}).`);
  if (!process.stdin.isTTY || !process.stdout.isTTY) {
    out(`To replace it by version ${own.version} while recording goes on: ${ownCommand} upgrade`);
    return 1;
  }
  if (!(await confirms(`Replace it by version ${own.version} while recording goes on? [y/N] `))) return 1;
  return upgrade({ dataDir, out, folder: own.folder });
}

async function confirms(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(question)).trim());
  } finally {
    terminal.close();
  }
}

function report(reason: string | undefined, done: string, out: (line: string) => void): number {
  out(reason ?? done);
  return reason === undefined ? 0 : 1;
}

/** Installs what is missing and builds the page, as `npm start` does. */
async function isPrepared(folder: string): Promise<boolean> {
  const program = join(folder, 'tools', 'prepare.mjs');
  if (!existsSync(program)) return true;
  const child = spawn(process.execPath, [program], { stdio: 'inherit' });
  return (await new Promise((resolve) => child.once('exit', resolve))) === 0;
}
