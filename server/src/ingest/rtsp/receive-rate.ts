/**
 * Above this mean rate a connection is read immediately, bytes per second: a camera with small send buffers would
 * have to wait for the receive buffer of this system, and fall behind permanently. Below it, a round leaves no
 * more than 60 KB there, which is the initial capacity of that buffer, before it has grown.
 */
const maxRate = 600_000;
/** Rounds begin again below this part of it, so that a camera near the limit does not alternate. */
const calmPart = 0.9;
const periodMs = 1000;
/** The mean covers this many periods, which is several GOPs of most cameras: a key frame makes one period larger than the next. */
const periods = 4;

/** Decides from the bytes received whether a connection is slow enough to be read once per round. */
export class ReceiveRate {
  /** The ends of the last periods, oldest first: monotonic ms, and the bytes received until then. */
  readonly #marks: { readonly atMs: number; readonly bytes: number }[];
  #isSlowEnough = false;

  /** @param bytes received so far */
  constructor(nowMs: number, bytes: number) {
    this.#marks = [{ atMs: nowMs, bytes }];
  }

  /** False in the first second. Call it after each read, with all bytes received so far. */
  isSlowEnough(nowMs: number, bytes: number): boolean {
    const [oldest, newest] = [this.#marks[0], this.#marks.at(-1)];
    if (!oldest || !newest || nowMs - newest.atMs < periodMs) return this.#isSlowEnough;
    const rate = ((bytes - oldest.bytes) * 1000) / (nowMs - oldest.atMs);
    this.#isSlowEnough = rate <= (this.#isSlowEnough ? maxRate : maxRate * calmPart);
    this.#marks.push({ atMs: nowMs, bytes });
    if (this.#marks.length > periods) this.#marks.shift();
    return this.#isSlowEnough;
  }
}
