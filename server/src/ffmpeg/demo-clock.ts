/**
 * The machine-readable clock of the `demo:` video: a strip of 80 equal cells along the top edge, black for 0
 * and white for 1, 32 of 720 lines high. From the left: 4 cells of sync (1010), 48 bits of UTC milliseconds and
 * 8 of the video's variant (most significant first), 16 bits of CRC-16/CCITT over those 56, 4 cells of sync
 * (0101).
 */
export const strip = { cells: 80, heightShare: 32 / 720 } as const;

/** The cells of the strip, 0 or 1 each. `utcMs` is an integer below 2^48, `variant` one below 256. */
export function clockCells(utcMs: number, variant: number): Uint8Array {
  const bits = (value: number, count: number) =>
    Array.from({ length: count }, (_, index) => Math.floor(value / 2 ** (count - 1 - index)) % 2);
  const payload = [...bits(utcMs, 48), ...bits(variant, 8)];
  let crc = 0xffff;
  for (const bit of payload) {
    const carry = ((crc >> 15) & 1) ^ bit;
    crc = ((crc << 1) & 0xffff) ^ (carry ? 0x1021 : 0);
  }
  return Uint8Array.from([1, 0, 1, 0, ...payload, ...bits(crc, 16), 0, 1, 0, 1]);
}

/**
 * Reads the strip from the RGBA pixels of a complete frame at least 160 pixels wide: UTC milliseconds at which
 * the frame was drawn, or undefined if it has no legible clock. It refers to nothing outside itself, so that a
 * test can run its source text in a page next to a canvas.
 */
export function readDemoClock(
  pixels: { readonly [index: number]: number; readonly length: number },
  width: number,
  height: number,
): number | undefined {
  const cells = 80;
  const middle = Math.max(0, Math.round(((32 / 720) * height) / 2 - 0.5));
  const levels: number[] = [];
  for (let cell = 0; cell < cells; cell++) {
    const x = Math.min(width - 1, Math.floor(((cell + 0.5) * width) / cells));
    let sum = 0;
    for (let row = -1; row <= 1; row++) {
      const at = (Math.max(0, middle + row) * width + x) * 4;
      sum += (pixels[at] ?? 0) + (pixels[at + 1] ?? 0) + (pixels[at + 2] ?? 0);
    }
    levels.push(sum / 9);
  }
  const level = (cell: number) => levels[cell] ?? 0;
  const white = (level(0) + level(2) + level(77) + level(79)) / 4;
  const black = (level(1) + level(3) + level(76) + level(78)) / 4;
  if (white - black < 60) return undefined;
  const bits = levels.map((value) => (value > (white + black) / 2 ? 1 : 0));
  if (bits.slice(0, 4).join('') !== '1010' || bits.slice(76).join('') !== '0101') return undefined;
  let crc = 0xffff;
  for (const bit of bits.slice(4, 60)) {
    const carry = ((crc >> 15) & 1) ^ bit;
    crc = ((crc << 1) & 0xffff) ^ (carry ? 0x1021 : 0);
  }
  if (bits.slice(60, 76).reduce<number>((value, bit) => value * 2 + bit, 0) !== crc) return undefined;
  return bits.slice(4, 52).reduce<number>((value, bit) => value * 2 + bit, 0);
}
