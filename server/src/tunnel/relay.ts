import { createHash } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import ssh2, { type AcceptConnection, type Client, type ClientChannel, type RejectConnection } from 'ssh2';
import type { Cancel, Clock } from '../base/clock.ts';
import { HandshakeLimit } from './handshake-limit.ts';
import { InflowLimit } from './inflow-limit.ts';
import { KeepAlive } from './keep-alive.ts';
import type { ReadyLocation } from './location.ts';
import { connectionsMax, RelayClients } from './relay-clients.ts';
import { RelayFailure } from './relay-failure.ts';
import { TunnelConnection, type Traffic } from './tunnel-connection.ts';

/** Time limit for connecting, both handshakes and the forwarding request together. */
const openTimeoutMs = 20_000;
/**
 * Minimum packet size; writing in smaller packets than any honest relay requests would cost more than the
 * payload.
 */
const packetMinBytes = 4_096;
/** Modern algorithms that need no native add-on, in order of preference. */
const algorithms = {
  kex: ['curve25519-sha256', 'curve25519-sha256@libssh.org', 'ecdh-sha2-nistp256', 'ecdh-sha2-nistp384'],
  serverHostKey: ['ssh-ed25519', 'ecdsa-sha2-nistp256', 'rsa-sha2-512', 'rsa-sha2-256'],
  cipher: ['aes128-gcm@openssh.com', 'aes256-gcm@openssh.com', 'aes128-ctr', 'aes256-ctr'],
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
} satisfies ssh2.Algorithms;

export interface RelayOptions {
  readonly location: ReadyLocation;
  /** The private key in OpenSSH's text format; the relay knows its public half. */
  readonly privateKey: string;
  readonly clock: Clock;
  readonly traffic: Traffic;
  /** Called when the relay listens for clients. */
  readonly onUp: () => void;
  /** Called for a client of this server's own page; the tunnel leads nowhere else. */
  readonly onConnection: (connection: TunnelConnection) => void;
}

/**
 * One SSH connection to a relay that listens on our behalf (RFC 4254, 7.1). It carries `forwarded-tcpip`
 * channels of the requested port, directly into our own HTTP server: the relay can't make us connect to any
 * address, and any other channel it opens is refused. Everything that the relay sends is limited.
 */
export class Relay {
  /** Resolves with the reason when it is over. It never rejects. */
  readonly ended: Promise<RelayFailure>;
  readonly #options: RelayOptions;
  readonly #line: Socket;
  readonly #client: Client = new ssh2.Client();
  readonly #inflow: InflowLimit;
  readonly #handshakes: HandshakeLimit;
  readonly #clients: RelayClients;
  readonly #keepAlive: KeepAlive;
  readonly #cancelOpenTimeout: Cancel;
  #presentedHostKey: string | undefined;
  #isUp = false;
  #end: (failure: RelayFailure) => void;

  constructor(options: RelayOptions) {
    this.#options = options;
    const { promise, resolve } = Promise.withResolvers<RelayFailure>();
    this.ended = promise;
    this.#end = resolve;
    const { host, port, user } = options.location;
    this.#line = connect({ host, port, noDelay: true, keepAlive: true });
    // All connections may wait for the socket at the same time.
    this.#line.setMaxListeners(connectionsMax + 32);
    this.#inflow = new InflowLimit(this.#line, options.clock);
    this.#handshakes = new HandshakeLimit(options.clock);
    this.#clients = new RelayClients(options.location.trustProxy);
    this.#keepAlive = new KeepAlive({
      clock: options.clock,
      request: (answered) => this.#requestAnswer(answered),
      onSilent: (timeoutMs) =>
        this.close(new RelayFailure('relay-silent', `The relay is silent for ${timeoutMs / 1000} s.`)),
    });
    this.#cancelOpenTimeout = options.clock.after(openTimeoutMs, () =>
      this.close(new RelayFailure('unreachable', `${host} did not answer on port ${port} in time.`)),
    );
    this.#listen();
    this.#client.connect({
      sock: this.#line,
      username: user,
      privateKey: options.privateKey,
      authHandler: ['publickey'],
      hostVerifier: (key: Buffer) => this.#isExpectedKey(key),
      algorithms,
      ident: 'Vidette',
      readyTimeout: 0,
      keepaliveInterval: 0,
    });
    // After the library has paused it: received bytes are counted, whichever code reads them.
    this.#line.on('data', (chunk: Buffer) => this.#meter(chunk.length));
  }

  get connections(): number {
    return this.#clients.size;
  }

  /** Round-trip time of the last answered keep-alive request. */
  get roundTripMs(): number | null {
    return this.#keepAlive.roundTripMs;
  }

  /** Ends it for the given reason; its clients are disconnected. Idempotent: the first reason is kept. */
  close(reason: RelayFailure): void {
    this.#end(reason);
    this.#end = () => {};
    this.#cancelOpenTimeout();
    this.#keepAlive.stop();
    this.#inflow.close();
    this.#line.destroy();
    this.#clients.destroy();
  }

  #listen(): void {
    this.#client
      .on('error', (error: Error & { level?: string }) => this.close(this.#failureOf(error)))
      .on('close', () => this.close(this.#lost('The relay closed the connection.')))
      .on('handshake', () => this.#noteHandshake())
      .on('ready', () => this.#askForPort())
      .on('tcp connection', (details, accept, reject) => this.#welcome(details, accept, reject));
  }

  #lost(message: string, cause?: unknown): RelayFailure {
    return new RelayFailure('connection-lost', message, { cause });
  }

  #failureOf(error: Error & { level?: string }): RelayFailure {
    const { host, port, user, hostKey } = this.#options.location;
    const presentedHostKey = this.#presentedHostKey;
    if (presentedHostKey !== undefined && presentedHostKey !== hostKey) {
      return hostKey === null
        ? new RelayFailure(
            'host-key-unknown',
            `${host} shows the host key ${presentedHostKey}. Nothing is sent before it is configured.`,
            { presentedHostKey },
          )
        : new RelayFailure(
            'host-key-changed',
            `${host} shows the host key ${presentedHostKey}, not the configured ${hostKey}.`,
            { presentedHostKey },
          );
    }
    if (error.level === 'client-authentication') {
      return new RelayFailure('key-refused', `${host} does not accept our key for the user ${user}.`, {
        cause: error,
      });
    }
    if (error.level === 'client-socket' && !this.#isUp) {
      return new RelayFailure('unreachable', unreachableWords(error, host, port), { cause: error });
    }
    return this.#lost('The connection to the relay was lost.', error);
  }

  #isExpectedKey(key: Buffer): boolean {
    const hash = createHash('sha256').update(key).digest('base64').replaceAll('=', '');
    this.#presentedHostKey = `SHA256:${hash}`;
    return this.#presentedHostKey === this.#options.location.hostKey;
  }

  #askForPort(): void {
    const { bindHost, bindPort } = this.#options.location;
    this.#client.forwardIn(bindHost, bindPort, (error) => {
      if (error) {
        const listen = `${bindHost}:${bindPort}`;
        const words = `The relay does not listen on ${listen} for us: it is not allowed, or in use.`;
        this.close(new RelayFailure('forwarding-refused', words, { cause: error }));
        return;
      }
      this.#cancelOpenTimeout();
      this.#isUp = true;
      this.#keepAlive.start();
      this.#options.onUp();
    });
  }

  /**
   * Sends a request that every SSH server declines: to stop listening where it never did. Answers arrive in the
   * order of the requests, so each also proves that no earlier request is unanswered.
   */
  #requestAnswer(answered: () => void): void {
    this.#client.unforwardIn('vidette-ping', 1, answered);
  }

  #noteHandshake(): void {
    if (!this.#handshakes.take()) this.#accuse('The relay renews its keys without end.');
  }

  #welcome(
    details: ssh2.TcpConnectionDetails,
    accept: AcceptConnection<ClientChannel>,
    reject: RejectConnection,
  ): void {
    if (!this.#isUp || !this.#clients.makeRoom(details.srcIP)) {
      reject();
      return;
    }
    const channel = accept();
    this.#clients.addChannel(channel);
    if (packetBytesOf(channel) < packetMinBytes) {
      this.#accuse('The relay takes packets of a few bytes only.');
      return;
    }
    const { location, traffic, clock } = this.#options;
    const connection = new TunnelConnection({
      channel,
      line: this.#line,
      remoteAddress: details.srcIP,
      remotePort: details.srcPort,
      trustsProxy: location.trustProxy,
      traffic,
      clock,
    });
    traffic.connectionsTotal++;
    this.#clients.add(connection);
    this.#options.onConnection(connection);
  }

  #meter(bytes: number): void {
    this.#inflow.take(bytes);
    if (this.#clients.isOverrun) this.#accuse('The relay sends more than it was allowed to.');
  }

  #accuse(words: string): void {
    this.close(new RelayFailure('relay-misbehaves', words));
  }
}

/** If a name has several addresses, the error has no message of its own, and its code is sufficient. */
function unreachableWords(error: Error, host: string, port: number): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  switch (code) {
    case 'ECONNREFUSED':
      return `${host} refused the connection on port ${port}.`;
    case 'ENOTFOUND':
      return `The name ${host} is not known.`;
    case 'EAI_AGAIN':
      return `The name ${host} could not be looked up.`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `${host} can't be reached.`;
    case 'ETIMEDOUT':
      return `${host} did not answer on port ${port} in time.`;
    default:
      return `The connection to ${host} on port ${port} failed.`;
  }
}

/** The largest packet that the relay accepts on a channel, which the library does not expose. */
function packetBytesOf(channel: ClientChannel): number {
  const outgoing: unknown = Reflect.get(channel, 'outgoing');
  const bytes: unknown =
    typeof outgoing === 'object' && outgoing !== null ? Reflect.get(outgoing, 'packetSize') : undefined;
  return typeof bytes === 'number' ? bytes : 0;
}
