import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../base/durable.ts';
import { Fault } from '../base/fault.ts';
import { environmentKeys } from './environment.ts';
import { isLive } from './live-keys.ts';
import { ConfigError, configFileName, parseConfig } from './load.ts';
import { ConfigFile, secretKeys, type Config } from './schema.ts';

/** Stands for a secret that is set; when it is sent back, the secret stays unchanged. */
export const maskedSecret = '***';

type Tree = Readonly<Record<string, unknown>>;
type FileConfig = Omit<Config, 'dataDir'>;

export interface ConfigView {
  /** Every key with its value from the file and the environment; secrets are masked. */
  readonly values: Record<string, unknown>;
  /** JSON schema of the values. */
  readonly schema: Record<string, unknown>;
  /** Keys, such as `archive.folder`, that take effect at the next start. */
  readonly restartKeys: string[];
  /** Keys that the environment sets; the file can't change them. */
  readonly environmentKeys: string[];
  /** Whether saved values take effect only after a restart. */
  readonly pendingRestart: boolean;
}

/**
 * The configuration while the server runs. `config` is the configuration in force: one object for the
 * lifetime of the server, whose live keys change in place when they are saved, so that code that reads them
 * at each use needs no notification.
 */
export class ConfigStore {
  readonly config: Config;
  readonly #env: Readonly<Record<string, string | undefined>>;
  readonly #file: string;
  readonly #listeners: (() => void)[] = [];
  /** Saves are serialised: each starts from the file that the previous one wrote. */
  #saving: Promise<unknown> = Promise.resolve();

  constructor(config: Config, env: Readonly<Record<string, string | undefined>>) {
    this.config = config;
    this.#env = env;
    this.#file = join(config.dataDir, configFileName);
  }

  /** Calls back when live keys have changed. */
  onApplied(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** @throws Fault ValidationError when the file was broken by a manual edit */
  async view(): Promise<ConfigView> {
    const saved = await this.#parse(await this.#read());
    return {
      values: masked(saved),
      schema: z.toJSONSchema(ConfigFile, { io: 'input' }),
      restartKeys: leaves.map(({ key }) => key).filter((key) => !isLive(key)),
      environmentKeys: this.#environmentKeys(),
      pendingRestart: this.#isRestartDue(saved),
    };
  }

  /**
   * Writes changed keys to `vidette.yaml`, keeping its comments, and applies those that can be applied
   * immediately. `values` holds the keys to change; the rest stays. The file is replaced atomically.
   * @returns the keys that changed, and whether a restart is needed
   * @throws Fault ValidationError naming each key under `values`
   */
  save(values: Tree): Promise<{ changedKeys: string[]; pendingRestart: boolean }> {
    const turn = this.#saving.then(() => this.#save(values));
    this.#saving = turn.catch(() => {});
    return turn;
  }

  /**
   * Applies manual changes to the file, as far as they can be applied while the server runs.
   * @throws Fault ValidationError for an invalid file; the configuration in force is kept
   */
  reload(): Promise<void> {
    // Serialised: what was read before a save must not be applied after it.
    const turn = this.#saving.then(async () => this.#apply(await this.#parse(await this.#read())));
    this.#saving = turn.catch(() => {});
    return turn;
  }

  async #save(values: Tree): Promise<{ changedKeys: string[]; pendingRestart: boolean }> {
    const text = await this.#read();
    const before = await this.#parse(text);
    const { parseDocument } = await import('yaml');
    const document = parseDocument(text);
    const fixed = new Set(this.#environmentKeys());
    const changedKeys: string[] = [];
    for (const { path, value } of typedLeaves(values)) {
      const key = path.join('.');
      if (value === maskedSecret && secretKeys.includes(key)) continue;
      if (isSame(value, at(before, path))) continue;
      if (fixed.has(key)) throw invalid([key], 'environment', 'The environment sets this key.');
      document.setIn(path, value);
      changedKeys.push(key);
    }
    if (changedKeys.length === 0) return { changedKeys, pendingRestart: this.#isRestartDue(before) };
    const next = String(document);
    const after = await this.#parse(next);
    await replaceFile(this.#file, next, 0o600);
    this.#apply(after);
    return { changedKeys, pendingRestart: this.#isRestartDue(after) };
  }

  #apply(next: FileConfig): void {
    for (const { path, key } of leaves) {
      if (!isLive(key)) continue;
      const place = at(this.config, path.slice(0, -1)) as Record<string, unknown>;
      place[path.at(-1) ?? ''] = at(next, path);
    }
    for (const listener of this.#listeners) listener();
  }

  #isRestartDue(saved: FileConfig): boolean {
    return leaves.some(({ path }) => !isSame(at(saved, path), at(this.config, path)));
  }

  #environmentKeys(): string[] {
    return environmentKeys
      .filter(({ variable }) => (this.#env[variable] ?? '') !== '')
      .map(({ path }) => path.join('.'));
  }

  async #parse(text: string): Promise<FileConfig> {
    try {
      return await parseConfig(text, this.#env, configFileName);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new Fault('ValidationError', error.message, {
        cause: error,
        details: {
          fields: error.complaints.map(({ path, message }) => ({
            path: path === '' ? 'values' : `values.${path}`,
            code: 'invalid',
            error: message,
          })),
        },
      });
    }
  }

  async #read(): Promise<string> {
    try {
      return await readFile(this.#file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
      throw error;
    }
  }
}

const leaves = environmentKeys.map(({ path }) => ({ path, key: path.join('.') }));
const leafKeys = new Set(leaves.map(({ key }) => key));
/** No key is deeper; deeper members are not followed, whatever the nesting. */
const depthMax = Math.max(...leaves.map(({ path }) => path.length));

/**
 * The submitted values, key by key; a list is one value. @throws Fault ValidationError for an unknown key or a
 * value that is not plain
 */
function typedLeaves(values: Tree): { path: string[]; value: unknown }[] {
  const typed = leavesOf(values, []);
  const unknown = typed.filter(({ path }) => !leafKeys.has(path.join('.')));
  if (unknown.length > 0) {
    throw invalid(
      unknown.slice(0, 50).map(({ path }) => path.join('.')),
      'unrecognized_keys',
      'There is no such key.',
    );
  }
  const keys = typed.map(({ path }) => path.join('.'));
  const twice = keys.filter((key, index) => keys.indexOf(key) !== index);
  if (twice.length > 0) throw invalid(twice.slice(0, 50), 'custom', 'This key is given twice.');
  const nested = typed.filter(({ value }) => !(Array.isArray(value) ? value.every(isFlat) : isScalar(value)));
  if (nested.length > 0) {
    throw invalid(
      nested.map(({ path }) => path.join('.')),
      'invalid_type',
      'A plain value is expected.',
    );
  }
  return typed;
}

function leavesOf(tree: Tree, path: readonly string[]): { path: string[]; value: unknown }[] {
  return Object.entries(tree).flatMap(([name, value]) => {
    // Joined by dots, as in `archive.folder`, which is how keys are listed.
    const here = [...path, ...name.split('.')];
    const isBranch = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isBranch && here.length < depthMax ? leavesOf(value as Tree, here) : [{ path: here, value }];
  });
}

function isScalar(value: unknown): boolean {
  return typeof value !== 'object' || value === null;
}

/** A plain value, or members with plain values: what a list may hold. */
function isFlat(value: unknown): boolean {
  return isScalar(value) || (!Array.isArray(value) && Object.values(value as object).every(isScalar));
}

function at(tree: object, path: readonly string[]): unknown {
  return path.reduce<unknown>((place, name) => (place as Tree | undefined)?.[name], tree);
}

/** Both come from JSON or YAML: equal text means equal values. */
function isSame(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function masked(config: FileConfig): Record<string, unknown> {
  const copy = structuredClone(config) as Record<string, unknown>;
  for (const key of secretKeys) {
    const path = key.split('.');
    const place = at(copy, path.slice(0, -1)) as Record<string, unknown>;
    const name = path.at(-1) ?? '';
    if (place[name] !== null) place[name] = maskedSecret;
  }
  return copy;
}

function invalid(keys: readonly string[], code: string, error: string): Fault {
  const fields = keys.map((key) => ({ path: `values.${key}`, code, error }));
  return new Fault('ValidationError', error, { details: { fields } });
}
