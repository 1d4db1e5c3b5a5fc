/**
 * Finds the images of a Motion JPEG stream by their own markers (ITU-T T.81, B.1.1). What is between them doesn't matter:
 * cameras send parts without dashes, with a wrong Content-Length, or no parts at all.
 */
const soi = 0xd8;
const eoi = 0xd9;
const sos = 0xda;
const tem = 0x01;
const firstRestart = 0xd0;
const lastRestart = 0xd7;

/** Bytes of one image. */
const imageMaxBytes = 16 * 1024 * 1024;

/** The kind of the next byte... */
type Place =
  /** ...between images, */
  | 'outside'
  /** ...before a marker's 0xff, */
  | 'segments'
  /** ...after it, */
  | 'marker'
  /** ...the first and the second byte of a segment's length, */
  | 'length-high'
  | 'length-low'
  /** ...inside a segment, */
  | 'segment'
  /** ...image data, */
  | 'data'
  /** ...after a 0xff in it. */
  | 'data-marker';

/** Splits a stream of bytes into JPEG images. The cost is linear in the bytes, however the chunks are split. */
export class JpegSplitter {
  /** Bytes since the newest image, or since the beginning, that belong to no image. */
  outsideBytes = 0;
  readonly #onImage: (image: Buffer) => void;
  #place: Place = 'outside';
  #chunks: Buffer[] = [];
  #bytes = 0;
  #isScan = false;
  /** Of the segment's length and content. */
  #left = 0;
  /** The newest byte outside an image was 0xff. */
  #isMarker = false;

  constructor(onImage: (image: Buffer) => void) {
    this.#onImage = onImage;
  }

  push(chunk: Buffer): void {
    // The start of the image's bytes in this chunk.
    let from = 0;
    let at = 0;
    while (at < chunk.length) {
      if (this.#place === 'segment') {
        const taken = Math.min(this.#left, chunk.length - at);
        this.#left -= taken;
        at += taken;
        if (this.#left === 0) this.#place = this.#isScan ? 'data' : 'segments';
        continue;
      }
      if (this.#place === 'data') {
        const next = chunk.indexOf(0xff, at);
        at = next < 0 ? chunk.length : next + 1;
        if (next >= 0) this.#place = 'data-marker';
        continue;
      }
      const byte = chunk[at++] ?? 0;
      const was = this.#place;
      this.#place = this.#after(byte);
      if (was === 'outside') this.outsideBytes++;
      const endsMarker = was === 'marker' || was === 'data-marker';
      if ((endsMarker && byte === soi) || (was === 'outside' && this.#place !== 'outside')) {
        // The marker's first byte may have been in the previous chunk.
        this.#chunks = [Buffer.of(0xff, soi)];
        this.#bytes = 2;
        from = at;
      } else if (was !== 'outside' && this.#place === 'outside') {
        if (endsMarker && byte === eoi) {
          this.outsideBytes = 0;
          this.#onImage(Buffer.concat([...this.#chunks, chunk.subarray(from, at)]));
        }
        this.#chunks = [];
      }
    }
    if (this.#place === 'outside') return;
    this.#chunks.push(chunk.subarray(from));
    this.#bytes += chunk.length - from;
    if (this.#bytes <= imageMaxBytes) return;
    this.#place = 'outside';
    this.#chunks = [];
  }

  /** The state after this byte. */
  #after(byte: number): Place {
    switch (this.#place) {
      case 'outside': {
        const isStart = this.#isMarker && byte === soi;
        this.#isMarker = byte === 0xff;
        if (isStart) this.#isScan = false;
        return isStart ? 'segments' : 'outside';
      }
      case 'segments':
        return byte === 0xff ? 'marker' : 'outside';
      case 'marker':
        return this.#afterMarker(byte);
      case 'length-high':
        this.#left = byte << 8;
        return 'length-low';
      case 'length-low':
        this.#left += byte - 2;
        if (this.#left < 0) return 'outside';
        if (this.#left > 0) return 'segment';
        return this.#isScan ? 'data' : 'segments';
      case 'data-marker': {
        // A stuffed zero and restart markers belong to the data, and 0xff may be repeated.
        if (byte === 0xff) return 'data-marker';
        if (byte === 0 || (byte >= firstRestart && byte <= lastRestart)) return 'data';
        return this.#afterMarker(byte);
      }
      case 'segment':
      case 'data':
        return this.#place;
    }
  }

  #afterMarker(marker: number): Place {
    if (marker === 0xff) return 'marker';
    if (marker === eoi) return 'outside';
    // An image was truncated, and the next one begins.
    if (marker === soi) {
      this.#isScan = false;
      return 'segments';
    }
    if (marker === 0) return 'outside';
    if (marker === tem) return 'segments';
    this.#isScan = marker === sos;
    return 'length-high';
  }
}
