import { header, type RtspResponse } from '@vidette/media/rtsp/message';
import { latin1 } from '@vidette/media/rtsp/parser';
import { controlBase, parseRtspUri, resolveRedirect, tunnelled, type RtspUri } from '@vidette/media/rtsp/uri';
import { parseSessionDescription, type SessionDescription } from '@vidette/media/sdp/session-description';
import { MalformedError } from '@vidette/media/malformed';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import type { Credentials } from '../../dial/address.ts';
import type { Dial } from '../../dial/dial.ts';
import { Authorization } from '../../dial/authorization.ts';
import { RtspConnection } from './connection.ts';
import { refused, refuseUnlessOk } from './refusal.ts';
import { openTunnel } from './tunnel.ts';

/** The result of DESCRIBE. The caller closes the connection. */
export interface Described {
  readonly connection: RtspConnection;
  readonly description: SessionDescription;
  /** The base for control attributes. */
  readonly base: string;
  /** The final address, after redirects. */
  readonly target: RtspUri;
  /** Methods of the Public header, upper case; empty if the server sent none. */
  readonly methods: ReadonlySet<string>;
  /** The target is not the address that was given. */
  readonly isRedirected: boolean;
}

export interface HandshakeOptions {
  /** An RTSP address, direct or over HTTP; a user and password in it are not used. */
  readonly url: string;
  readonly credentials: Credentials | undefined;
  readonly clock: Clock;
  readonly dial: Dial;
  readonly replyTimeoutMs: number;
  /** The methods that the server at the address listed before: it is not asked again. */
  readonly knownMethods?: ReadonlySet<string> | undefined;
}

const maxRedirects = 5;
/** Maximum number of connections per attempt that a camera may close with a 401 that can be answered. */
const maxRefusals = 2;

/**
 * Connects, sends OPTIONS and DESCRIBE, and follows redirects; each new target goes through `dial`, where the policy checks
 * it. Rejects with a Fault of a probe code, with everything closed again.
 */
export async function describeSource(options: HandshakeOptions, signal: AbortSignal): Promise<Described> {
  const first = parseAddress(options.url);
  let target = first;
  let authorization = authorizationFor(options, first, target);
  let refusals = 0;
  const asked = new Set<string>();
  for (let redirects = 0; redirects <= maxRedirects;) {
    const connection = await connect(options, authorization, target, signal);
    const onAbort = () => void connection.close();
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      const outcome = await ask(connection, target, target === first ? options.knownMethods : undefined);
      if ('description' in outcome) return { ...outcome, isRedirected: redirects > 0 };
      await connection.close();
      asked.add(target.requestUri);
      if (asked.has(outcome.requestUri)) throw notFollowed('The camera redirects in a loop.');
      target = outcome;
      authorization = authorizationFor(options, first, target);
      redirects++;
    } catch (error) {
      await connection.close();
      signal.throwIfAborted();
      // Some cameras close the connection after their 401: the challenge is answered on the next one.
      if (!connection.isClosedAfterChallenge) throw error;
      if (++refusals > maxRefusals) throw refused();
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }
  throw notFollowed(`The camera redirected more than ${maxRedirects} times.`);
}

/** Not a ProbeError, because another engine would only follow the same redirects. */
function notFollowed(message: string, cause?: unknown): Fault {
  return new Fault('STREAM_SOURCE_ERR', message, { cause });
}

/** Challenges are kept while the host stays the same. */
function authorizationFor({ credentials }: HandshakeOptions, first: RtspUri, target: RtspUri): Authorization {
  const isSamePlace = target.host.toLowerCase() === first.host.toLowerCase() && (target.tls || !first.tls);
  return new Authorization({ credentials, allowBasic: isSamePlace });
}

async function connect(
  options: HandshakeOptions,
  authorization: Authorization,
  target: RtspUri,
  signal: AbortSignal,
): Promise<RtspConnection> {
  const { clock, dial, credentials, replyTimeoutMs } = options;
  // Bytes are read in a later turn of the event loop than the one in which the dialled socket is handed over.
  const taker: { connection?: RtspConnection } = {};
  const receive = (bytes: Uint8Array, length: number) => taker.connection?.receive(bytes, length) ?? true;
  const { tunnel } = target;
  if (tunnel) {
    const { socket, sender } = await openTunnel(
      { target: { ...target, tunnel }, credentials, clock, dial, replyTimeoutMs, receive },
      signal,
    );
    return (taker.connection = new RtspConnection({ socket, sender, clock, authorization, replyTimeoutMs }));
  }
  const socket = await dial(target.host, target.port, target.tls, signal, receive);
  return (taker.connection = new RtspConnection({ socket, clock, authorization, replyTimeoutMs }));
}

/** Sends OPTIONS, unless its result is known, and DESCRIBE; returns the description, or the target of a redirect. */
async function ask(
  connection: RtspConnection,
  target: RtspUri,
  knownMethods: ReadonlySet<string> | undefined,
): Promise<Omit<Described, 'isRedirected'> | RtspUri> {
  const uri = target.requestUri;
  const methods = knownMethods ?? methodsIn(await connection.request('OPTIONS', uri));
  const response = await connection.request('DESCRIBE', uri, [['Accept', 'application/sdp']]);
  if (response.status >= 300 && response.status < 400) return redirectTarget(response, target);
  refuseUnlessOk(response, 'DESCRIBE');
  const base = controlBase(uri, header(response, 'content-base'), header(response, 'content-location'));
  return { connection, description: parseBody(response.body), base, methods, target };
}

function methodsIn(options: RtspResponse): ReadonlySet<string> {
  const list = (header(options, 'public') ?? '').toUpperCase().split(/[\s,]+/);
  return new Set(list.filter((item) => item !== ''));
}

function parseBody(body: Uint8Array): SessionDescription {
  try {
    return parseSessionDescription(latin1(body));
  } catch (cause) {
    if (!(cause instanceof MalformedError)) throw cause;
    throw new Fault('ProbeError', 'The camera sent an invalid description of its stream.', {
      cause,
    });
  }
}

function parseAddress(url: string): RtspUri {
  try {
    return parseRtspUri(url);
  } catch (cause) {
    if (!(cause instanceof MalformedError)) throw cause;
    throw new Fault('ProbeError', 'This is not the address of an RTSP stream.', { cause });
  }
}

/** A redirect from a tunnel to the same host uses a tunnel again. */
function redirectTarget(response: RtspResponse, from: RtspUri): RtspUri {
  const location = header(response, 'location');
  try {
    const to = parseRtspUri(resolveRedirect(from.requestUri, location ?? ''));
    const isSamePlace = to.host.toLowerCase() === from.host.toLowerCase() && to.port === from.port;
    return from.tunnel && isSamePlace ? { ...tunnelled(to), tls: from.tls } : to;
  } catch (cause) {
    if (!(cause instanceof MalformedError)) throw cause;
    throw notFollowed('The camera redirects to an address that is not RTSP.', cause);
  }
}
