import { exampleMs } from '@vidette/contract/example';

/**
 * Examples for the OpenAPI document, generated from the schemas: every example is valid by its schema, and a
 * new call gets examples without further work. A schema may carry a value that makes its examples resemble a
 * real installation (`like` in `contract/src/example.ts`).
 */
type JsonExample = Record<string, unknown>;

/** A value of a JSON schema (draft 2020-12, as Zod writes it). */
export function exampleOf(schema: JsonExample): unknown {
  const [given] = (schema['examples'] as unknown[] | undefined) ?? [];
  if (given !== undefined) return given;
  const [only, ...others] = choicesOf(schema);
  if (only === undefined) return {};
  if (others.length > 0) return exampleOf([only, ...others].find(({ type }) => type !== 'null') ?? only);
  if ('const' in schema) return schema['const'];
  if ('default' in schema && !('properties' in schema)) return schema['default'];
  const [first] = (schema['enum'] as unknown[] | undefined) ?? [];
  if (first !== undefined) return first;
  switch (schema['type']) {
    case 'object':
      return objectOf((schema['properties'] ?? {}) as Record<string, JsonExample>);
    case 'array':
      return [exampleOf((schema['items'] ?? {}) as JsonExample)];
    case 'boolean':
      return true;
    case 'integer':
    case 'number':
      return numberOf(schema);
    case 'string':
      return textOf(schema);
    default:
      return {};
  }
}

/** A schema as shown in the document: its examples are beside it, not inside. */
export function withoutExamples(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutExamples);
  if (typeof schema !== 'object' || schema === null) return schema;
  const { examples, ...rest } = schema as JsonExample;
  const kept = Array.isArray(examples) ? rest : (schema as JsonExample);
  return Object.fromEntries(Object.entries(kept).map(([key, value]) => [key, withoutExamples(value)]));
}

/** The alternatives of a value: one per schema or type. */
function choicesOf(schema: JsonExample): JsonExample[] {
  const choices = (schema['anyOf'] ?? schema['oneOf']) as JsonExample[] | undefined;
  if (choices) return choices;
  const { type } = schema;
  return Array.isArray(type) ? type.map((one: unknown) => ({ ...schema, type: one })) : [schema];
}

function objectOf(properties: Record<string, JsonExample>): JsonExample {
  return Object.fromEntries(
    Object.entries(properties).map(([member, schema]) => [member, exampleOf(schema)]),
  );
}

function matches(schema: JsonExample, text: string): boolean {
  const parts = (schema['allOf'] as JsonExample[] | undefined) ?? [];
  const patterns = [schema, ...parts].map((part) => part['pattern']).filter((one) => typeof one === 'string');
  return (
    patterns.every((pattern) => new RegExp(pattern, 'u').test(text)) &&
    text.length >= Number(schema['minLength'] ?? 0) &&
    text.length <= Number(schema['maxLength'] ?? Infinity)
  );
}

function numberOf(schema: JsonExample): number {
  // Only timestamps are this large.
  if (most(schema) > Number.MAX_SAFE_INTEGER / 1_000 && most(schema) < Number.MAX_SAFE_INTEGER)
    return exampleMs;
  return Math.min(Math.max(1, least(schema)), most(schema));
}

function textOf(schema: JsonExample): string {
  const candidates = ['text', 'k3m9x2q7w5ab', '2026-11-21', 'maria@example.org', '161573256300000.mp4'];
  return candidates.find((text) => matches(schema, text)) ?? '';
}

function least(schema: JsonExample): number {
  return Number(schema['minimum'] ?? schema['exclusiveMinimum'] ?? -Infinity);
}

function most(schema: JsonExample): number {
  return Number(schema['maximum'] ?? schema['exclusiveMaximum'] ?? Infinity);
}
