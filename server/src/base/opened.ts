/** Closes one opened resource. */
export type Closer = () => unknown;

/** What an area created, and how to close all of it. */
export type Opened<Made> = Made & {
  /** One failure doesn't keep the others open; the first error is thrown at the end. Idempotent. */
  close(): Promise<void>;
};

/**
 * Opens an area. `open` adds a closer for each resource that it opens; they are called in reverse order, and
 * immediately if `open` fails.
 */
export async function opened<Made extends object>(
  open: (closers: Closer[]) => Promise<Made>,
): Promise<Opened<Made>> {
  const closers: Closer[] = [];
  try {
    const made = await open(closers);
    let closed: Promise<void> | undefined;
    return { ...made, close: () => (closed ??= closeAll(closers)) };
  } catch (error) {
    await closeAll(closers);
    throw error;
  }
}

async function closeAll(closers: readonly Closer[]): Promise<void> {
  const failures: unknown[] = [];
  for (const close of closers.toReversed()) {
    try {
      await close();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}
