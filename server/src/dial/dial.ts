import { lookup as systemLookup } from 'node:dns/promises';
import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { forbiddenNetwork, leadsHere, ownAddresses, type AddressPolicy } from './address-policy.ts';

/**
 * Opens a connection to a source: the name is resolved, every result is checked against the policy, and one of
 * the allowed addresses is dialled, so that DNS rebinding gains nothing. Redirects pass through here again.
 * Rejects with a Fault: STREAM_SOURCE_ERR if the policy forbids the address, EHOSTUNREACH if no host answers.
 * With `onBytes` received bytes are passed there and the socket emits no 'data'. With `pinned`, the address of
 * an earlier connection, this address is dialled without resolving the name.
 */
export type Dial = (
  host: string,
  port: number,
  tls: boolean,
  signal?: AbortSignal,
  onBytes?: TakeBytes,
  pinned?: string,
) => Promise<Socket>;

/**
 * Consumes the first `length` bytes of a buffer that, for any connection, is reused as soon as this returns. If
 * it returns false nothing is read until the socket's `resume` is called.
 */
export type TakeBytes = (bytes: Uint8Array, length: number) => boolean;

/**
 * Resolves names to IP addresses, all of them. The system's own resolver by default, so that /etc/hosts and
 * mDNS are used.
 */
type Lookup = (host: string) => Promise<readonly string[]>;

export interface DialPolicy extends AddressPolicy {
  readonly clock: Clock;
  /** Time limit for resolving, and for each connection attempt, ms. Default 5000. */
  readonly timeoutMs?: number;
  readonly lookup?: Lookup;
  /** The socket is returned before anything is read from it, for callers that pass it on to another process. */
  readonly startsPaused?: boolean;
}

const defaultTimeoutMs = 5000;
/** If a name has more addresses, only this many are tried. */
const maxAttempts = 4;

/** A dialler for the sources of one stream, bound to the address policy of that stream. */
export function createDial(policy: DialPolicy): Dial {
  return async (host, port, tls, signal, onBytes, pinned) => {
    const ips = await resolveHost(pinned ?? host, policy, signal);
    let failure: unknown;
    for (const ip of ips.slice(0, maxAttempts)) {
      try {
        return await connect({ ip, host, port, tls, onBytes }, policy, signal);
      } catch (cause) {
        signal?.throwIfAborted();
        failure = cause;
      }
    }
    throw failure;
  };
}

/**
 * A dialler for one connection to the source at `host` and for the addresses in its redirects, playlists and
 * manifests. This machine is allowed only if the user entered it as the source: a source elsewhere, or a name
 * that resolves elsewhere at the first dial, never leads to this machine.
 */
export function createSourceDial(host: string, policy: DialPolicy): Dial {
  if (!policy.allowLoopback) return createDial(policy);
  let decided: Promise<Dial> | undefined;
  const decide = async (signal?: AbortSignal): Promise<Dial> => {
    const ips = await resolveHost(host, policy, signal);
    const own = policy.ownAddresses ?? ownAddresses();
    const allowLoopback = ips.every((ip) => leadsHere(ip, own));
    return createDial({ ...policy, allowLoopback, ownAddresses: own });
  };
  return async (to, port, tls, signal, onBytes, pinned) => {
    decided ??= decide(signal).catch((error: unknown) => {
      decided = undefined;
      throw error;
    });
    const dial = await decided;
    return dial(to, port, tls, signal, onBytes, pinned);
  };
}

/** Opens and closes a connection, to check whether a host answers. Rejects only with the signal's reason. */
export async function canConnect(
  dial: Dial,
  host: string,
  port: number,
  signal?: AbortSignal,
): Promise<boolean> {
  try {
    const socket = await dial(host, port, false, signal);
    socket.on('error', () => {});
    socket.destroy();
    return true;
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof Fault)) throw error;
    return false;
  }
}

/**
 * The IP addresses of a host that the policy allows, in the resolver's order; for engines that open sockets
 * themselves and must be given an address instead of a name.
 * @throws Fault STREAM_SOURCE_ERR if all are forbidden, EHOSTUNREACH if the name is unknown
 */
export async function resolveHost(host: string, policy: DialPolicy, signal?: AbortSignal): Promise<string[]> {
  const found = isIP(host) ? [host] : await lookUp(host, policy, signal);
  const allowed = found.filter((ip) => forbiddenNetwork(ip, policy) === undefined);
  const [refused] = found;
  if (allowed.length > 0) return allowed;
  if (refused === undefined) throw new Fault('EHOSTUNREACH', `The name ${host} has no address.`);
  const reach = forbiddenNetwork(refused, policy);
  const words =
    reach === 'loopback' || reach === 'own'
      ? 'Only an administrator may use this machine itself as a source.'
      : `The address leads to a ${reach} network, which is not allowed as a source.`;
  throw new Fault('STREAM_SOURCE_ERR', words, {
    details: { fields: [{ path: 'streamSource', code: 'STREAM_SOURCE_ERR', error: words }] },
  });
}

async function lookUp(host: string, policy: DialPolicy, signal?: AbortSignal): Promise<readonly string[]> {
  const lookup = policy.lookup ?? gatedSystemLookup;
  const timeoutMs = policy.timeoutMs ?? defaultTimeoutMs;
  try {
    return await within(lookup(host), policy.clock, timeoutMs, signal);
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof Fault) throw cause;
    const isUnknown = codeOf(cause) === 'ENOTFOUND';
    throw new Fault(
      'EHOSTUNREACH',
      isUnknown ? `The name ${host} is not known.` : `The name ${host} could not be looked up.`,
      {
        cause,
      },
    );
  }
}

/**
 * Settles with the promise, or rejects at the time limit or the abort; the promise itself cannot be cancelled.
 */
function within<T>(promise: Promise<T>, clock: Clock, timeoutMs: number, signal?: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => settle(() => reject(signal?.reason));
    const cancel = clock.after(timeoutMs, () =>
      settle(() => reject(new Fault('EHOSTUNREACH', 'The name server did not answer in time.'))),
    );
    const settle = (finish: () => void) => {
      cancel();
      signal?.removeEventListener('abort', onAbort);
      finish();
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    promise.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
  });
}

interface Target {
  readonly ip: string;
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly onBytes: TakeBytes | undefined;
}

/**
 * The buffer that all connections with `onBytes` read into: the system fills it and the consumer empties it
 * before the next read. A buffer per read costs more than the parsing (design/ingest-cost.md). Large enough for
 * a complete key frame in one read.
 */
const readBuffer = new Uint8Array(256 * 1024);

function connect(target: Target, policy: DialPolicy, signal?: AbortSignal): Promise<Socket> {
  const { ip, host, port, tls } = target;
  const onread = readInto(target.onBytes);
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const timeoutMs = policy.timeoutMs ?? defaultTimeoutMs;
    // Cameras have self-signed certificates: here TLS encrypts the traffic, but proves no identity.
    const socket = tls
      ? connectTls({
          host: ip,
          port,
          rejectUnauthorized: false,
          ...(isIP(host) ? {} : { servername: host }),
          ...onread,
        })
      : connectTcp({ host: ip, port, ...onread });
    const finish = () => {
      cancel();
      signal?.removeEventListener('abort', onAbort);
      socket.off('error', onError);
    };
    const fail = (error: unknown) => {
      finish();
      // An abandoned socket may still fail, and must not crash the process.
      socket.on('error', () => {});
      socket.destroy();
      reject(error);
    };
    const onAbort = () => fail(signal?.reason);
    const onError = (cause: Error) => fail(unreachable(cause, host, port));
    const cancel = policy.clock.after(timeoutMs, () =>
      fail(new Fault('EHOSTUNREACH', `${host} did not answer on port ${port} within ${timeoutMs / 1000} s.`)),
    );
    signal?.addEventListener('abort', onAbort, { once: true });
    socket.once('error', onError);
    socket.once(tls ? 'secureConnect' : 'connect', () => {
      finish();
      // Here and not later, because Node starts to read as soon as this returns.
      if (policy.startsPaused) socket.pause();
      socket.setNoDelay(true);
      resolve(socket);
    });
  });
}

/** The connect options with which a socket reads into `readBuffer`. */
function readInto(onBytes: TakeBytes | undefined): { onread?: OnReadOpts } {
  if (!onBytes) return {};
  const callback = (length: number) => onBytes(readBuffer, length);
  return { onread: { buffer: readBuffer, callback } };
}

function unreachable(cause: Error, host: string, port: number): Fault {
  const code = codeOf(cause);
  if (code === 'ECONNREFUSED') {
    return new Fault('EHOSTUNREACH', `${host} refused the connection on port ${port}.`, { cause });
  }
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH' || code === 'ETIMEDOUT') {
    return new Fault('EHOSTUNREACH', `${host} can't be reached.`, { cause });
  }
  return new Fault('EHOSTUNREACH', `The connection to ${host} on port ${port} failed.`, { cause });
}

function codeOf(cause: unknown): string | undefined {
  const code = cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/**
 * While it waits, the system's resolver occupies one of Node's four pool threads, which also read and write
 * files: a silent name server must not stop recording, so at most two look-ups run at a time.
 */
const maxLookups = 2;
let runningLookups = 0;
const waitingLookups: (() => void)[] = [];

async function gatedSystemLookup(host: string): Promise<readonly string[]> {
  if (runningLookups >= maxLookups) await new Promise<void>((resolve) => waitingLookups.push(resolve));
  else runningLookups++;
  try {
    const found = await systemLookup(host, { all: true, order: 'verbatim' });
    return found.map(({ address }) => address);
  } finally {
    const next = waitingLookups.shift();
    if (next) next();
    else runningLookups--;
  }
}
