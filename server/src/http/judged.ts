import type { z } from 'zod';

/** As many wrong elements of a list are judged; those after them change nothing about the answer. */
const wrongElementsMax = 20;
/** As many members that the schema does not know are shown to it. */
const unknownMembersMax = 20;
/** Shorter lists are judged whole. */
const shortList = 50;

/**
 * What is to be judged of a foreign value: all of it when it may pass, and otherwise as much as shows why it does not. Zod
 * writes an issue, with words, for every unknown member and every wrong element; a caller must not be able to order
 * sixty thousand of them.
 */
export function worthJudging(schema: z.ZodType, value: unknown): unknown {
  const inner = unwrap(schema);
  if (inner.def.type === 'array' && Array.isArray(value)) return someElements(inner as z.ZodArray, value);
  if (inner.def.type !== 'object' || !isRecord(value)) return value;
  const { shape, def } = inner as z.ZodObject;
  // Takes members of any name.
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
