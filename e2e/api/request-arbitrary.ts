import fc from 'fast-check';

/** A JSON Schema of the OpenAPI document, as far as requests use it. */
interface JsonSchema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** One call of the OpenAPI document. */
export interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: 'path' | 'query';
    readonly required: boolean;
    readonly schema: JsonSchema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> };
  readonly responses: Readonly<
    Record<
      string,
      {
        readonly description: string;
        readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema }>>;
      }
    >
  >;
}

/** A request as sent over the wire. */
export interface WireRequest {
  readonly method: string;
  /** The path with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** Values that exist on the server, by the name of the member or parameter that accepts them. */
export type KnownValues = Readonly<Record<string, readonly unknown[]>>;

/** Text that is known to break programs: control, direction, surrogates, SQL, paths, markup, look-alikes. */
const nastyTexts = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\u202egnp.exe',
  '\u200f',
  '\ufeff',
  '\ud800',
  'аdmin',
  "' or 1=1 --",
  '%',
  '_',
  '%00',
  '../../etc/passwd',
  '/etc/passwd',
  '<script>alert(1)</script>',
  '${7*7}',
  '__proto__',
  'constructor',
  'NaN',
  '1e309',
  '-0',
  'İ',
  'ﬀ',
  '👩‍👩‍👧',
  'x'.repeat(5_000),
];
const nastyNumbers = [
  0,
  -0,
  -1,
  1,
  0.5,
  1e9,
  1e21,
  2 ** 31,
  2 ** 53,
  -(2 ** 53),
  253_402_300_799_999,
  253_402_300_800_000,
];

const anything: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(...nastyTexts, ...nastyNumbers, null, true, [], {}),
  fc.jsonValue({ maxDepth: 2 }),
);

/**
 * Requests for one call, derived from its schemas: most are valid and name existing objects, so that they get
 * far; the others violate the schema in one place, or are no valid requests at all.
 */
export function requestArbitrary(
  method: string,
  path: string,
  operation: Operation,
  known: KnownValues,
): fc.Arbitrary<WireRequest> {
  const parameters = operation.parameters ?? [];
  const query = membersArbitrary(
    parameters
      .filter((parameter) => parameter.in === 'query')
      .map(({ name, required, schema }) => ({ name, isRequired: required, schema })),
    known,
  );
  const places = fc.tuple(
    ...parameters
      .filter((parameter) => parameter.in === 'path')
      .map(({ name, schema }) =>
        mostly(memberArbitrary(name, schema, known), anything).map((value) => [name, value] as const),
      ),
  );
  const schema = operation.requestBody?.content['application/json']?.schema;
  const body = schema ? bodyArbitrary(schema, known) : fc.constant(undefined);
  return fc.record({ query: mostly(query.map(queryText), brokenQuery), places, body }).map((parts) => {
    const values = Object.fromEntries(parts.places);
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encode(values[name]));
    return {
      method: method.toUpperCase(),
      path: parts.query === '' ? filled : `${filled}?${parts.query}`,
      headers: parts.body === undefined ? {} : { 'content-type': parts.body.type },
      body: parts.body?.text,
    };
  });
}

const brokenQuery = fc.constantFrom(
  '%',
  '=',
  '&&',
  'a[b]=c',
  '__proto__=x',
  'page=1&page=2',
  '?',
  'x'.repeat(9_000),
);

function bodyArbitrary(schema: JsonSchema, known: KnownValues): fc.Arbitrary<{ type: string; text: string }> {
  const json = { type: 'application/json' };
  const whole = schemaArbitrary(schema, known).map((value) => ({
    ...json,
    text: JSON.stringify(value) ?? '',
  }));
  const broken = fc.oneof(
    anything.map((value) => ({ ...json, text: JSON.stringify(value) })),
    fc.tuple(whole, fc.nat(200)).map(([{ text }, cut]) => ({ ...json, text: text.slice(0, -1 - cut) })),
    whole.map(({ text }) => ({ type: 'text/plain', text })),
    whole.map(({ text }) => ({ ...json, text: text.replace('{', '{"unknown member":1,') })),
    whole.map(({ text }) => ({ ...json, text: text.replace('{', '{"__proto__":{"isAdmin":true},') })),
    fc.constant({ ...json, text: '['.repeat(20_000) }),
  );
  return mostly(whole, broken);
}

interface Member {
  readonly name: string;
  readonly isRequired: boolean;
  readonly schema: JsonSchema;
}

/** An object with all required members and some of the others; occasionally one of them violates its schema. */
function membersArbitrary(
  members: readonly Member[],
  known: KnownValues,
): fc.Arbitrary<Record<string, unknown>> {
  return fc
    .tuple(
      ...members.map(({ name, isRequired, schema }) => {
        const value = mostly(memberArbitrary(name, schema, known), anything, 30);
        return isRequired
          ? mostly<unknown>(value, fc.constant(undefined), 60)
          : fc.option(value, { nil: undefined });
      }),
    )
    .map((values) => {
      const entries = values.map((value, index) => [members[index]?.name ?? '', value] as const);
      return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
    });
}

function memberArbitrary(name: string, schema: JsonSchema, known: KnownValues): fc.Arbitrary<unknown> {
  const values = known[name];
  const free = schemaArbitrary(schema, known);
  return values && values.length > 0 ? mostly(fc.constantFrom(...values), free, 3) : free;
}

function schemaArbitrary(schema: JsonSchema, known: KnownValues): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map((one) => schemaArbitrary(one, known)));
  if (typeof schema.type === 'object') {
    return fc.oneof(...schema.type.map((type) => schemaArbitrary({ ...schema, type }, known)));
  }
  switch (schema.type) {
    case 'object': {
      const required = new Set(schema.required ?? []);
      return membersArbitrary(
        Object.entries(schema.properties ?? {}).map(([name, member]) => ({
          name,
          isRequired: required.has(name),
          schema: member,
        })),
        known,
      );
    }
    case 'array':
      return fc.array(schemaArbitrary(schema.items ?? {}, known), {
        minLength: schema.minItems ?? 0,
        maxLength: Math.min(schema.maxItems ?? 5, 5),
      });
    case 'string':
      return textArbitrary(schema);
    case 'integer':
      return numberArbitrary(schema, (bounds) => fc.integer(bounds));
    case 'number':
      return numberArbitrary(schema, (bounds) => fc.double({ ...bounds, noNaN: true }));
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case undefined:
      return anything;
    default:
      throw new Error(`The fuzzer does not support the type ${schema.type}.`);
  }
}

function textArbitrary(schema: JsonSchema): fc.Arbitrary<string> {
  const length = { minLength: schema.minLength ?? 0, maxLength: Math.min(schema.maxLength ?? 30, 30) };
  return fc.oneof(
    { weight: 4, arbitrary: fc.stringMatching(/^[a-z0-9]{1,24}$/) },
    { weight: 2, arbitrary: fc.string({ ...length, unit: 'binary' }) },
    { weight: 1, arbitrary: fc.constantFrom(...nastyTexts) },
    { weight: 1, arbitrary: fc.constant('я'.repeat(Math.min(schema.maxLength ?? 0, 3_000))) },
  );
}

function numberArbitrary(
  schema: JsonSchema,
  within: (bounds: { min: number; max: number }) => fc.Arbitrary<number>,
): fc.Arbitrary<number> {
  const bounds = {
    min: Math.max(schema.minimum ?? -1e6, -(2 ** 31)),
    max: Math.min(schema.maximum ?? 1e6, 2 ** 31 - 1),
  };
  return fc.oneof(
    { weight: 4, arbitrary: within(bounds) },
    { weight: 1, arbitrary: fc.constantFrom(bounds.min, bounds.max, ...nastyNumbers) },
  );
}

/** The first arbitrary, but the second once in every `every` times. */
function mostly<T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>, every = 8): fc.Arbitrary<T> {
  return fc.oneof({ weight: every - 1, arbitrary: usual }, { weight: 1, arbitrary: rare });
}

function queryText(values: Readonly<Record<string, unknown>>): string {
  return Object.entries(values)
    .flatMap(([name, value]) =>
      (Array.isArray(value) ? value : [value]).map((one) => `${name}=${encode(one)}`),
    )
    .join('&');
}

/** A value as text in an address, percent-encoded; lone surrogates, which have no encoding, become U+FFFD. */
function encode(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return encodeURIComponent((text ?? '').toWellFormed());
}
