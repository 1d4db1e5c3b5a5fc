import type { IncomingMessage, ServerResponse } from 'node:http';
import { JpegSplitter } from './jpeg-splitter.ts';

/** JPEG images in the form that FFmpeg reads reliably: parts with dashes, CRLF and the right length. */

const boundary = 'vidette-still';
export const jpegPartsHeaders = { 'content-type': `multipart/x-mixed-replace;boundary=${boundary}` };

/** This many bytes without an image are not video. */
const foreignMaxBytes = 1024 * 1024;
const jpegStart = Buffer.of(0xff, 0xd8, 0xff);

/** Writes one image; resolves when the next one can be written. */
export async function writeJpegPart(image: Buffer, response: ServerResponse): Promise<void> {
  const head = `--${boundary}\r\nContent-Type: image/jpeg\r\nContent-Length: ${image.length}\r\n\r\n`;
  const isTaken = response.write(Buffer.concat([Buffer.from(head), image, Buffer.from('\r\n')]));
  if (isTaken || response.destroyed) return;
  await new Promise<void>((resolve) => {
    response.once('drain', resolve);
    response.once('close', resolve);
  });
}

/**
 * Whether a response that begins with `first` is an endless sequence of JPEG images, in parts or one after
 * another.
 */
export function isMotionJpeg({ statusCode, headers }: IncomingMessage, first: Buffer): boolean {
  if (statusCode !== 200) return false;
  const type = headers['content-type'] ?? '';
  if (/^multipart\/x-mixed-replace\b/i.test(type)) return true;
  return headers['content-length'] === undefined && first.subarray(0, 3).equals(jpegStart);
}

/** Passes the images on, whatever their parts look like. Resolves when either side has ended. */
export async function forwardMotionJpeg(
  first: Buffer,
  answer: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const images: Buffer[] = [];
  const splitter = new JpegSplitter((image) => images.push(image));
  response.writeHead(200, jpegPartsHeaders);
  const take = async (chunk: Buffer) => {
    splitter.push(chunk);
    for (const image of images.splice(0)) await writeJpegPart(image, response);
  };
  try {
    await take(first);
    for await (const chunk of answer) {
      await take(chunk as Buffer);
      if (response.destroyed || splitter.outsideBytes > foreignMaxBytes) break;
    }
  } catch {
    // Interrupted: FFmpeg sees the end of its connection.
  }
  response.destroy();
}
