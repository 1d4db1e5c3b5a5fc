import { isIP } from 'node:net';
import type { ClientChannel } from 'ssh2';
import { networkOf } from '../base/network.ts';
import type { TunnelConnection } from './tunnel-connection.ts';

/** Maximum simultaneous connections of clients; further ones are refused until others end. */
export const connectionsMax = 512;
/**
 * From this number on, each new connection displaces the one that has been idle longest, so that silent clients
 * cannot lock others out.
 */
const crowdedAt = 480;
/** Maximum per network; behind a proxy on the relay all clients come from one. */
const perNetworkMax = 64;
/** The window of a channel is 2 MiB: if more than this is unread, the relay ignores the window. */
const unreadMaxBytes = 4 * 1_048_576;

/** The clients connected through one relay, with the limits on their number, in total and per network. */
export class RelayClients {
  readonly #isBehindProxy: boolean;
  /** Channels that the relay has not closed yet, including those whose client has disconnected. */
  readonly #channels = new Set<ClientChannel>();
  readonly #connections = new Set<TunnelConnection>();

  /** `isBehindProxy`: the addresses are a proxy's, so there is no limit per network. */
  constructor(isBehindProxy: boolean) {
    this.#isBehindProxy = isBehindProxy;
  }

  /** Number of connections whose client is still connected. */
  get size(): number {
    return this.#connections.size;
  }

  /**
   * Whether a client with this address may connect. Closes an idle connection if there are too many; false when
   * the address is invalid, or when the network has reached its limit and all its connections are in use.
   */
  makeRoom(address: string): boolean {
    // sshd sends an invalid address for a client that has disconnected already.
    if (this.#channels.size >= connectionsMax || isIP(address) === 0) return false;
    const network = networkOf(address);
    const neighbours = this.#isBehindProxy
      ? []
      : [...this.#connections].filter(({ remoteAddress }) => networkOf(remoteAddress) === network);
    if (neighbours.length >= perNetworkMax) return putOutLongestResting(neighbours);
    if (this.#connections.size >= crowdedAt) putOutLongestResting(this.#connections);
    return true;
  }

  /** Counts an accepted channel until the relay closes it. */
  addChannel(channel: ClientChannel): void {
    this.#channels.add(channel);
    channel.once('close', () => this.#channels.delete(channel));
  }

  /** Counts the connection that an accepted channel became, until it closes. */
  add(connection: TunnelConnection): void {
    this.#connections.add(connection);
    connection.once('close', () => this.#connections.delete(connection));
  }

  /** Whether the relay has sent more on a channel than the window allows. */
  get isOverrun(): boolean {
    for (const channel of this.#channels) {
      if (channel.readableLength + channel.stderr.readableLength > unreadMaxBytes) return true;
    }
    return false;
  }

  /** Disconnects all of them. */
  destroy(): void {
    for (const connection of this.#connections) connection.destroy();
  }
}

/** False when none is idle. */
function putOutLongestResting(connections: Iterable<TunnelConnection>): boolean {
  let longest: TunnelConnection | undefined;
  for (const connection of connections) {
    if (connection.restingMs === undefined) continue;
    if (!longest || connection.restingMs > (longest.restingMs ?? 0)) longest = connection;
  }
  longest?.destroy();
  return longest !== undefined;
}
