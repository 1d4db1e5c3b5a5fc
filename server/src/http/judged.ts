import type { z } from 'zod';

/** Maximum number of invalid elements of a list to validate; further ones don't change the answer. */
const wrongElementsMax = 20;
/** Maximum number of unknown members passed to the schema. */
const unknownMembersMax = 20;
/** Shorter lists are validated completely. */
const shortList = 50;

/**
 * The part of an untrusted value to validate: all of it if it may be valid, otherwise enough to show why it is
 * not. Zod writes an issue, with a message, for every unknown member and every invalid element; a caller must
 * not be able to cause sixty thousand of them.
 */
export function worthJudging(schema: z.ZodType, value: unknown): unknown {
  const inner = unwrap(schema);
  if (inner.def.type === 'array' && Array.isArray(value)) return someElements(inner as z.ZodArray, value);
  if (inner.def.type !== 'object' || !isRecord(value)) return value;
  const { shape, def } = inner as z.ZodObject;
  // Accepts members of any name.
  if (def.catchall?._zod.def.type === 'unknown') return value;
  const kept: [string, unknown][] = [];
  let unknown = 0;
  for (const [name, member] of Object.entries(value)) {
    if (Object.hasOwn(shape, name)) kept.push([name, worthJudging(shape[name] as z.ZodType, member)]);
    else if (unknown++ < unknownMembersMax) kept.push([name, member]);
  }
  return Object.fromEntries(kept);
}

function someElements(schema: z.ZodArray, list: readonly unknown[]): readonly unknown[] {
  if (list.length <= shortList) return list;
  let wrong = 0;
  const end = list.findIndex((item) => {
    if (!(schema.element as z.ZodType).safeParse(worthJudging(schema.element as z.ZodType, item)).success)
      wrong++;
    return wrong >= wrongElementsMax;
  });
  return end < 0 ? list : list.slice(0, end + 1);
}

function unwrap(schema: z.ZodType): z.ZodType {
  const { innerType } = schema.def as { innerType?: z.ZodType };
  return innerType ? unwrap(innerType) : schema;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
