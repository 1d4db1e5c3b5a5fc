import { Filter, FilterGraph, Frame, type FilterContext } from 'node-av/lib';
import { AV_PIX_FMT_YUV420P } from 'node-av/constants';
import { fileURLToPath } from 'node:url';
import { checked, NativeError } from '../codec/native.ts';

/** In the package of the server, because a machine without a screen often has no font. It has Latin, Greek and Cyrillic letters. */
const fontFile = fileURLToPath(
  import.meta.resolve('@fontsource/dejavu-sans/files/dejavu-sans-latin-400-normal.woff'),
);

/** Black, limited range. */
export const blackPlanes = [16, 128, 128] as const;

/** A line of text in an area, by FFmpeg's `drawtext`. */
export interface TextLine {
  readonly size: number;
  /** FFmpeg's expression for its left edge. */
  readonly x: string;
}

/**
 * White text on black, in planar 4:2:0. The texts are commands to the filter and not part of its description, so they
 * need no quoting and can say anything.
 */
export class DrawnText {
  readonly #graph = new FilterGraph();
  readonly #black = new Frame();
  readonly #drawn = new Frame();
  readonly #source: FilterContext;
  readonly #sink: FilterContext;
  #shown: readonly string[] = [];
  #count = 0;

  constructor(width: number, height: number, lines: readonly TextLine[]) {
    const graph = this.#graph;
    graph.alloc();
    const add = (filter: string, name: string, options: string) => {
      const found = Filter.getByName(filter);
      if (!found) throw new NativeError(-1, `FFmpeg was built without ${filter}`);
      const made = graph.createFilter(found, name, options);
      if (!made) throw new NativeError(-1, `the filter ${filter} can't be created`);
      return made;
    };
    this.#source = add(
      'buffer',
      'in',
      `video_size=${width}x${height}:pix_fmt=${AV_PIX_FMT_YUV420P}:time_base=1/25:pixel_aspect=1/1`,
    );
    let last = this.#source;
    for (const [index, { size, x }] of lines.entries()) {
      const place = `x=${x}:y=(h-text_h)/2:fontsize=${size}:fontcolor=white:y_align=font`;
      const text = add(
        'drawtext',
        `line${index}`,
        `fontfile=${quoted(fontFile)}:${place}:expansion=none:text=' '`,
      );
      checked(last.link(0, text, 0), 'linking filters');
      last = text;
    }
    this.#sink = add('buffersink', 'out', '');
    checked(last.link(0, this.#sink, 0), 'linking filters');
    checked(graph.configSync(), 'configuring filters');
    this.#drawn.alloc();
    this.#black.alloc();
    this.#black.format = AV_PIX_FMT_YUV420P;
    this.#black.width = width;
    this.#black.height = height;
    checked(this.#black.getBuffer(), 'allocating a frame');
    checked(this.#black.makeWritable(), 'allocating a frame');
    for (const [place, value] of blackPlanes.entries()) this.#black.data?.[place]?.fill(value);
  }

  /** The area with one text for each line; valid until the next call. */
  draw(texts: readonly string[]): Frame {
    const isSame = texts.length === this.#shown.length && texts.every((text, at) => text === this.#shown[at]);
    if (isSame) return this.#drawn;
    for (const [index, text] of texts.entries()) {
      // The filter rejects an empty text.
      this.#graph.sendCommand(`line${index}`, 'text', plain(text) || ' ');
    }
    const frame = this.#black.clone();
    if (!frame) throw new NativeError(-1, 'copying a frame');
    try {
      frame.pts = BigInt(this.#count++);
      checked(this.#source.buffersrcAddFrameSync(frame), 'drawing text');
    } finally {
      frame.free();
    }
    this.#drawn.unref();
    checked(this.#sink.buffersinkGetFrameSync(this.#drawn), 'drawing text');
    this.#shown = texts;
    return this.#drawn;
  }

  close(): void {
    this.#graph.free();
    this.#black.free();
    this.#drawn.free();
  }
}

/** One line without characters that are no text. */
function plain(text: string): string {
  return text.toWellFormed().replaceAll(/\p{Cc}+/gu, ' ');
}

/** A value in the description of a filter: between quotes only a quote is special. */
function quoted(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\\\''`)}'`;
}
