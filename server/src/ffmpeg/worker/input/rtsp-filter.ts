import { Transform } from 'node:stream';
import { MalformedError } from '@vidette/media/malformed';
import type { RtspMessage } from '@vidette/media/rtsp/message';
import { RtspParser } from '@vidette/media/rtsp/parser';
import { Fault } from '../../../base/fault.ts';
import type { TcpForwarder } from './tcp-forwarder.ts';

/**
 * Reply headers that FFmpeg needs. `Location` is excluded, as are headers that make it treat a server
 * specially.
 */
const passedHeaders = new Set([
  'cseq',
  'public',
  'session',
  'content-type',
  'content-base',
  'transport',
  'rtp-info',
  'range',
  'www-authenticate',
]);
/** Source or destination of datagrams: FFmpeg would send to it, whatever machine it is. */
const placeParameter = /^\s*(?:source|destination|server_port|port|ttl)\s*=?/i;

/**
 * Filters what an RTSP server sends to FFmpeg: parsed by the server's own parser and serialised again, so that
 * both see the same. FFmpeg follows any number of redirects unchecked; here a redirect ends the connection.
 * Requests of the server are dropped.
 */
export function rtspFilter(relay: TcpForwarder): Transform {
  const written: Uint8Array[] = [];
  const parser = new RtspParser({
    packet: (channel, bytes, start, end) => {
      const length = end - start;
      written.push(Uint8Array.of(0x24, channel, length >> 8, length & 255), bytes.slice(start, end));
    },
    message: (message) => {
      if (message.type === 'response') written.push(rewritten(message));
    },
  });
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      try {
        parser.push(chunk);
        done(null, Buffer.concat(written.splice(0)));
      } catch (error) {
        relay.failure = faultOf(error);
        done(relay.failure);
      }
    },
  });
}

function rewritten(message: Extract<RtspMessage, { type: 'response' }>): Buffer {
  const { status, headers, body } = message;
  if (status >= 300 && status < 400)
    throw new Fault('ProbeError', 'The source redirects to another address, which is not followed.');
  const lines = headers
    .filter(([name]) => passedHeaders.has(name))
    .map(([name, value]) => `${name}: ${name === 'transport' ? withoutPlaces(value) : value}`);
  if (body.length > 0) lines.push(`content-length: ${body.length}`);
  const head = [`RTSP/1.0 ${status} ${status < 300 ? 'OK' : 'Refused'}`, ...lines, '', ''].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), body]);
}

function withoutPlaces(transport: string): string {
  return transport
    .split(';')
    .filter((part) => !placeParameter.test(part))
    .join(';');
}

function faultOf(error: unknown): Fault {
  if (error instanceof Fault) return error;
  if (!(error instanceof MalformedError)) throw error;
  return new Fault('ProbeError', 'The source does not speak RTSP.', { cause: error });
}
