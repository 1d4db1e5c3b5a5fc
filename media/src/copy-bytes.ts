/** Of Node's `Buffer`, which is not among the types of code that also runs in browsers. */
interface NodeBuffer {
  readonly prototype: {
    copy(this: Uint8Array, target: Uint8Array, at: number, start: number, end: number): number;
  };
}

/**
 * Copies `source` from `start` to `end` to `target`, where it fits, from `at` on. `set` needs a view of the piece: one for
 * each packet was a fifth of all that an engine allocated. Node's copy needs none.
 */
export const copyBytes: (
  source: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
  at: number,
) => void = copyOfNode() ?? ((source, start, end, target, at) => target.set(source.subarray(start, end), at));

function copyOfNode(): typeof copyBytes | undefined {
  const { Buffer } = globalThis as { readonly Buffer?: NodeBuffer };
  if (!Buffer) return undefined;
  const { prototype } = Buffer;
  return (source, start, end, target, at) => void prototype.copy.call(source, target, at, start, end);
}
