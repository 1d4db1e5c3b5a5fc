import { execFileSync } from 'node:child_process';

/** The networks of a node, each with its own cable. */
const networks = ['cameras', 'database', 'peers'] as const;
export type NodeNetwork = (typeof networks)[number];

/**
 * Simulated machines: each node in its own network namespace, with three cables to three switches. This
 * process, the cameras and the database are connected to the switches. A cut cable carries nothing, and neither
 * end is notified. Needs root and Linux.
 */
export class NodeNetworks {
  readonly #ids: readonly string[];
  readonly #tag = String(process.pid);

  private constructor(ids: readonly string[]) {
    this.#ids = ids;
  }

  /** Undefined if this process may not create any. */
  static make(ids: readonly string[]): NodeNetworks | undefined {
    const made = new NodeNetworks(ids);
    try {
      made.#build();
      return made;
    } catch (error) {
      console.log(`No networks: ${String(error)}`);
      made.remove();
      return undefined;
    }
  }

  /** The address of this process in a network. */
  address(network: NodeNetwork): string {
    return `10.213.${networks.indexOf(network)}.1`;
  }

  /** A node's address in the network of its peers, by which they identify the caller. */
  addressOf(id: string): string {
    return `10.213.${networks.indexOf('peers')}.${this.#host(id)}`;
  }

  /** The command that runs a program on that node. */
  through(id: string): string[] {
    return ['ip', 'netns', 'exec', this.#namespace(id)];
  }

  cut(id: string, network: NodeNetwork): void {
    ip('link', 'set', this.#cable(id, network), 'nomaster');
  }

  mend(id: string, network: NodeNetwork): void {
    ip('link', 'set', this.#cable(id, network), 'master', this.#switch(network));
  }

  remove(): void {
    for (const id of this.#ids) tryIp('netns', 'del', this.#namespace(id));
    for (const network of networks) tryIp('link', 'del', this.#switch(network));
  }

  #build(): void {
    for (const network of networks) {
      const bridge = this.#switch(network);
      ip('link', 'add', bridge, 'type', 'bridge');
      ip('addr', 'add', `${this.address(network)}/24`, 'dev', bridge);
      ip('link', 'set', bridge, 'up');
    }
    for (const id of this.#ids) {
      const namespace = this.#namespace(id);
      ip('netns', 'add', namespace);
      ip('-n', namespace, 'link', 'set', 'lo', 'up');
      for (const [index, network] of networks.entries()) {
        const cable = this.#cable(id, network);
        ip('link', 'add', cable, 'type', 'veth', 'peer', 'name', network, 'netns', namespace);
        ip('link', 'set', cable, 'master', this.#switch(network), 'up');
        ip('-n', namespace, 'addr', 'add', `10.213.${index}.${this.#host(id)}/24`, 'dev', network);
        ip('-n', namespace, 'link', 'set', network, 'up');
      }
    }
  }

  #host(id: string): number {
    return 11 + this.#ids.indexOf(id);
  }

  #namespace(id: string): string {
    return `vidette-${this.#tag}-${id}`;
  }

  /** Names of devices have at most 15 characters. */
  #switch(network: NodeNetwork): string {
    return `vs${networks.indexOf(network)}-${this.#tag}`;
  }

  #cable(id: string, network: NodeNetwork): string {
    return `vc${networks.indexOf(network)}${this.#host(id)}-${this.#tag}`;
  }
}

function ip(...words: string[]): void {
  execFileSync('ip', words, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** For devices that may no longer exist. */
function tryIp(...words: string[]): void {
  try {
    ip(...words);
  } catch {
    // It no longer exists.
  }
}
