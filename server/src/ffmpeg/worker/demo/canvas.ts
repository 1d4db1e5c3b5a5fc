import { glyph, glyphColumns, glyphRows } from './glyphs.ts';

/** Y, U and V of one colour, limited range. */
export type Colour = readonly [luma: number, blue: number, red: number];

/** Converts red, green and blue from 0 to 255 to limited-range Y, U, V (ITU-R BT.709). */
export function colour(red: number, green: number, blue: number): Colour {
  const luma = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  return [
    Math.round(16 + (luma * 219) / 255),
    Math.round(128 + (((blue - luma) / 1.8556) * 224) / 255),
    Math.round(128 + (((red - luma) / 1.5748) * 224) / 255),
  ];
}

/** A frame in planar 4:2:0 that is drawn in place. Coordinates are pixels from the top left, even numbers. */
export class Canvas {
  readonly width: number;
  readonly height: number;
  /** The three planes one after the other, rows without padding. */
  readonly pixels: Buffer;

  constructor(width: number, height: number) {
    this.width = width;
    this.height = height;
    this.pixels = Buffer.alloc((width * height * 3) / 2);
  }

  fill(x: number, y: number, width: number, height: number, [luma, blue, red]: Colour): void {
    for (let row = y; row < y + height; row++) {
      const at = row * this.width + x;
      this.pixels.fill(luma, at, at + width);
    }
    const chromaWidth = this.width / 2;
    const blueAt = this.width * this.height;
    const redAt = blueAt + blueAt / 4;
    for (let row = y / 2; row < (y + height) / 2; row++) {
      const at = row * chromaWidth + x / 2;
      this.pixels.fill(blue, blueAt + at, blueAt + at + width / 2);
      this.pixels.fill(red, redAt + at, redAt + at + width / 2);
    }
  }

  /**
   * Writes one character with dots of `scale` pixels, including the background, so that earlier contents are
   * erased.
   */
  write(character: string, x: number, y: number, scale: number, ink: Colour, ground: Colour): void {
    this.fill(x, y, glyphColumns * scale, glyphRows * scale, ground);
    glyph(character).forEach((dots, row) => {
      for (let column = 0; column < glyphColumns; column++) {
        if ((dots >> (glyphColumns - 1 - column)) & 1) {
          this.fill(x + column * scale, y + row * scale, scale, scale, ink);
        }
      }
    });
  }

  /** A filled circle in rows of two pixels. */
  disc(x: number, y: number, diameter: number, ink: Colour): void {
    const radius = diameter / 2;
    for (let row = 0; row < diameter; row += 2) {
      const half = Math.sqrt(radius * radius - (row + 1 - radius) ** 2);
      const inset = 2 * Math.round((radius - half) / 2);
      this.fill(x + inset, y + row, diameter - 2 * inset, 2, ink);
    }
  }
}
