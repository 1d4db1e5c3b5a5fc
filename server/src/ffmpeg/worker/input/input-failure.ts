import {
  AVERROR_DECODER_NOT_FOUND,
  AVERROR_EOF,
  AVERROR_EXIT,
  AVERROR_HTTP_FORBIDDEN,
  AVERROR_HTTP_NOT_FOUND,
  AVERROR_HTTP_OTHER_4XX,
  AVERROR_HTTP_SERVER_ERROR,
  AVERROR_HTTP_TOO_MANY_REQUESTS,
  AVERROR_HTTP_UNAUTHORIZED,
  AVERROR_INVALIDDATA,
} from 'node-av/constants';
import type { JobEnd } from '../../protocol.ts';
import { NativeError } from '../codec/native.ts';

/**
 * Linux errno values, negated by FFmpeg; macOS and Windows number some of them differently, hence all of them.
 */
const unreachableErrnos = new Set([
  -111, -61, -110, -60, -113, -65, -101, -51, -104, -54, -5, -32, -138, -10061, -10060,
]);

/**
 * The error of a failed input: a message that a user can act on, without the address, which may contain a
 * password.
 */
export function describeFailure(error: unknown, hadSamples: boolean): JobEnd {
  if (!(error instanceof NativeError)) {
    return { code: 'ProbeError', message: error instanceof Error ? error.message : String(error) };
  }
  if (hadSamples) {
    return error.averror === AVERROR_EOF
      ? { message: 'The source has ended.' }
      : { code: 'EHOSTUNREACH', message: 'The connection to the source was lost.' };
  }
  switch (error.averror) {
    case AVERROR_HTTP_UNAUTHORIZED:
    case AVERROR_HTTP_FORBIDDEN:
      return { code: 'HTTP_UNAUTHORIZED', message: 'The source refused the user name or password.' };
    case AVERROR_HTTP_NOT_FOUND:
      return { code: 'HTTP_NOT_FOUND', message: 'There is nothing at this path of the source.' };
    case AVERROR_HTTP_OTHER_4XX:
    case AVERROR_HTTP_TOO_MANY_REQUESTS:
      return { code: 'ProbeError', message: 'The source refused the request.' };
    case AVERROR_HTTP_SERVER_ERROR:
      return { code: 'ProbeError', message: 'The server of the source reported an error.' };
    case AVERROR_INVALIDDATA:
    case AVERROR_EOF:
    case AVERROR_DECODER_NOT_FOUND:
      return { code: 'ProbeError', message: 'The source does not send a video stream.' };
    case AVERROR_EXIT:
      return { code: 'EHOSTUNREACH', message: 'The source did not answer in time.' };
  }
  if (unreachableErrnos.has(error.averror)) {
    return { code: 'EHOSTUNREACH', message: 'The source refused the connection or did not answer.' };
  }
  return { code: 'ProbeError', message: 'The source could not be opened as a video stream.' };
}
