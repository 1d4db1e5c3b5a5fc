/** One breach of an invariant of design/archive.md or design/s3-tier.md, by its number there. */
export interface Finding {
  readonly invariant: number;
  /** What, where, in words. */
  readonly text: string;
}
