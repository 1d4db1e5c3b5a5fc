import { ApiError } from '@vidette/contract/client';

/** The outcome of one action on many items; the three lists together are the items requested. */
export interface ManyOutcome<Thing> {
  readonly done: readonly Thing[];
  readonly failed: readonly { readonly thing: Thing; readonly error: unknown }[];
  /** Not tried: the user stopped it, the server was unreachable, or the session had ended. */
  readonly left: readonly Thing[];
}

interface ManyOptions {
  readonly signal: AbortSignal;
  /** Called with the number of finished items, successful or not. */
  readonly onProgress: (count: number) => void;
}

/** Concurrency: the server answers each quickly, and the user's other clicks still find a free connection. */
const together = 4;

/**
 * Applies an action to each item, several at a time, and continues when one fails. When `signal` stops it,
 * items already started are awaited, so that the outcome is accurate. Never rejects.
 */
export async function forEachOf<Thing>(
  things: readonly Thing[],
  act: (thing: Thing) => Promise<unknown>,
  { signal, onProgress }: ManyOptions,
): Promise<ManyOutcome<Thing>> {
  const done: Thing[] = [];
  const failed: { thing: Thing; error: unknown }[] = [];
  let next = 0;
  let isOver = false;
  const work = async () => {
    while (next < things.length && !isOver && !signal.aborted) {
      const thing = things[next++] as Thing;
      try {
        await act(thing);
        done.push(thing);
      } catch (error) {
        failed.push({ thing, error });
        isOver ||= endsAll(error);
      }
      onProgress(done.length + failed.length);
    }
  };
  await Promise.all(Array.from({ length: together }, work));
  return { done, failed, left: things.slice(next) };
}

/** True for no answer, an ended session, and a locked server: the next item would fail in the same way. */
function endsAll(error: unknown): boolean {
  return error instanceof ApiError && [0, 401, 423].includes(error.status);
}
