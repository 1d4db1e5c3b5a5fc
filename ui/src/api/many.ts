import { ApiError } from '@vidette/contract/client';

/** What became of doing the same to many things; the three lists are together what was asked for. */
export interface ManyOutcome<Thing> {
  readonly done: readonly Thing[];
  readonly failed: readonly { readonly thing: Thing; readonly error: unknown }[];
  /** Not tried: somebody stopped it, or the server was gone, or had ended the session. */
  readonly left: readonly Thing[];
}

interface ManyOptions {
  readonly signal: AbortSignal;
  /** Told how many are finished, well or not. */
  readonly onProgress: (count: number) => void;
}

/** So many at a time: the server answers each at once, and a person's other clicks still find a free connection. */
const together = 4;

/**
 * Does the same to each thing, some at a time, and goes on where one fails. What has begun when `signal` stops it is
 * waited for, so that the outcome is true. Never rejects.
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

/** No answer, a session that has ended, a locked server: the next would fail just so. */
function endsAll(error: unknown): boolean {
  return error instanceof ApiError && [0, 401, 423].includes(error.status);
}
