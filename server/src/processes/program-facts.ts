import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { mainFile, type ServerProgram } from './server-program.ts';

/** What a program says of the formats that the processes of one server share; printed by `vidette about`. */
export interface ProgramFacts {
  readonly version: string;
  /** Version of the archive's catalog. */
  readonly catalog: number;
  /** Engines that know only this version of the catalog may go on with it. */
  readonly catalogFrom: number;
}

/**
 * Called before anything is stopped. Resolves to the facts of the next program.
 * @param old what the program said that runs: a package may have replaced its files by those of the next one
 * @throws Error when the engines of one program could not go on beside the front of the other, or the program does not run
 * at all
 */
export async function assertReplaceable(old: ProgramFacts, next: ServerProgram): Promise<ProgramFacts> {
  const facts = await factsOf(next);
  if (facts.catalogFrom <= old.catalog && old.catalog <= facts.catalog) return facts;
  throw new Error(
    `Version ${facts.version} has another format of the archive's catalog, which the recording processes of version ${old.version} do not know: stop the server and start the new version.`,
  );
}

async function factsOf({ execPath, folder }: ServerProgram): Promise<ProgramFacts> {
  const program = mainFile(folder, 'main');
  try {
    const { stdout } = await promisify(execFile)(execPath, [program, 'about', '--json']);
    return JSON.parse(stdout) as ProgramFacts;
  } catch (cause) {
    throw new Error(`The program in ${folder} does not run: ${String(cause)}`, { cause });
  }
}
