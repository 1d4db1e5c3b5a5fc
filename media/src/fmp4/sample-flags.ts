/** The 32 flags of a sample in a fragment: ISO/IEC 14496-12 clause 8.8.3.1. */

/** sample_depends_on = 2 (on none), sample_is_non_sync_sample = 0. */
export const SAMPLE_FLAGS_KEY = 0x0200_0000;
/** sample_depends_on = 1, sample_is_non_sync_sample = 1. */
const SAMPLE_FLAGS_DEPENDENT = 0x0101_0000;
const NON_SYNC = 0x0001_0000;
/**
 * sample_degradation_priority, whose meaning the standard leaves open: 1 marks a sample that arrived damaged,
 * so that an index rebuilt from a file still contains this. Players ignore it.
 */
const DAMAGED = 1;
const PRIORITY_MASK = 0xffff;

/** The flags of a sample that is (not) a sync sample and was (not) damaged in transit. */
export function sampleFlags(isKey: boolean, isDamaged: boolean): number {
  return (isKey ? SAMPLE_FLAGS_KEY : SAMPLE_FLAGS_DEPENDENT) | (isDamaged ? DAMAGED : 0);
}

export function isKeyByFlags(flags: number): boolean {
  return (flags & NON_SYNC) === 0;
}

export function isDamagedByFlags(flags: number): boolean {
  return (flags & PRIORITY_MASK) === DAMAGED;
}
