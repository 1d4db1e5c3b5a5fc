import { join, resolve } from 'node:path';
import packageFile from '../../../package.json' with { type: 'json' };
import { systemClock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { dataDirOf, loadConfig } from '../config/load.ts';
import { answerInJson, type Tell } from './answer.ts';
import { commandTroubleOf } from './command-trouble.ts';
import { completion, shells, type Shell } from './completion.ts';
import { products } from './move-in/products.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Print = (line: string) => void;

interface CliCommand {
  /** The arguments, as the usage text shows them. */
  readonly takes: string;
  readonly does: string;
  /** What a shell completes after the name, besides files. */
  readonly words?: readonly string[];
  /** Number of arguments; undefined: the command parses them itself. */
  readonly count: number | undefined;
  /** It has an answer for programs of its own, or prints something that is one already. */
  readonly answersItself?: boolean;
  /** Resolves to the exit code, or to `misused` if the arguments are not valid. */
  run(args: readonly string[], env: Environment, print: Print, tell?: Tell): Promise<number | typeof misused>;
}

/** The arguments are not valid: the operator sees how the command is used. */
const misused = Symbol('misused');

/** The options of `check` that concern the bucket. */
const objectLooks: Readonly<Record<string, 'listed' | 'read'>> = {
  '--objects': 'listed',
  '--read-objects': 'read',
};

/** All commands besides the server itself; a command's code is loaded when it runs. */
const commands: Readonly<Record<string, CliCommand>> = {
  status: {
    answersItself: true,
    takes: '[--json]',
    does: 'say whether the server runs; exit code 0: it does, 1: it is starting, hangs or can’t be asked, 3: it does not',
    words: ['--json'],
    count: undefined,
    async run(args, env, out) {
      const isJson = isJsonAsked(args);
      if (isJson === undefined) return misused;
      const { status } = await import('./status.ts');
      return status(dataDirOf(env), systemClock, isJson, out);
    },
  },
  check: {
    takes: '[--objects|--read-objects]',
    does: 'verify the archive’s invariants, on request in the S3 storage too; changes nothing',
    words: Object.keys(objectLooks),
    count: undefined,
    async run(args, env, out, tell) {
      const objects = args.length === 0 ? undefined : objectLooks[args.join(' ')];
      if (args.length > 0 && objects === undefined) return misused;
      const { check } = await import('./check.ts');
      return check({ ...(await archivePlaces(env)), objects, out, tell });
    },
  },
  'rebuild-index': archiveCommand(
    'rebuild the archive’s catalog from its files and objects',
    async () => (await import('./rebuild-index.ts')).rebuildIndex,
  ),
  'use-disk': archiveCommand(
    'record on the empty disk in the archive folder from now on; the server must be stopped',
    async () => (await import('./use-disk.ts')).useDisk,
  ),
  restart: {
    takes: '',
    does: 'replace the processes of the running server by new ones; recording goes on',
    count: 0,
    async run(_, env, out) {
      const { restart } = await import('./replace.ts');
      return restart({ dataDir: dataDirOf(env), out });
    },
  },
  upgrade: {
    takes: '[FOLDER]',
    does: 'replace the running server by the version in a folder, this one by default; recording goes on',
    count: undefined,
    async run([folder, ...others], env, out) {
      if (others.length > 0) return misused;
      const { upgrade } = await import('./replace.ts');
      const { ownFolder } = await import('../processes/server-program.ts');
      return upgrade({
        dataDir: dataDirOf(env),
        folder: folder === undefined ? ownFolder : resolve(folder),
        out,
      });
    },
  },
  about: {
    answersItself: true,
    takes: '[--json]',
    does: 'print the versions of the program and of its data',
    words: ['--json'],
    count: undefined,
    async run([option, ...others], _, out) {
      if ((option !== undefined && option !== '--json') || others.length > 0) return misused;
      const { about } = await import('./about.ts');
      return about(option === '--json', out);
    },
  },
  backup: {
    takes: 'FILE',
    does: 'save configuration and database to one file, even while the server runs',
    count: 1,
    async run([file = ''], env, out) {
      const { backUp } = await import('./backup.ts');
      const { version } = packageFile;
      const { database } = await loadConfig(env);
      if (database !== null) {
        out(
          'The database is on a PostgreSQL server: back it up there (pg_dump), and keep secret.key and vidette.yaml of the data folder with it.',
        );
        return 1;
      }
      return backUp({ dataDir: dataDirOf(env), file: resolve(file), out, clock: systemClock, version });
    },
  },
  restore: {
    takes: 'FILE',
    does: 'restore a backup; the server must be stopped',
    count: 1,
    async run([file = ''], env, out) {
      const { restore } = await import('./backup.ts');
      return restore({ dataDir: dataDirOf(env), file: resolve(file), out });
    },
  },
  invite: {
    takes: '',
    does: 'print the command with which another server joins this one’s cluster',
    count: 0,
    async run(_, env, out, tell) {
      const { invite } = await import('./invite.ts');
      return invite(await loadConfig(env), out, tell);
    },
  },
  join: {
    takes: 'ADDRESS CODE NAME',
    does: 'make this data folder that of a new node, with a code from `invite`',
    count: 3,
    async run([address = '', code = '', node = ''], env, out) {
      const { join: joinCluster } = await import('./join.ts');
      return joinCluster({ dataDir: dataDirOf(env), address, code, node, out });
    },
  },
  leave: {
    takes: '',
    does: 'remove this drained and stopped node from its cluster',
    count: 0,
    async run(_, env, out) {
      const { leave } = await import('./leave.ts');
      return leave(await loadConfig(env), out);
    },
  },
  'allow-setup': {
    takes: '',
    does: 'allow a server that lost its database to be set up with its existing footage',
    count: 0,
    async run(_, env, out) {
      const { allowSetup } = await import('./allow-setup.ts');
      return allowSetup(dataDirOf(env), out);
    },
  },
  'reset-password': {
    takes: 'LOGIN',
    does: 'give a user a temporary password and print it',
    count: 1,
    async run([login = ''], env, out, tell) {
      const { resetPassword } = await import('./reset-password.ts');
      const { databasePlace } = await import('../store/open-database.ts');
      return resetPassword({ database: databasePlace(await loadConfig(env)), login, out, tell });
    },
  },
  verify: {
    takes: 'PACKAGE [FINGERPRINT]',
    does: 'check an exported package, a ZIP or its unpacked folder, without a server',
    count: undefined,
    async run([path, fingerprint, ...others], _, out, tell) {
      if (path === undefined || others.length > 0) return misused;
      const { verify } = await import('./verify.ts');
      return verify(resolve(path), fingerprint, out, tell);
    },
  },
  doctor: {
    answersItself: true,
    takes: '[--json]',
    does: 'check disks, database, clock, port, cameras and FFmpeg; exit code 1 if there is a problem',
    words: ['--json'],
    count: undefined,
    async run(args, env, out) {
      const isJson = isJsonAsked(args);
      if (isJson === undefined) return misused;
      const { doctor } = await import('./doctor/doctor.ts');
      return doctor({ env, clock: systemClock, isJson, out });
    },
  },
  import: {
    takes: 'PRODUCT CONFIG|FOLDER [ADDRESS] [--recordings FOLDER|--no-recordings]',
    does: `show the streams and recordings of ${products.join(', ')}, and add them to the server at an address`,
    words: [...products, '--recordings', '--no-recordings'],
    count: undefined,
    async run(args, env, out, tell) {
      const asked = importAsked(args);
      if (!asked) return misused;
      const { moveIn } = await import('./move-in/move-in.ts');
      return moveIn({ ...asked, dataDir: dataDirOf(env), clock: systemClock, env, out, tell });
    },
  },
  completion: {
    answersItself: true,
    takes: '[bash|zsh|fish]',
    does: 'print the script with which a shell completes the command line',
    words: shells,
    count: 1,
    run([name], _, out) {
      const shell = shells.find((one) => one === name);
      if (shell === undefined) return Promise.resolve(misused);
      out(completionScript(shell));
      return Promise.resolve(0);
    },
  },
  'new-license-key': {
    answersItself: true,
    takes: 'FILE',
    does: 'create a key that signs licenses; prints the value for license.vendorKey',
    count: 1,
    async run([file = ''], _, out) {
      const { newLicenseKey } = await import('./license.ts');
      return newLicenseKey(resolve(file), out);
    },
  },
  'issue-license': {
    answersItself: true,
    takes: 'KEYFILE [--owner NAME] [--type TYPE] [--days N] [--streams N] [--features A,B]',
    does: 'print a license signed with a key',
    words: ['--owner', '--type', '--days', '--streams', '--features'],
    count: undefined,
    async run(args, _, out) {
      const { issueLicense } = await import('./license.ts');
      return issueLicense(args, systemClock, out);
    },
  },
};

/** The arguments of `import`; undefined if they are not valid. */
function importAsked(args: readonly string[]) {
  const option = args.findIndex((word) => word.startsWith('--'));
  const [name, path, to, ...others] = option < 0 ? args : args.slice(0, option);
  const [flag, folder, ...more] = option < 0 ? [] : args.slice(option);
  const product = products.find((one) => one === name);
  if (product === undefined || path === undefined || others.length > 0 || more.length > 0) return undefined;
  const plain = { product, path: resolve(path), to };
  if (flag === undefined) return { ...plain, recordings: undefined };
  if (flag === '--no-recordings' && folder === undefined) return { ...plain, recordings: null };
  if (flag === '--recordings' && folder !== undefined) return { ...plain, recordings: resolve(folder) };
  return undefined;
}

/** Whether the only argument is `--json`; undefined if there are others. */
function isJsonAsked(args: readonly string[]): boolean | undefined {
  if (args.length === 0) return false;
  return args.join(' ') === '--json' ? true : undefined;
}

/** The script with which a shell completes the command line. */
export function completionScript(shell: Shell): string {
  const described = Object.entries({ ...served, ...commands }).map(
    ([name, { takes, does, words = [], answersItself = false }]) => ({
      ...{ name, does },
      words: answersItself ? words : [...words, '--json'],
      takesFiles: /FILE|FOLDER|PACKAGE/.test(takes),
    }),
  );
  return completion(shell, described);
}

/** The command that `main.ts` runs itself. */
const served: Readonly<Record<string, Pick<CliCommand, 'takes' | 'does' | 'words' | 'answersItself'>>> = {
  start: { answersItself: true, takes: '', does: 'run the server, as without a command' },
};

/** A command as people are told of it. */
export interface DescribedCommand {
  readonly name: string;
  readonly takes: string;
  readonly does: string;
  /** Answers programs with one object, the lines for people among it. */
  readonly takesJson: boolean;
}

/** All commands, in the order in which they are listed. */
export function describedCommands(): readonly DescribedCommand[] {
  return Object.entries({ ...served, ...commands }).map(([name, { takes, does, answersItself }]) => ({
    ...{ name, takes, does },
    takesJson: answersItself !== true,
  }));
}

const column = 24;

/** What a command takes and does. One that takes much has a line of its own for that. */
function described(name: string, takes: string, does: string): string {
  const head = `${name} ${takes}`.trim();
  const gap = head.length > column ? `\n${' '.repeat(column + 3)}` : `${' '.repeat(column - head.length)} `;
  return `  ${head}${gap}${does}`;
}

/** The commands, one after the other. */
export function usage(): string {
  const all = describedCommands();
  const json = all.filter(({ takesJson }) => takesJson).map(({ name }) => name);
  return [
    'vidette [COMMAND]',
    described('(none)', '', 'run the server'),
    ...all.map(({ name, takes, does }) => described(name, takes, does)),
    `With --json, these print one object with exitCode, messages and what they found: ${json.join(', ')}`,
  ].join('\n');
}

/** How one command is used; undefined if there is none of this name. */
function usageOf(wanted: string): string | undefined {
  const command = describedCommands().find(({ name }) => name === wanted);
  if (!command) return undefined;
  const { name, takes, does, takesJson } = command;
  return [`vidette ${name} ${takes}`.trim() + (takesJson ? ' [--json]' : ''), `  ${does}`].join('\n');
}

/** Prints help on one command, or on all, and resolves to the exit code. */
function help(name: string | undefined, print: Print): number {
  const text = name === undefined ? usage() : usageOf(name);
  print(text ?? unknown(name ?? ''));
  return text === undefined ? 2 : 0;
}

function unknown(name: string): string {
  return `There is no command ${JSON.stringify(name)}. All commands: vidette help`;
}

/** Runs one command and resolves to its exit code: 2 for an invalid command line. */
export async function runCommand(
  name: string,
  args: readonly string[],
  env: Environment,
  print: Print,
): Promise<number> {
  if (['help', '--help', '-h'].includes(name)) return help(args[0], print);
  if (args.includes('--help')) return help(name, print);
  if (name === '--version') return runCommand('about', args, env, print);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (!command) {
    print(usageOf(name) ?? unknown(name));
    return 2;
  }
  const isJson = command.answersItself !== true && args.includes('--json');
  const rest = isJson ? args.filter((word) => word !== '--json') : args;
  const perform = async (out: Print, tell?: Tell) => {
    const isCounted = command.count === undefined || rest.length === command.count;
    const code = isCounted ? await command.run(rest, env, out, tell) : misused;
    if (code !== misused) return code;
    out(usageOf(name) ?? usage());
    return 2;
  };
  if (isJson) return answerInJson(perform, print);
  try {
    return await perform(print);
  } catch (error) {
    const trouble = commandTroubleOf(error);
    if (trouble === undefined) throw error;
    throw new Fault('Unavailable', trouble, { cause: error });
  }
}

/** Where the catalog and the segments are stored. */
type ArchiveCommandOptions = Awaited<ReturnType<typeof archivePlaces>> & {
  readonly out: Print;
  readonly tell: Tell | undefined;
};

/** A command without arguments that works on the configured archive. */
function archiveCommand(
  does: string,
  load: () => Promise<(options: ArchiveCommandOptions) => Promise<number>>,
): CliCommand {
  return {
    takes: '',
    does,
    count: 0,
    run: async (_, env, out, tell) => (await load())({ ...(await archivePlaces(env)), out, tell }),
  };
}

async function archivePlaces(env: Environment) {
  const config = await loadConfig(env);
  const { dataDir, archive } = config;
  const { objectStorageOptionsOf } = await import('../s3/s3-options.ts');
  return {
    ...objectStorageOptionsOf(config, systemClock),
    dataDir,
    archiveDir: archive.folder === null ? join(dataDir, 'archive') : resolve(dataDir, archive.folder),
  };
}
