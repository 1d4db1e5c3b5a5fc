/** The server's own files in the data folder: to whom they belong, and when the newest one was written. */
import { access, constants, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { bad, good, warning, type Finding } from './finding.ts';

/** A file, and when it was written, ms since the epoch. */
export interface DatedFile {
  readonly path: string;
  readonly writtenMs: number;
}

interface FileFacts extends DatedFile {
  readonly uid: number;
  /** Whether this user may read and write it. */
  readonly isUsable: boolean;
}

/** How the names of the files begin that only the server writes. Certificates, say, may be another user's. */
const ownNames = ['vidette.sqlite', 'secret.key', 'archive', 'exports', 'reserve'];

/**
 * Whether the user of the server can use what is in the data folder: a command that was run as root leaves files that only
 * root may open. No finding if the folder can't be read, which the check of its disk tells.
 */
export async function checkOwners(folder: string): Promise<readonly Finding[]> {
  const check = 'data: files';
  const files = await filesOf(folder);
  const owner = (await factsOf(folder))?.uid;
  if (files === undefined || owner === undefined) return [];
  const cure = `Stop the server, and give all files to its user: chown -R USER ${folder}.`;
  const closed = files.filter(({ isUsable }) => !isUsable);
  const [first] = closed;
  if (first) return [bad(check, `This user may not read and write ${first.path}${others(closed)}.`, cure)];
  const foreign = files.filter(({ uid }) => uid !== owner);
  const [other] = foreign;
  if (other)
    return [
      warning(
        check,
        `${other.path}${others(foreign)} ${foreign.length > 1 ? 'belong' : 'belongs'} to another user than the folder.`,
        cure,
      ),
    ];
  return [good(check, 'The files of the server belong to one user.')];
}

/** The one that was written last; undefined: there is none yet, or the folder can't be read. */
export async function newestFile(folder: string): Promise<DatedFile | undefined> {
  return (await filesOf(folder))?.toSorted((a, b) => b.writtenMs - a.writtenMs).at(0);
}

function others({ length }: readonly unknown[]): string {
  return length > 1 ? ` and ${length - 1} more` : '';
}

/** Undefined if the folder can't be read. */
async function filesOf(folder: string): Promise<readonly FileFacts[] | undefined> {
  try {
    const names = (await readdir(folder)).filter((name) => ownNames.some((own) => name.startsWith(own)));
    const found = await Promise.all(names.map((name) => factsOf(join(folder, name))));
    return found.filter((facts) => facts !== undefined);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
}

/** Undefined if it is gone, or can't be looked at. */
async function factsOf(path: string): Promise<FileFacts | undefined> {
  try {
    const { uid, mtimeMs } = await stat(path);
    return { path, uid, writtenMs: mtimeMs, isUsable: await isUsable(path) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    return undefined;
  }
}

/** Whether this user may read and write a file. */
export async function isUsable(path: string): Promise<boolean> {
  try {
    await access(path, constants.R_OK | constants.W_OK);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    // A disk that is mounted read-only is another finding.
    return code !== 'EACCES' && code !== 'EPERM';
  }
}
