/** RTSP 1.0 messages (RFC 2326) as values: the start line, the headers, the body; and requests as text. */
import { MalformedError } from '../malformed.ts';

/** Header fields in the order of arrival; names are lower case and may repeat (WWW-Authenticate does). */
export type RtspHeaders = readonly (readonly [name: string, value: string])[];

export interface RtspResponse {
  readonly type: 'response';
  readonly status: number;
  readonly reason: string;
  readonly headers: RtspHeaders;
  readonly body: Uint8Array;
}

/** A server may send requests too: ANNOUNCE, REDIRECT, OPTIONS (RFC 2326, 10). */
export interface RtspRequest {
  readonly type: 'request';
  readonly method: string;
  readonly uri: string;
  readonly headers: RtspHeaders;
  readonly body: Uint8Array;
}

export type RtspMessage = RtspResponse | RtspRequest;

const maxHeaders = 64;

/** The first value of a header, by lower-case name. */
export function header(message: { readonly headers: RtspHeaders }, name: string): string | undefined {
  return message.headers.find(([key]) => key === name)?.[1];
}

/** All values of a header that may repeat. */
export function headerValues(message: { readonly headers: RtspHeaders }, name: string): string[] {
  return message.headers.filter(([key]) => key === name).map(([, value]) => value);
}

/**
 * Parses everything before the body.
 * @param text start line and header lines, without the empty line that ends them; lines end in CRLF or LF
 */
export function parseHead(text: string): RtspResponse | RtspRequest {
  const lines = text.split(/\r?\n/);
  const start = lines[0] ?? '';
  const headers = parseHeaders(lines.slice(1));
  const body = new Uint8Array(0);
  const response = /^RTSP\/\d\.\d +(\d{3})(?: (.*))?$/.exec(start);
  if (response) {
    return {
      type: 'response',
      status: Number(response[1]),
      reason: (response[2] ?? '').trim(),
      headers,
      body,
    };
  }
  const request = /^([A-Z_]{3,32}) +(\S+) +RTSP\/\d\.\d$/.exec(start);
  if (request) return { type: 'request', method: request[1] ?? '', uri: request[2] ?? '', headers, body };
  throw new MalformedError('not an RTSP start line');
}

/**
 * Parses the header of an HTTP response, which opens a tunnel for RTSP: a status line and headers as in RTSP.
 * @param text as for `parseHead`
 */
export function parseHttpHead(text: string): RtspResponse {
  const [start = '', ...lines] = text.split(/\r?\n/);
  const match = /^HTTP\/1\.\d +(\d{3})(?: (.*))?$/.exec(start);
  if (!match) throw new MalformedError('not an HTTP status line');
  const headers = parseHeaders(lines);
  const reason = (match[2] ?? '').trim();
  return { type: 'response', status: Number(match[1]), reason, headers, body: new Uint8Array(0) };
}

function parseHeaders(lines: readonly string[]): RtspHeaders {
  const headers: [string, string][] = [];
  for (const line of lines) {
    if (line === '') continue;
    if (line.startsWith(' ') || line.startsWith('\t')) {
      const last = headers.at(-1);
      if (last) last[1] += ` ${line.trim()}`;
      continue;
    }
    const colon = line.indexOf(':');
    // Some cameras insert a stray line among the headers; it is ignored.
    if (colon <= 0) continue;
    if (headers.length >= maxHeaders) throw new MalformedError(`more than ${maxHeaders} RTSP headers`);
    headers.push([line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()]);
  }
  return headers;
}

/** A request as text; header values with line breaks are rejected, so that nothing can be smuggled in. */
export function formatRequest(
  method: string,
  uri: string,
  headers: readonly (readonly [name: string, value: string])[],
): string {
  const lines = [`${method} ${uri} RTSP/1.0`, ...headers.map(([name, value]) => `${name}: ${value}`)];
  for (const line of lines) {
    if (/[\r\n]/.test(line)) throw new MalformedError('line break inside an RTSP request line');
  }
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** A reply to a request of the server. */
export function formatResponse(status: number, reason: string, cseq: string | undefined): string {
  const safe = cseq !== undefined && /^\d{1,10}$/.test(cseq) ? `CSeq: ${cseq}\r\n` : '';
  return `RTSP/1.0 ${status} ${reason}\r\n${safe}\r\n`;
}

/** The `Session` header: identifier and timeout, 60 s unless given (RFC 2326, 12.37). */
export function parseSession(value: string): { readonly id: string; readonly timeoutSeconds: number } {
  const [id = '', ...parameters] = value.split(';').map((part) => part.trim());
  const timeout = parameters
    .map((part) => /^timeout\s*=\s*"?(\d{1,6})/i.exec(part)?.[1])
    .find((found) => found);
  const seconds = timeout === undefined ? 60 : Number(timeout);
  return { id, timeoutSeconds: seconds > 0 ? seconds : 60 };
}

/** The `interleaved` channels of a `Transport` header (RFC 2326, 12.39); undefined if it has none. */
export function parseInterleaved(
  transport: string,
): { readonly rtp: number; readonly rtcp: number } | undefined {
  const match = /interleaved\s*=\s*(\d{1,3})(?:\s*-\s*(\d{1,3}))?/i.exec(transport);
  if (!match) return undefined;
  const rtp = Number(match[1]);
  const rtcp = match[2] === undefined ? rtp + 1 : Number(match[2]);
  return rtp > 255 || rtcp > 255 ? undefined : { rtp, rtcp };
}
