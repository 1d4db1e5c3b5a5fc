/** What a recorder of `least-recorder.ts` does with the data of cameras, which it reads in rounds as the server does. */
export interface LeastDeeds {
  /** Looks at the headers of packets. */
  readonly looks?: true;
  /** Copies all into blocks of memory. */
  readonly copies?: true;
  /** Computes the checksums of what it has copied. */
  readonly sums?: true;
  /**
   * `immediately`: out of the read buffer; `directly`: once a second, past the system's page cache. Flushed once a second
   * in all cases.
   */
  readonly writes?: 'each second' | 'immediately' | 'directly';
}

export const leastWays: Readonly<Record<string, LeastDeeds>> = {
  reads: {},
  sums: { copies: true, sums: true },
  writes: { copies: true, writes: 'each second' },
  all: { looks: true, copies: true, sums: true, writes: 'each second' },
  direct: { looks: true, copies: true, sums: true, writes: 'directly' },
  immediately: { writes: 'immediately' },
};
