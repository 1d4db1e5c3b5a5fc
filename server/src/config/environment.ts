import type { z } from 'zod';
import { ConfigFile } from './schema.ts';

/** One key of the configuration that the environment may set. */
export interface EnvironmentKey {
  /** As in `VIDETTE_SMTP_HOST`. */
  readonly variable: string;
  /** As in `['smtp', 'host']`. */
  readonly path: readonly string[];
  readonly kind: 'string' | 'number' | 'boolean' | 'list' | 'list-or-boolean' | 'json';
}

/** Every leaf of the schema as an environment variable. */
export const environmentKeys: readonly EnvironmentKey[] = keysOf(ConfigFile, []);

function keysOf(schema: z.ZodType, path: readonly string[]): EnvironmentKey[] {
  const inner = unwrap(schema);
  if (inner.def.type === 'object') {
    const shape = (inner as z.ZodObject).shape;
    return Object.entries(shape).flatMap(([key, member]) => keysOf(member as z.ZodType, [...path, key]));
  }
  const kinds: Partial<Record<string, EnvironmentKey['kind']>> = {
    number: 'number',
    boolean: 'boolean',
    // A number or a word: text that is no number stays text.
    union: optionsOf(inner).includes('number') ? 'number' : 'list-or-boolean',
    array: isListOfObjects(inner) ? 'json' : 'list',
  };
  const name = path.map((key) => key.replace(/[A-Z]/g, '_$&').toUpperCase()).join('_');
  return [{ variable: `VIDETTE_${name}`, path, kind: kinds[inner.def.type] ?? 'string' }];
}

/** The types of the options of a union. */
function optionsOf(schema: z.ZodType): string[] {
  if (schema.def.type !== 'union') return [];
  return (schema as z.ZodUnion<readonly z.ZodType[]>).options.map(({ def }) => def.type);
}

/**
 * The items of such a list have members of their own: the variable contains JSON instead of a comma-separated
 * list.
 */
function isListOfObjects(schema: z.ZodType): boolean {
  return (
    schema.def.type === 'array' && unwrap((schema as z.ZodArray<z.ZodType>).element).def.type === 'object'
  );
}

function unwrap(schema: z.ZodType): z.ZodType {
  const def = schema.def as { innerType?: z.ZodType };
  return def.innerType ? unwrap(def.innerType) : schema;
}

/**
 * Overlays the environment on the file's values. An empty variable counts as unset, as compose files and
 * service units write it. Values are not checked here; the schema validates them.
 */
export function withEnvironment(
  file: Readonly<Record<string, unknown>>,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, unknown> {
  const merged = structuredClone(file) as Record<string, unknown>;
  for (const { variable, path, kind } of environmentKeys) {
    const text = env[variable];
    if (text === undefined || text === '') continue;
    let place = merged;
    for (const key of path.slice(0, -1)) {
      const next = place[key];
      place = (place[key] = isRecord(next) ? next : {}) as Record<string, unknown>;
    }
    place[path.at(-1) as string] = parse(text, kind);
  }
  return merged;
}

function parse(text: string, kind: EnvironmentKey['kind']): unknown {
  if (kind === 'number') return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
  if (kind === 'boolean') return booleanOf(text) ?? text;
  if (kind === 'list-or-boolean') return booleanOf(text) ?? parse(text, 'list');
  if (kind === 'list') return text.split(',').map((item) => item.trim());
  if (kind === 'json') return parseJson(text);
  return text;
}

function booleanOf(text: string): boolean | undefined {
  if (text === 'true' || text === '1') return true;
  return text === 'false' || text === '0' ? false : undefined;
}

/** Text that is not JSON remains text, which the schema rejects. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
