// The server's OpenAPI document as the page shows it: calls in groups, with parameters, schemas and answers.

/** The part of JSON Schema 2020-12 that the contract's schemas use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: 'object' | 'array' | 'boolean' | 'integer' | 'number' | 'null' | 'string';
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
}

/** A path or query parameter of a call. */
interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

/** One answer: its status, its description, and its body if it is JSON. */
export interface Answer {
  readonly status: string;
  readonly contentType: string | undefined;
  readonly schema: Schema | undefined;
  readonly description: string;
}

/** One call. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  readonly answers: readonly Answer[];
}

/** Calls with the same tag. */
export interface OperationGroup {
  readonly name: string;
  readonly operations: readonly Operation[];
}

interface RawContent {
  readonly [contentType: string]: { readonly schema?: Schema };
}

interface RawOperation {
  readonly operationId: string;
  readonly tags: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: RawContent };
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: RawContent }>
  >;
}

/** The calls of an OpenAPI 3.1 document (as `getOpenApi` answers it) by their first tag, in the document's order. */
export function groupsOf(document: Readonly<Record<string, unknown>>): readonly OperationGroup[] {
  const paths = document['paths'] as Readonly<Record<string, Readonly<Record<string, RawOperation>>>>;
  const groups = new Map<string, Operation[]>();
  for (const [path, methods] of Object.entries(paths)) {
    for (const [method, raw] of Object.entries(methods)) {
      const name = raw.tags[0] ?? '';
      const operations = groups.get(name) ?? [];
      operations.push(operationOf(path, method, raw));
      groups.set(name, operations);
    }
  }
  return [...groups].map(([name, operations]) => ({ name, operations }));
}

function operationOf(path: string, method: string, raw: RawOperation): Operation {
  return {
    id: raw.operationId,
    method: method.toUpperCase(),
    path,
    summary: raw.summary,
    description: raw.description,
    parameters: raw.parameters ?? [],
    body: raw.requestBody?.content['application/json']?.schema,
    answers: Object.entries(raw.responses).map(([status, { description, content = {} }]) => {
      const [contentType, body] = Object.entries(content)[0] ?? [];
      return { status, description, contentType, schema: body?.schema };
    }),
  };
}

/** The groups reduced to the calls whose name, address or summary contains every word. */
export function matching(groups: readonly OperationGroup[], search: string): readonly OperationGroup[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return groups;
  return groups.flatMap(({ name, operations }) => {
    const found = operations.filter(({ id, method, path, summary }) => {
      const text = `${id} ${method} ${path} ${summary}`.toLowerCase();
      return words.every((word) => text.includes(word));
    });
    return found.length > 0 ? [{ name, operations: found }] : [];
  });
}

/** The JSON type that a schema accepts: `integer`, `string, null`, `array of string`. */
export function kindOf(schema: Schema): string {
  if (schema.$ref) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants) return [...new Set(variants.map(kindOf))].join(', ');
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.type === 'array' && schema.items) return `array of ${kindOf(schema.items)}`;
  return schema.type ?? 'any';
}

/** The constraints of a value, as `0…100`, `≤ 200`, `a | b`; empty when there are none. */
export function limitsOf(schema: Schema): readonly string[] {
  const limits: string[] = [];
  if (schema.enum) limits.push(schema.enum.map((one) => JSON.stringify(one)).join(' | '));
  const { minimum, maximum = Infinity, minLength, maxLength, maxItems, format, pattern } = schema;
  // Zod limits every integer to the safe range of a double; that limit is of no use to a reader.
  const low = minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER ? String(minimum) : '';
  const high = maximum < Number.MAX_SAFE_INTEGER ? String(maximum) : '';
  if (low !== '' || high !== '') limits.push(`${low}…${high}`);
  if (minLength !== undefined || maxLength !== undefined) {
    limits.push(`length ${minLength ?? 0}…${maxLength ?? ''}`);
  }
  if (maxItems !== undefined) limits.push(`items …${maxItems}`);
  if (format) limits.push(format);
  else if (pattern) limits.push(`/${pattern}/`);
  if (schema.default !== undefined) limits.push(`= ${JSON.stringify(schema.default)}`);
  return limits;
}

/** The members that a schema describes: its own, of its items, or of the one variant that has any. */
export function membersOf(schema: Schema): readonly (readonly [string, Schema, boolean])[] {
  if (schema.properties) {
    const required = new Set(schema.required);
    return Object.entries(schema.properties).map(([name, member]) => [name, member, required.has(name)]);
  }
  if (schema.items) return membersOf(schema.items);
  return (schema.anyOf ?? schema.oneOf ?? []).map(membersOf).find((members) => members.length > 0) ?? [];
}

const exampleDepth = 6;

/** An example value of a schema: its default, its first choice, else the simplest of its type. */
export function exampleOf(schema: Schema, depth = 0): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  const variant = (schema.anyOf ?? schema.oneOf)?.[0];
  if (variant) return exampleOf(variant, depth);
  switch (schema.type) {
    case 'object':
      if (depth >= exampleDepth) return {};
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([name, member]) => [name, exampleOf(member, depth + 1)]),
      );
    case 'array':
      return schema.items && depth < exampleDepth ? [exampleOf(schema.items, depth + 1)] : [];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return Math.max(schema.minimum ?? 0, 0);
    case 'null':
      return null;
    case 'string':
    case undefined:
      return schema.format === 'email' ? 'person@example.org' : 'text';
  }
}
