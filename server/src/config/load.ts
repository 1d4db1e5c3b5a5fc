import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { withEnvironment } from './environment.ts';
import { ConfigFile, type Config } from './schema.ts';

/** What is wrong with one key, as in `smtp.port`; an empty path means the whole file. */
export interface ConfigProblem {
  readonly path: string;
  readonly message: string;
}

/** The configuration is invalid; the message is one line for the operator. */
export class ConfigError extends Error {
  readonly complaints: readonly ConfigProblem[];

  constructor(message: string, options: { cause?: unknown; complaints?: readonly ConfigProblem[] } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ConfigError';
    this.complaints = options.complaints ?? [{ path: '', message }];
  }
}

export const configFileName = 'vidette.yaml';

/** Absolute path of the data folder: `VIDETTE_DATA`, else `./data`. */
export function dataDirOf(env: Readonly<Record<string, string | undefined>>): string {
  return resolve(env['VIDETTE_DATA'] || 'data');
}

/**
 * The configuration in force: `vidette.yaml` in the data folder (`VIDETTE_DATA`, else `./data`), overridden
 * by the environment, with defaults for the rest. A missing file is treated as empty.
 * @throws ConfigError naming the key or the line that is wrong.
 */
export async function loadConfig(env: Readonly<Record<string, string | undefined>>): Promise<Config> {
  const dataDir = dataDirOf(env);
  const file = join(dataDir, configFileName);
  const config = await parseConfig(await readIfThere(file), env, file);
  return { ...config, dataDir };
}

/**
 * The validated configuration from the text of a file and an environment; `fileName` is for the error message.
 */
export async function parseConfig(
  text: string,
  env: Readonly<Record<string, string | undefined>>,
  fileName: string,
): Promise<Omit<Config, 'dataDir'>> {
  const result = ConfigFile.safeParse(withEnvironment(await parseYaml(text, fileName), env));
  if (result.success) {
    const { tls } = result.data;
    if ((tls.certificate === null) !== (tls.key === null)) {
      const message = 'tls needs both certificate and key.';
      throw new ConfigError(`${fileName}: ${message}`, { complaints: [{ path: 'tls', message }] });
    }
    const { bucket, accessKeyId, secretAccessKey } = result.data.s3;
    if (bucket !== null && (accessKeyId === null || secretAccessKey === null)) {
      const message = 's3 needs accessKeyId and secretAccessKey if a bucket is set.';
      throw new ConfigError(`${fileName}: ${message}`, { complaints: [{ path: 's3', message }] });
    }
    return result.data;
  }
  const complaints = result.error.issues.map((issue) => {
    const unknown = issue.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
    const path = [...issue.path, ...(unknown === undefined ? [] : [unknown])].join('.');
    return { path, message: unknown === undefined ? issue.message : 'there is no such key' };
  });
  const lines = complaints.map(({ path, message }) => `${path || 'the file'}: ${message}`);
  throw new ConfigError(`${fileName} or the environment: ${lines.join('; ')}`, { complaints });
}

async function readIfThere(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw new ConfigError(`${file} cannot be read: ${reasonOf(error as NodeJS.ErrnoException)}`, {
      cause: error,
    });
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'EACCES') return 'this user has no permission.';
  return code === 'EISDIR' ? 'it is a folder.' : message;
}

async function parseYaml(text: string, fileName: string): Promise<Record<string, unknown>> {
  // Without a file the library is not needed, in any process.
  if (text === '') return {};
  const { parse } = await import('yaml');
  let value: unknown;
  try {
    value = parse(text, { prettyErrors: true });
  } catch (error) {
    const firstLine = (error as Error).message.split('\n', 1)[0] ?? '';
    throw new ConfigError(`${fileName}: ${firstLine.replace(/:$/, '')}`, { cause: error });
  }
  if (value === null || value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new ConfigError(`${fileName}: expected keys and values, as in "port: 8080".`);
  }
  return value as Record<string, unknown>;
}
