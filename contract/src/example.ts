/**
 * Examples of the API reference. Each schema carries its member's example value, so that the reference reads
 * like a real installation; a test proves that the schemas accept their own examples.
 */
export const hourMs = 3_600_000;
/** The date of the examples. */
export const exampleMs = Date.UTC(2026, 10, 21, 10);

/** The metadata of a schema that has this value in the examples. */
export function like(value: unknown): { examples: unknown[] } {
  return { examples: [value] };
}
