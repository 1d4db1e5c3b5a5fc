import type { I18n, MessageKey } from '../../../i18n/i18n.ts';

// The configuration as a form: splits the schema into fields, and reassembles the input.

/** The part of JSON Schema 2020-12 that describes a configuration. */
export interface ConfigSchema {
  readonly type?: string;
  readonly properties?: Readonly<Record<string, ConfigSchema>>;
  readonly anyOf?: readonly ConfigSchema[];
  readonly items?: ConfigSchema;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** The input type of a value. */
type FieldKind = 'text' | 'number' | 'switch' | 'choice' | 'list';

/** One key of the configuration. */
export interface ConfigField {
  /** For example `archive.folder`. */
  readonly key: string;
  readonly kind: FieldKind;
  /** May be left empty, which means no value. */
  readonly isNullable: boolean;
  readonly choices: readonly string[];
  readonly minimum: number | undefined;
  readonly maximum: number | undefined;
  readonly defaultText: string;
}

/**
 * The contents of the fields: a string each, `true` or `false` for a switch, comma-separated entries for a
 * list.
 */
export type ConfigTexts = Readonly<Record<string, string>>;

/** Placeholder for a stored secret; sent back, it leaves the secret unchanged. */
export const maskedSecret = '***';

/** The message that describes a key. */
export function aboutKey(key: string): MessageKey {
  return `config.about.${key.replaceAll('.', '-')}` as MessageKey;
}

/** A key's name for people; empty for a key that this page has no name for. */
export function nameOf(key: string, i18n: I18n): string {
  const message = `config.name.${key.replaceAll('.', '-')}`;
  const name = i18n.t(message as MessageKey);
  return name === message ? '' : name;
}

/** The heading of a section, by the first segment of its keys. */
export function groupName(section: string, i18n: I18n): string {
  if (section === '') return i18n.t('config.server');
  const message = `config.group.${section}`;
  const name = i18n.t(message as MessageKey);
  return name === message ? section : name;
}

/** Whether the value of a key must never be shown on a screen. */
export function isSecretKey(key: string): boolean {
  return /password|token/i.test(key);
}

/** The keys of a schema, in its order. */
export function fieldsOf(schema: ConfigSchema, path: readonly string[] = []): readonly ConfigField[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => {
    const here = [...path, name];
    // A list of objects has a screen of its own.
    if (member.items?.properties) return [];
    return member.properties ? fieldsOf(member, here) : [fieldOf(here.join('.'), member)];
  });
}

function fieldOf(key: string, schema: ConfigSchema): ConfigField {
  const variants = schema.anyOf ?? [schema];
  const own = variants.find(({ type }) => type !== 'null') ?? schema;
  const isNullable = variants.some(({ type }) => type === 'null');
  // Zod limits every integer to the safe range of a double; that limit is of no use to a reader.
  const isTelling = (bound = Infinity) => Math.abs(bound) < Number.MAX_SAFE_INTEGER;
  return {
    key,
    kind: kindOf(own),
    isNullable,
    choices: own.enum?.map(String) ?? [],
    minimum: isTelling(own.minimum) ? own.minimum : undefined,
    maximum: isTelling(own.maximum) ? own.maximum : undefined,
    defaultText: textOf(schema.default),
  };
}

function kindOf({ type, enum: choices }: ConfigSchema): FieldKind {
  if (choices) return 'choice';
  if (type === 'boolean') return 'switch';
  if (type === 'array') return 'list';
  return type === 'integer' || type === 'number' ? 'number' : 'text';
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The initial contents of the fields. */
export function textsOf(
  fields: readonly ConfigField[],
  values: Readonly<Record<string, unknown>>,
): ConfigTexts {
  return Object.fromEntries(fields.map(({ key }) => [key, textOf(at(values, key))]));
}

function at(values: unknown, key: string): unknown {
  return key.split('.').reduce<unknown>((place, name) => {
    return typeof place === 'object' && place !== null ? Reflect.get(place, name) : undefined;
  }, values);
}

/** The changed keys in the form that the save call takes: `{ archive: { folder: '/video' } }`. */
export function changesOf(
  fields: readonly ConfigField[],
  texts: ConfigTexts,
  before: ConfigTexts,
): Record<string, unknown> {
  const changes: Record<string, unknown> = {};
  for (const field of fields) {
    const text = texts[field.key] ?? '';
    if (text !== before[field.key]) put(changes, field.key.split('.'), valueOf(field, text));
  }
  return changes;
}

function put(tree: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    tree[name] = value;
    return;
  }
  const branch = (tree[name] ??= {}) as Record<string, unknown>;
  put(branch, rest, value);
}

/** Input that is not a number is sent as typed, so that the server names the error. */
function valueOf({ kind, isNullable }: ConfigField, typed: string): unknown {
  const text = typed.trim();
  if (text === '' && isNullable) return null;
  if (kind === 'switch') return text === 'true';
  if (kind === 'number') return text === '' || Number.isNaN(Number(text)) ? text : Number(text);
  if (kind === 'list')
    return text
      .split(',')
      .map((one) => one.trim())
      .filter(Boolean);
  return text;
}

/**
 * The fields grouped by the first segment of their keys; keys of one segment come first, under an empty name.
 */
export function sectionsOf(
  fields: readonly ConfigField[],
): readonly (readonly [string, readonly ConfigField[]])[] {
  const sections = Map.groupBy(fields, ({ key }) => (key.includes('.') ? (key.split('.')[0] ?? '') : ''));
  return [...sections].sort(([a], [b]) => Number(a !== '') - Number(b !== ''));
}
