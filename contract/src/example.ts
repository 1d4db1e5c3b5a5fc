/**
 * What examples of the API reference are made of. Each schema carries the value that its member has there, so that the
 * reference reads like a real installation; a test proves that the schemas take their own examples.
 */
export const hourMs = 3_600_000;
/** When the examples happen. */
export const exampleMs = Date.UTC(2026, 10, 21, 10);

/** The metadata of a schema whose value is this one in the examples. */
export function like(value: unknown): { examples: unknown[] } {
  return { examples: [value] };
}
