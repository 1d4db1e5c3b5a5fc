/** Packets this far behind are late or duplicates; farther behind means that the sender restarted. */
const maxLate = 256;

/** Follows the 16-bit sequence numbers of one RTP sender and counts missing packets (RFC 3550, A.1). */
export class SequenceTracker {
  /** Packets that never arrived. */
  lost = 0;
  /** Packets that arrived twice or after their successors, which on TCP only a faulty sender causes. */
  late = 0;
  #expected: number | undefined;

  /**
   * Takes the next packet's number.
   * @returns how many packets are missing before it, or -1 if it is late and should be dropped
   */
  next(sequence: number): number {
    const expected = this.#expected;
    if (expected === undefined || expected === sequence) {
      this.#expected = (sequence + 1) & 0xffff;
      return 0;
    }
    const ahead = (sequence - expected) & 0xffff;
    if (ahead >= 0x10000 - maxLate) {
      this.late++;
      return -1;
    }
    this.#expected = (sequence + 1) & 0xffff;
    // A number from far behind is a restart: packets are missing, but their number is unknown.
    const missing = ahead < 0x8000 ? ahead : 1;
    this.lost += missing;
    return missing;
  }

  /** Resets the position; the next packet is accepted whatever its number. */
  reset(): void {
    this.#expected = undefined;
  }
}
