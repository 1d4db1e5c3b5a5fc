/** A violation of an invariant of design/archive.md or design/s3-tier.md, by its number there. */
export interface Finding {
  readonly invariant: number;
  /** Description and location, as text. */
  readonly text: string;
}
