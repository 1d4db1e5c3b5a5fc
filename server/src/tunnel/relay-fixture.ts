import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import ssh2, { type Connection, type ServerChannel } from 'ssh2';
import type { TestContext } from 'node:test';
import { systemClock, type Clock } from '../base/clock.ts';
import type { TunnelConnection, Traffic } from './tunnel-connection.ts';
import { RelayFailure } from './relay-failure.ts';
import { Relay } from './relay.ts';
import { usablePair } from './tunnel-key.ts';

/**
 * Messages that the library's server end can send but does not expose: needed to simulate a malicious relay.
 */
interface RawConnection {
  readonly _protocol: {
    /** False makes it send messages that only clients may send. */
    _server: boolean;
    session(channel: number, window: number, packetBytes: number): void;
    directTcpip(channel: number, window: number, packetBytes: number, way: object): void;
    openssh_authAgent(channel: number, window: number, packetBytes: number): void;
    forwardedTcpip(channel: number, window: number, packetBytes: number, way: object): void;
    channelData(channel: number, data: Buffer): void;
  };
  readonly _chanMgr: { add(done: ChannelAnswer): number };
}

type ChannelAnswer = ((error: Error | undefined, channel?: ServerChannel) => void) & { type?: string };

/** A relay under a test's control: it accepts every client and behaves as the test sets, well or badly. */
export interface TestRelay {
  readonly relay: Relay;
  /** The relay's end of the connection. */
  readonly connection: Connection;
  readonly raw: RawConnection;
  /** The relay's TCP socket, to stop reading from. */
  readonly socket: Socket;
  readonly clients: TunnelConnection[];
  /** Number of keep-alive requests so far. */
  readonly questions: () => number;
  readonly traffic: Traffic;
}

export const bindPort = 8080;

const hostPair = usablePair();
const ownPair = usablePair();
const fingerprint = fingerprintOf(hostPair.public);

/** A relay that listens on our behalf. `answersPings: false` ignores every later request. */
export async function openTestRelay(
  t: TestContext,
  options: { clock?: Clock; answersPings?: boolean } = {},
): Promise<TestRelay> {
  const { clock = systemClock, answersPings = true } = options;
  let questions = 0;
  const listened = Promise.withResolvers<Connection>();
  const server = new ssh2.Server({ hostKeys: [hostPair.private] }, (connection) => {
    connection.on('error', () => {});
    connection.on('authentication', (context) => context.accept());
    connection.on('request', (accept, reject, name) => {
      if (name === 'tcpip-forward') {
        accept?.();
        listened.resolve(connection);
        return;
      }
      questions++;
      if (answersPings) reject?.();
    });
  });
  const door = createServer((socket) => {
    sockets.push(socket);
    socket.setNoDelay(true);
    socket.on('error', () => {});
    server.injectSocket(socket);
  });
  const sockets: Socket[] = [];
  door.listen(0, '127.0.0.1');
  await once(door, 'listening');
  const clients: TunnelConnection[] = [];
  const traffic: Traffic = { receivedBytes: 0, sentBytes: 0, connectionsTotal: 0 };
  const { relay, up } = dial((door.address() as AddressInfo).port, clock, traffic, (connection) => {
    clients.push(connection);
    connection.on('error', () => {});
  });
  t.after(async () => {
    relay.close(new RelayFailure('connection-lost', 'The test is over.'));
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => door.close(resolve));
  });
  const connection = await listened.promise;
  await up;
  const [socket] = sockets;
  if (!socket) throw new Error('no client connected');
  const raw = connection as unknown as RawConnection;
  return { relay, connection, raw, socket, clients, questions: () => questions, traffic };
}

/** Our end, connecting to any port on loopback; `up` never resolves when the other side is not a relay. */
export function dial(
  port: number,
  clock: Clock,
  traffic: Traffic,
  onConnection: (connection: TunnelConnection) => void,
): { relay: Relay; up: Promise<void> } {
  const { promise: up, resolve: onUp } = Promise.withResolvers<void>();
  const location = {
    code: 'RU',
    name: null,
    host: '127.0.0.1',
    port,
    user: 'vidette',
    hostKey: fingerprint,
    bindHost: 'localhost',
    bindPort,
    publicUrl: null,
    trustProxy: false,
  };
  const relay = new Relay({ location, privateKey: ownPair.private, clock, traffic, onUp, onConnection });
  return { relay, up };
}

/** Opens a channel manually and returns whether it was accepted. */
export function tryChannel(
  { raw }: TestRelay,
  type: string,
  open: (channel: number) => void,
): Promise<'taken' | 'refused'> {
  return new Promise((resolve) => {
    const answer: ChannelAnswer = (error) => resolve(error ? 'refused' : 'taken');
    answer.type = type;
    open(raw._chanMgr.add(answer));
  });
}

function fingerprintOf(publicKey: string): string {
  const key = ssh2.utils.parseKey(publicKey);
  if (key instanceof Error) throw key;
  return `SHA256:${createHash('sha256').update(key.getPublicSSH()).digest('base64').replace(/=+$/, '')}`;
}
