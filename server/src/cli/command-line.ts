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
  /** Resolves to the exit code. */
  run(args: readonly string[], env: Environment, print: Print, tell?: Tell): Promise<number>;
}

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
      if (isJson === undefined) return misused(out);
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
      if (args.length > 0 && objects === undefined) {
        out(usage());
        return 2;
      }
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
      if (others.length > 0) {
        out(usage());
        return 2;
      }
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
      if ((option !== undefined && option !== '--json') || others.length > 0) {
        out(usage());
        return 2;
      }
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
      if (path === undefined || others.length > 0) {
        out(usage());
        return 2;
      }
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
      if (isJson === undefined) return misused(out);
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
      if (!asked) return misused(out);
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
      if (shell === undefined) return Promise.resolve(misused(out));
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

/** The exit code for an invalid command line, after the usage. */
function misused(out: Print): number {
  out(usage());
  return 2;
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

/** The commands, one per line. */
export function usage(): string {
  const lines = Object.entries({ ...served, ...commands }).map(
    ([name, { takes, does }]) => `  ${`${name} ${takes}`.trim().padEnd(24)} ${does}`,
  );
  return ['vidette [COMMAND]', `  ${'(none)'.padEnd(24)} run the server`, ...lines, jsonUsage()].join('\n');
}

/** Which commands answer programs. */
function jsonUsage(): string {
  const names = Object.entries(commands).flatMap(([name, { answersItself }]) =>
    answersItself === true ? [] : [name],
  );
  return `With --json, these print one object with exitCode, messages and what they found: ${names.join(', ')}`;
}

/** Runs one command and resolves to its exit code: 2 for an invalid command line. */
export async function runCommand(
  name: string,
  args: readonly string[],
  env: Environment,
  print: Print,
): Promise<number> {
  if (['help', '--help', '-h'].includes(name) || args.includes('--help')) {
    print(usage());
    return 0;
  }
  if (name === '--version') return runCommand('about', args, env, print);
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  const isJson = command?.answersItself !== true && args.includes('--json');
  const rest = isJson ? args.filter((word) => word !== '--json') : args;
  if (!command || (command.count !== undefined && rest.length !== command.count)) {
    print(usage());
    return 2;
  }
  if (isJson) return answerInJson((out, tell) => command.run(rest, env, out, tell), print);
  try {
    return await command.run(rest, env, print);
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
