import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Client } from '@vidette/contract/client';
import { Archive } from '../server/src/archive/archive.ts';
import { systemClock } from '../server/src/base/clock.ts';
import { runCommand } from '../server/src/cli/command-line.ts';
import { featuresOf, writeLicense } from '../server/src/system/license-text.ts';
import { administratorOf, clientOf, until } from './api.ts';
import { startServer, type TestServer } from './server.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const vendorKey = publicKey.export({ type: 'spki', format: 'pem' }).toString();

/** Footage of one stream on one node, ms since the epoch. */
export interface Footage {
  readonly node: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** Several servers on one PostgreSQL, each a process with a data folder of its own; the first makes the administrator. */
export class Nodes {
  readonly #database: string;
  readonly #root: string;
  readonly #ids: readonly string[];
  readonly #running = new Map<string, TestServer>();
  /** Nodes that run and can't be asked. */
  readonly silent = new Set<string>();
  readonly #paused = new Set<string>();
  #cookie = '';

  private constructor(database: string, root: string, ids: readonly string[]) {
    this.#database = database;
    this.#root = root;
    this.#ids = ids;
  }

  static async start(database: string, ids: readonly string[]): Promise<Nodes> {
    const nodes = new Nodes(database, await mkdtemp(join(tmpdir(), 'vidette-nodes-')), ids);
    const [first = '', ...others] = ids;
    const server = await nodes.start(first);
    const { client, cookie } = await administratorOf(server);
    nodes.#cookie = cookie;
    await client.saveLicense({ body: { text: enterpriseLicense() } });
    for (const id of others) {
      await nodes.#join(id, first);
      await nodes.start(id);
    }
    return nodes;
  }

  folder(id: string): string {
    return join(this.#root, id);
  }

  server(id: string): TestServer {
    const server = this.#running.get(id);
    if (!server) throw new Error(`${id} does not run`);
    return server;
  }

  client(id: string): Client {
    return clientOf(this.server(id), this.#cookie);
  }

  /** The administrator's session, which every node knows. */
  get cookie(): string {
    return this.#cookie;
  }

  get runningIds(): string[] {
    return [...this.#running.keys()];
  }

  /** @param settings of its environment, over the usual ones */
  async start(id: string, settings: Record<string, string> = {}): Promise<TestServer> {
    const env = {
      VIDETTE_DATABASE: this.#database,
      VIDETTE_NODE_ID: id,
      VIDETTE_LICENSE_VENDOR_KEY: vendorKey,
      VIDETTE_LOG_LEVEL: 'info',
      // They are on one machine.
      VIDETTE_CLUSTER_ALLOW_PLAIN_HTTP: 'true',
      ...settings,
    };
    const server = await startServer({ dataDir: this.folder(id), env });
    this.#running.set(id, server);
    return server;
  }

  async kill(id: string): Promise<void> {
    await this.server(id).kill();
    this.#running.delete(id);
    this.#paused.delete(id);
    this.silent.delete(id);
  }

  async stop(id: string): Promise<void> {
    await this.server(id).stop();
    this.#running.delete(id);
  }

  /** Which node each stream is on, as one node says. */
  async places(by: string): Promise<Map<string, string>> {
    const { items } = await this.client(by).listStreams({ query: { pageSize: 100 } });
    return new Map(items.map(({ uid, node, status }) => [uid, status === 'running' ? (node.id ?? '') : '']));
  }

  /** How many streams a node says that it holds itself. */
  async active(id: string): Promise<number> {
    return (await this.client(id).getClusterNode({ params: { id } })).activeStreams;
  }

  /** Waits until each of so many streams runs on one of these nodes, and no node that answers holds another's. */
  async settled(streams: number, on: readonly string[]): Promise<Map<string, string>> {
    const [by = ''] = on;
    const holders = this.runningIds.filter((id) => !this.silent.has(id));
    const held = async () =>
      (await Promise.all(holders.map((id) => this.active(id)))).reduce((a, b) => a + b, 0);
    const look = async () => ({ places: await this.places(by), held: await held() });
    const isSettled = ({ places, held: count }: Awaited<ReturnType<typeof look>>) =>
      count === streams && places.size === streams && [...places.values()].every((id) => on.includes(id));
    return (await until(look, isSettled, 60_000)).places;
  }

  /** Lets a node sleep, as a machine does that hangs. */
  pause(id: string): void {
    process.kill(this.server(id).pid, 'SIGSTOP');
    this.#paused.add(id);
    this.silent.add(id);
  }

  resume(id: string): void {
    process.kill(this.server(id).pid, 'SIGCONT');
    this.#paused.delete(id);
    this.silent.delete(id);
  }

  /** Ends all, and looks into the archive of each folder: by stream, in the order of time. */
  async footage(uids: readonly string[], fromMs: number): Promise<Map<string, Footage[]>> {
    await Promise.all(this.runningIds.map((id) => this.stop(id)));
    const found = new Map<string, Footage[]>(uids.map((uid) => [uid, []]));
    for (const node of this.#ids) {
      const dir = join(this.folder(node), 'archive');
      const archive = await Archive.open({ dir, clock: systemClock, log: pino({ level: 'silent' }) });
      for (const uid of uids) {
        for (const { kind, startMs, endMs } of archive.intervals(uid, fromMs, Date.now())) {
          if (kind !== 'gap') found.get(uid)?.push({ node, startMs, endMs });
        }
      }
      await archive.close();
    }
    for (const footage of found.values()) footage.sort((a, b) => a.startMs - b.startMs);
    return found;
  }

  async close(): Promise<void> {
    for (const id of this.#paused) this.resume(id);
    await Promise.all(this.runningIds.map((id) => this.stop(id)));
    await rm(this.#root, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Runs a command of the operator's in a node's folder; resolves with its exit code and what it printed. */
  async command(id: string, name: string, ...args: string[]): Promise<{ code: number; output: string }> {
    const env = { VIDETTE_DATA: this.folder(id), VIDETTE_DATABASE: this.#database, VIDETTE_NODE_ID: id };
    const lines: string[] = [];
    const code = await runCommand(name, args, env, (line) => lines.push(line));
    return { code, output: lines.join('\n') };
  }

  /** As an operator does: a code from one node, typed on the machine of the other. */
  async #join(id: string, by: string): Promise<void> {
    const { output } = await this.command(by, 'invite');
    const [, address = '', code = ''] = /vidette join (\S+) (\S+) NAME/.exec(output) ?? [];
    const joined = await this.command(id, 'join', address, code, id);
    if (joined.code !== 0) throw new Error(`${id} could not join: ${output} ${joined.output}`);
  }
}

/** The longest time of which no node has anything, between the first footage and the last, ms. */
export function longestGapMs(footage: readonly Footage[]): number {
  let reachMs = footage[0]?.endMs ?? 0;
  let longestMs = 0;
  for (const { startMs, endMs } of footage) {
    longestMs = Math.max(longestMs, startMs - reachMs);
    reachMs = Math.max(reachMs, endMs);
  }
  return longestMs;
}

function enterpriseLicense(): string {
  return writeLicense(
    {
      version: 1,
      owner: 'Harbour',
      productType: 'enterprise',
      issuedAt: 1,
      expiresAt: null,
      maxStreams: -1,
      features: featuresOf('enterprise'),
    },
    privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
  );
}
