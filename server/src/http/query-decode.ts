import type { z } from 'zod';

/**
 * Query and path contain only text; this converts numbers, flags and lists to the type in the schema that
 * validates them next. A value that does not match its type stays text, so that the schema names it.
 */
export function decodeText(
  schema: z.ZodObject,
  raw: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(raw).map(([key, value]) => {
      // Inherited properties of objects, such as `__proto__`, are not members of the schema.
      const member = Object.hasOwn(schema.shape, key) ? (schema.shape[key] as z.ZodType) : undefined;
      return [key, member ? decodeMember(member, value) : value];
    }),
  );
}

function decodeMember(schema: z.ZodType, value: unknown): unknown {
  const inner = unwrap(schema);
  if (inner.def.type === 'array') {
    const list = Array.isArray(value) ? value : [value];
    const { element } = inner.def as unknown as { element: z.ZodType };
    return list.map((item) => decodeMember(element, item));
  }
  if (typeof value !== 'string') return value;
  if (inner.def.type === 'number') return /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  if (inner.def.type === 'boolean') {
    if (value === 'true' || value === '1') return true;
    if (value === 'false' || value === '0') return false;
  }
  return value;
}

function unwrap(schema: z.ZodType): z.ZodType {
  const { innerType } = schema.def as { innerType?: z.ZodType };
  return innerType ? unwrap(innerType) : schema;
}
