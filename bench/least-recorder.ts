/**
 * The least that a recorder in Node can do with RTSP cameras over TCP: see `least.ts`. It neither understands what it receives
 * nor notices an end.
 *
 *   node bench/least-recorder.ts WAY FOLDER URL...
 */
import { closeSync, constants, fdatasync, openSync, write, writeSync, writev } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { receivedBlocks } from '@vidette/media/rtp/byte-arena';
import { leastWays } from './least-ways.ts';

const [way = '', folder = '', ...urls] = process.argv.slice(2);
const does = leastWays[way] ?? {};
const { blockBytes } = receivedBlocks;
/** As in `PollRounds`. */
const roundMs = () => 80 + Math.random() * 20;
const flushMs = 1_000;
/** Begins each packet (RFC 2326, 10.12). */
const dollar = 0x24;

/** All sockets read into the same memory. */
const readBuffer = Buffer.allocUnsafeSlow(256 * 1024);
const freeBlocks: Uint8Array[] = [];

/** What O_DIRECT demands of the address, position and length of a write. */
const pageBytes = 4_096;
/** More than a camera sends in a second. */
const directBytes = 2 * 1024 * 1024;
const freeDirect: Uint8Array[] = [];
/** Memory that could grow begins at a page. */
const newDirect = () =>
  new Uint8Array(new ArrayBuffer(directBytes, { maxByteLength: directBytes }), 0, directBytes);

/** Connections that are not read before the end of the round. */
let resting: Camera[] | undefined;
/** Used, so that no way of reading is optimized away. */
let sum = 0;

class Camera {
  readonly #url: string;
  readonly #file: number;
  readonly #socket: Socket;
  #replies = 0;
  #session = '';
  #isResting = false;
  #isWriting = false;
  #flushedMs = performance.now() + Math.random() * flushMs;
  #block: Uint8Array = new Uint8Array(0);
  #filled = 0;
  #blocks: Uint8Array[] = [];
  #slices: Uint8Array[] = [];
  /** Bytes that are in the file as whole pages, and the rest, which the next write repeats. */
  #position = 0;
  #tail: Uint8Array = new Uint8Array(0);
  /** Bytes until the next packet. */
  #untilPacket = 0;

  constructor(url: string, file: number) {
    this.#url = url;
    this.#file = file;
    const { hostname, port } = new URL(url);
    const onread = { buffer: readBuffer, callback: (bytes: number) => this.#read(bytes) };
    this.#socket = connect({ host: hostname, port: Number(port), onread });
    this.#socket.once('close', () => closeSync(file));
    this.#socket.write(`DESCRIBE ${url} RTSP/1.0\r\nCSeq: 1\r\n\r\n`);
  }

  resume(): void {
    this.#isResting = false;
    this.#socket.resume();
  }

  #read(bytes: number): boolean {
    if (this.#replies < 3) {
      this.#reply(readBuffer.toString('latin1', 0, bytes));
      return true;
    }
    if (does.looks) this.#look(bytes);
    if (does.writes === 'immediately') writeSync(this.#file, readBuffer, 0, bytes);
    else if (does.copies) this.#copy(bytes);
    if (performance.now() - this.#flushedMs >= flushMs) this.#flush();
    this.#rest();
    return true;
  }

  /** To DESCRIBE, SETUP and PLAY, of which the next is sent. */
  #reply(text: string): void {
    this.#session ||= /Session: *([^;\r\n]+)/.exec(text)?.[1] ?? '';
    this.#replies++;
    if (this.#replies === 1)
      this.#socket.write(
        `SETUP ${this.#url}/trackID=1 RTSP/1.0\r\nCSeq: 2\r\nTransport: RTP/AVP/TCP;unicast;interleaved=0-1\r\n\r\n`,
      );
    if (this.#replies === 2)
      this.#socket.write(`PLAY ${this.#url} RTSP/1.0\r\nCSeq: 3\r\nSession: ${this.#session}\r\n\r\n`);
  }

  /** At a few bytes of each packet's header. */
  #look(bytes: number): void {
    let at = this.#untilPacket;
    while (at + 4 <= bytes) {
      if (readBuffer[at] !== dollar) {
        at++;
        continue;
      }
      if (at + 18 <= bytes)
        sum += (readBuffer[at + 5] ?? 0) + readBuffer.readUInt32BE(at + 8) + (readBuffer[at + 17] ?? 0);
      at += 4 + readBuffer.readUInt16BE(at + 2);
    }
    this.#untilPacket = Math.max(0, at - bytes);
  }

  #copy(bytes: number): void {
    for (let at = 0; at < bytes;) {
      if (this.#filled === this.#block.length) {
        this.#block = freeBlocks.pop() ?? new Uint8Array(blockBytes);
        this.#blocks.push(this.#block);
        this.#filled = 0;
      }
      const count = Math.min(bytes - at, this.#block.length - this.#filled);
      this.#block.set(readBuffer.subarray(at, at + count), this.#filled);
      this.#slices.push(this.#block.subarray(this.#filled, this.#filled + count));
      this.#filled += count;
      at += count;
    }
  }

  #flush(): void {
    if (this.#isWriting) return;
    this.#flushedMs = performance.now();
    const done = () => (this.#isWriting = false);
    if (does.writes === 'immediately') {
      this.#isWriting = true;
      fdatasync(this.#file, done);
      return;
    }
    if (!does.copies) return;
    const slices = this.#slices;
    const blocks = this.#blocks.slice(0, -1);
    this.#slices = [];
    this.#blocks = this.#blocks.slice(-1);
    const free = () => {
      freeBlocks.push(...blocks);
      done();
    };
    if (does.writes === 'directly') {
      this.#writeDirectly(slices, free);
      return;
    }
    if (does.sums) for (const slice of slices) sum += crc32(slice) & 1;
    if (!does.writes) {
      free();
      return;
    }
    this.#isWriting = true;
    writev(this.#file, slices, null, () => fdatasync(this.#file, free));
  }

  #writeDirectly(slices: readonly Uint8Array[], done: () => void): void {
    this.#isWriting = true;
    const target = freeDirect.pop() ?? newDirect();
    target.set(this.#tail);
    let end = this.#tail.length;
    for (const slice of slices) {
      target.set(slice, end);
      sum += crc32(target.subarray(end, end + slice.length)) & 1;
      end += slice.length;
    }
    const whole = end - (end % pageBytes);
    this.#tail = target.slice(whole, end);
    const length = Math.ceil(end / pageBytes) * pageBytes;
    target.fill(0, end, length);
    write(this.#file, target, 0, length, this.#position, (error) => {
      if (error) throw error;
      freeDirect.push(target);
      fdatasync(this.#file, done);
    });
    this.#position += whole;
  }

  #rest(): void {
    if (this.#isResting) return;
    this.#isResting = true;
    setImmediate(() => {
      this.#socket.pause();
      resting ??= beginRound();
      resting.push(this);
    });
  }
}

function beginRound(): Camera[] {
  const members: Camera[] = [];
  setTimeout(() => {
    resting = undefined;
    for (const camera of members) camera.resume();
  }, roundMs());
  return members;
}

const direct = does.writes === 'directly' ? constants.O_DIRECT : 0;
const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | direct;
urls.forEach((url, index) => new Camera(url, openSync(join(folder, String(index)), flags)));
process.once('exit', () => process.stderr.write(Number.isNaN(sum) ? 'no sum\n' : ''));
