/** Closes one thing that was opened. */
export type Closer = () => unknown;

/** What an area made, and how all of it is closed. */
export type Opened<Made> = Made & {
  /** One failure doesn't keep the others open, and the first is thrown afterwards. Idempotent. */
  close(): Promise<void>;
};

/**
 * Opens an area. `open` adds a closer for each thing that it opens; they are called in reverse order, and
 * immediately when `open` fails.
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
