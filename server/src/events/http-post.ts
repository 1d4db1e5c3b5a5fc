import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { request } from '../base/node-http.ts';
import type { Dial } from '../dial/dial.ts';
import { failed, retryAfterMaxMs, type DeliveryResult } from './channel.ts';

/** For everything: resolving, connecting, TLS, and the response's status. */
const timeoutMs = 10_000;

export interface HttpPost {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

/**
 * Sends one POST request. Redirects are not followed: they could lead into networks that the address policy forbids,
 * and the receiver can be named directly. A status of 2xx accepts; the body of the response is not read.
 */
export async function post(
  { url: address, headers: own, body }: HttpPost,
  { dial, clock }: { readonly dial: Dial; readonly clock: Clock },
): Promise<DeliveryResult> {
  const deadline = new AbortController();
  const cancel = clock.after(timeoutMs, () => deadline.abort(new Fault('EHOSTUNREACH', 'Too slow.')));
  let socket: Socket | undefined;
  try {
    const url = new URL(address);
    socket = await connect(url, dial, deadline.signal);
    const headers = {
      host: url.host,
      'content-length': Buffer.byteLength(body),
      ...own,
      ...authorizationOf(url),
      connection: 'close',
    };
    return resultOf(await exchange(url, socket, headers, body, deadline.signal), clock);
  } catch (error) {
    return deadline.signal.aborted ? failed('timeout') : failureOf(error);
  } finally {
    cancel();
    socket?.destroy();
  }
}

/** The certificate did not prove who answers, or there was no TLS. */
class TlsFailure extends Error {}

async function connect(url: URL, dial: Dial, signal: AbortSignal): Promise<Socket> {
  const isSecure = url.protocol === 'https:';
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const port = url.port === '' ? (isSecure ? 443 : 80) : Number(url.port);
  // The dialler's own TLS accepts any certificate, as cameras need it.
  const socket = await dial(host, port, false, signal);
  socket.on('error', () => {});
  if (!isSecure) return socket;
  return new Promise((resolve, reject) => {
    const secure = connectTls({ socket, ...(isIP(host) ? { host } : { servername: host, host }) });
    const onAbort = () => secure.destroy(signal.reason as Error);
    signal.addEventListener('abort', onAbort, { once: true });
    secure.once('secureConnect', () => {
      signal.removeEventListener('abort', onAbort);
      resolve(secure);
    });
    secure.once('error', (cause) => reject(new TlsFailure('TLS failed', { cause })));
    secure.on('error', () => {});
  });
}

function exchange(
  url: URL,
  socket: Socket,
  headers: Record<string, string | number>,
  body: string | Uint8Array,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      path: `${url.pathname}${url.search}`,
      headers,
      createConnection: () => socket,
      signal,
    };
    const sent = request(options, (response) => {
      // Its body doesn't matter, however long it is.
      response.on('error', () => {});
      resolve(response);
      sent.destroy();
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

function authorizationOf({ username, password }: URL): { authorization?: string } {
  if (username === '') return {};
  const credentials = `${decoded(username)}:${decoded(password)}`;
  return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
}

/** As it is if it is not percent-encoded UTF-8. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function resultOf({ statusCode = 0, headers }: IncomingMessage, clock: Clock): DeliveryResult {
  if (statusCode >= 200 && statusCode < 300) return { isAccepted: true };
  const isRedirect = statusCode >= 300 && statusCode < 400;
  const isBusy = statusCode === 408 || statusCode === 425 || statusCode === 429;
  const retryAfterMs = retryAfterOf(headers['retry-after'], clock);
  return {
    isAccepted: false,
    failure: { code: isRedirect ? 'redirect' : 'status', status: statusCode },
    isRefusal: statusCode >= 400 && statusCode < 500 && !isBusy,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  };
}

/** The pause of a `Retry-After` header (RFC 9110, 10.2.3), ms. */
function retryAfterOf(header: string | undefined, clock: Clock): number | undefined {
  if (header === undefined) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - clock.wallMs();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), retryAfterMaxMs) : undefined;
}

function failureOf(error: unknown): DeliveryResult {
  if (error instanceof TlsFailure) return failed('tls');
  if (error instanceof Fault) {
    return failed(error.code === 'STREAM_SOURCE_ERR' ? 'address-forbidden' : 'unreachable');
  }
  return failed('reset');
}
