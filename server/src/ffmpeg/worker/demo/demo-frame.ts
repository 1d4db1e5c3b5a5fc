import { clockCells, strip } from '../../demo-clock.ts';
import { Canvas, colour, type Colour } from './canvas.ts';

const width = 1280;
const height = 720;
const white = colour(245, 245, 245);
const black = colour(8, 8, 8);
const cell = { width: width / strip.cells, height: height * strip.heightShare };
const time = { x: 64, y: 192, scale: 16, advance: 96 };
const date = { x: 64, y: 336, scale: 6, advance: 36 };
const title = { x: 64, y: 96, scale: 8, advance: 48 };
const lane = { y: 448, disc: 80, left: 64, right: width - 64 };
const bars = { y: 592, height: height - 592 };
const barColours: readonly Colour[] = [
  colour(235, 235, 235),
  colour(235, 220, 20),
  colour(20, 210, 220),
  colour(30, 190, 60),
  colour(200, 50, 190),
  colour(210, 40, 40),
  colour(40, 60, 210),
  colour(16, 16, 16),
];

/**
 * The `demo:` video: a clock readable by eye and by machine, a rolling disc, colour bars. Only changes are
 * redrawn, so that nearly all of every frame is coded as skipped blocks.
 */
export class DemoFrame {
  readonly canvas = new Canvas(width, height);
  readonly variant: number;
  readonly #ground: Colour;
  readonly #ink: Colour;
  #cells: Uint8Array = new Uint8Array(strip.cells).fill(2);
  #time = '';
  #date = '';
  #discX = -1;

  constructor(name: string) {
    this.variant = variantOf(name);
    const hue = this.variant / 256;
    this.#ground = hueColour(hue, 52);
    this.#ink = hueColour(hue + 0.45, 240);
    this.canvas.fill(0, 0, width, height, this.#ground);
    this.#text(`DEMO ${name}`.trim().toUpperCase().slice(0, 24), '', title);
    barColours.forEach((bar, index) =>
      this.canvas.fill(index * (width / 8), bars.y, width / 8, bars.height, bar),
    );
  }

  /** Draws the frame for the time `utcMs`. */
  draw(utcMs: number): void {
    const cells = clockCells(utcMs, this.variant);
    cells.forEach((bit, index) => {
      if (bit !== this.#cells[index]) {
        this.canvas.fill(index * cell.width, 0, cell.width, cell.height, bit ? white : black);
      }
    });
    this.#cells = cells;
    const iso = new Date(utcMs).toISOString();
    this.#time = this.#text(iso.slice(11, 23), this.#time, time);
    this.#date = this.#text(`${iso.slice(0, 10)} UTC`, this.#date, date);
    this.#roll(utcMs);
  }

  /** Writes the characters that differ from the current ones. */
  #text(text: string, shown: string, at: { x: number; y: number; scale: number; advance: number }): string {
    for (let index = 0; index < text.length; index++) {
      const character = text.charAt(index);
      if (character !== shown.charAt(index)) {
        this.canvas.write(character, at.x + index * at.advance, at.y, at.scale, white, this.#ground);
      }
    }
    return text;
  }

  /** The disc crosses the frame in eight seconds and returns; its position depends on the time only. */
  #roll(utcMs: number): void {
    const span = lane.right - lane.left - lane.disc;
    const phase = ((utcMs + this.variant * 61) % 16000) / 8000;
    const x = lane.left + 2 * Math.round(((phase < 1 ? phase : 2 - phase) * span) / 2);
    if (x === this.#discX) return;
    if (this.#discX >= 0) this.canvas.fill(this.#discX, lane.y, lane.disc, lane.disc, this.#ground);
    this.canvas.disc(x, lane.y, lane.disc, this.#ink);
    this.#discX = x;
  }
}

/** 0 to 255 from a name: FNV-1a, folded. */
export function variantOf(name: string): number {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(name)) hash = Math.imul(hash ^ byte, 0x01000193) >>> 0;
  return (hash ^ (hash >>> 8) ^ (hash >>> 16) ^ (hash >>> 24)) & 0xff;
}

/** A colour of that hue (0 to 1 around the circle) whose strongest part is `level`. */
function hueColour(hue: number, level: number): Colour {
  const part = (shift: number) => {
    const distance = Math.abs(((((hue + shift) % 1) + 1) % 1) - 0.5) * 2;
    return level * (0.35 + 0.65 * distance);
  };
  return colour(part(0), part(1 / 3), part(2 / 3));
}
