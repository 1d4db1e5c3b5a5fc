/** What changed, for the code that runs streams. */
export interface ClusterChange {
  /** Their settings. */
  readonly saved: readonly string[];
  readonly removed: readonly string[];
  /** Which node has them, or their status on other nodes. */
  readonly moved: readonly string[];
}

export function emptyChange(): ClusterChange {
  return { saved: [], removed: [], moved: [] };
}

export function isEmpty({ saved, removed, moved }: ClusterChange): boolean {
  return saved.length + removed.length + moved.length === 0;
}

/** Both. */
export function joined(a: ClusterChange, b: ClusterChange): ClusterChange {
  const both = (key: keyof ClusterChange) => [...new Set([...a[key], ...b[key]])];
  return { saved: both('saved'), removed: both('removed'), moved: both('moved') };
}
