import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import type { Client } from '@vidette/contract/client';
import { type Archive, openArchive } from '../server/src/archive/archive.ts';
import {
  catalogMs,
  catalogMsCeil,
  catalogPath,
  catalogTicks,
} from '../server/src/archive/segments/segments.ts';
import { systemClock } from '../server/src/base/clock.ts';
import { runCommand } from '../server/src/cli/command-line.ts';
import { featuresOf, writeLicense } from '../server/src/system/license-text.ts';
import { administratorOf, clientOf, until } from './api.ts';
import { startServer, type TestServer } from './server.ts';

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const vendorKey = publicKey.export({ type: 'spki', format: 'pem' }).toString();

/** Footage of one stream on one node, ms since the epoch. */
export interface RecordedDownload {
  readonly node: string;
  readonly startMs: number;
  readonly endMs: number;
}

/** The findings in the archives of all nodes. */
export interface Recorded {
  /** By stream, in chronological order. */
  readonly footage: ReadonlyMap<string, readonly RecordedDownload[]>;
  /** Moments of a stream that one node has twice: there should be none. */
  readonly twice: readonly string[];
}

/** The settings of a node that differ from those of others. */
export interface NodeHome {
  /** Environment variables in addition to the usual ones. */
  readonly env?: Readonly<Record<string, string>>;
  /** The program that runs it, with its own arguments. */
  readonly through?: readonly string[];
}

/**
 * Several servers on one PostgreSQL, each a process with its own data folder; the first creates the
 * administrator.
 */
export class Nodes {
  readonly #database: string;
  readonly #root: string;
  readonly #ids: readonly string[];
  readonly #homes: Readonly<Record<string, NodeHome>>;
  readonly #running = new Map<string, TestServer>();
  /** Running nodes that can't be reached. */
  readonly silent = new Set<string>();
  readonly #paused = new Set<string>();
  #cookie = '';

  private constructor(
    database: string,
    root: string,
    ids: readonly string[],
    homes: Readonly<Record<string, NodeHome>>,
  ) {
    this.#database = database;
    this.#root = root;
    this.#ids = ids;
    this.#homes = homes;
  }

  /** @param database its address for this process, and for the nodes unless their homes specify another */
  static async start(
    database: string,
    ids: readonly string[],
    homes: Readonly<Record<string, NodeHome>> = {},
  ): Promise<Nodes> {
    const nodes = new Nodes(database, await mkdtemp(join(tmpdir(), 'vidette-nodes-')), ids, homes);
    const [first = '', ...others] = ids;
    const server = await nodes.start(first);
    const { client, cookie } = await administratorOf(server);
    nodes.#cookie = cookie;
    await client.saveLicense({ body: { text: enterpriseLicense() } });
    await Promise.all(
      others.map(async (id) => {
        await nodes.#join(id, first);
        await nodes.start(id);
      }),
    );
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

  /** The administrator's session, which is valid on every node. */
  get cookie(): string {
    return this.#cookie;
  }

  get runningIds(): string[] {
    return [...this.#running.keys()];
  }

  /** @param settings environment variables in addition to the usual ones */
  async start(id: string, settings: Record<string, string> = {}): Promise<TestServer> {
    const { env: own = {}, through = [] } = this.#homes[id] ?? {};
    const env = {
      VIDETTE_DATABASE: this.#database,
      VIDETTE_NODE_ID: id,
      VIDETTE_LICENSE_VENDOR_KEY: vendorKey,
      VIDETTE_LOG_LEVEL: 'info',
      // They are on one machine.
      VIDETTE_CLUSTER_ALLOW_PLAIN_HTTP: 'true',
      ...own,
      ...settings,
    };
    const server = await startServer({ dataDir: this.folder(id), env, through });
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

  /** The node of each stream, as one node reports. */
  async places(by: string): Promise<Map<string, string>> {
    const { items } = await this.client(by).listStreams({ query: { pageSize: 100 } });
    return new Map(items.map(({ uid, node, status }) => [uid, status === 'running' ? (node.id ?? '') : '']));
  }

  /** The number of streams that a node reports as its own. */
  async active(id: string): Promise<number> {
    return (await this.client(id).getClusterNode({ params: { id } })).activeStreams;
  }

  /** Waits until each of a number of streams runs on one of these nodes, and no node that answers holds another's. */
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

  /** Suspends a node, like a machine that hangs. */
  pause(id: string): void {
    this.server(id).signal('SIGSTOP');
    this.#paused.add(id);
    this.silent.add(id);
  }

  resume(id: string): void {
    this.server(id).signal('SIGCONT');
    this.#paused.delete(id);
    this.silent.delete(id);
  }

  /** Stops all nodes, and checks the archive of each. */
  async recorded(uids: readonly string[], fromMs: number): Promise<Recorded> {
    await Promise.all(this.runningIds.map((id) => this.stop(id)));
    const footage = new Map<string, RecordedDownload[]>(uids.map((uid) => [uid, []]));
    const twice: string[] = [];
    for (const node of this.#ids) {
      const home = join(this.folder(node), 'archive');
      const archive = await openArchive({
        dir: this.#homes[node]?.env?.['VIDETTE_ARCHIVE_FOLDER'] ?? home,
        catalog: catalogPath(home),
        clock: systemClock,
        log: pino({ level: 'silent' }),
      });
      for (const uid of uids) {
        for (const { kind, startMs, endMs } of archive.reader.intervals(uid, fromMs, Date.now())) {
          if (kind !== 'gap') footage.get(uid)?.push({ node, startMs, endMs });
        }
        twice.push(...twiceIn(archive, uid, fromMs).map((moment) => `${node} ${uid} ${moment}`));
      }
      await archive.close();
    }
    for (const parts of footage.values()) parts.sort((a, b) => a.startMs - b.startMs);
    return { footage, twice };
  }

  async close(): Promise<void> {
    for (const id of this.#paused) this.resume(id);
    await Promise.all(this.runningIds.map((id) => this.stop(id)));
    await rm(this.#root, { recursive: true, force: true, maxRetries: 5 });
  }

  /** Runs an operator's command in a node's folder; resolves to its exit code and output. */
  async command(id: string, name: string, ...args: string[]): Promise<{ code: number; output: string }> {
    const own = this.#homes[id]?.env ?? {};
    const env = {
      ...own,
      VIDETTE_DATA: this.folder(id),
      VIDETTE_DATABASE: this.#database,
      VIDETTE_NODE_ID: id,
    };
    const lines: string[] = [];
    const code = await runCommand(name, args, env, (line) => lines.push(line));
    return { code, output: lines.join('\n') };
  }

  /** As an operator does: with a code from one node, entered on the machine of the other. */
  async #join(id: string, by: string): Promise<void> {
    const { output } = await this.command(by, 'invite');
    const [, address = '', code = ''] = /vidette join (\S+) (\S+) NAME/.exec(output) ?? [];
    const joined = await this.command(id, 'join', address, code, id);
    if (joined.code !== 0) throw new Error(`${id} could not join: ${output} ${joined.output}`);
  }
}

/** Segments that begin before the previous one ends. */
function twiceIn(archive: Archive, uid: string, fromMs: number): string[] {
  const span = {
    fromTicks: catalogTicks(fromMs),
    toTicks: catalogTicks(Date.now()),
    withFragments: false,
  };
  let reachTicks = 0;
  const found: string[] = [];
  for (const { startTicks, endTicks } of archive.reader.slice(uid, span).segments) {
    if (startTicks < reachTicks) found.push(`${catalogMs(startTicks)} to ${catalogMsCeil(reachTicks)}`);
    reachTicks = Math.max(reachTicks, endTicks);
  }
  return found;
}

/** The parts of the ranges within a time range. */
export function during(
  footage: readonly RecordedDownload[],
  startMs: number,
  endMs: number,
): RecordedDownload[] {
  return footage
    .filter((part) => part.endMs > startMs && part.startMs < endMs)
    .map((part) => ({
      ...part,
      startMs: Math.max(part.startMs, startMs),
      endMs: Math.min(part.endMs, endMs),
    }));
}

/** The total time between the first and the last footage that no node has, ms. */
export function lackingMs(footage: readonly RecordedDownload[]): number {
  return gapsMs(footage).reduce((sum, gapMs) => sum + gapMs, 0);
}

/** The longest of these times, ms. */
export function longestGapMs(footage: readonly RecordedDownload[]): number {
  return Math.max(0, ...gapsMs(footage));
}

/** The total time that more than one node has, ms. */
export function besideMs(footage: readonly RecordedDownload[]): number {
  let reachMs = footage[0]?.startMs ?? 0;
  let sumMs = 0;
  for (const { startMs, endMs } of footage) {
    sumMs += Math.max(0, Math.min(reachMs, endMs) - startMs);
    reachMs = Math.max(reachMs, endMs);
  }
  return sumMs;
}

function gapsMs(footage: readonly RecordedDownload[]): number[] {
  let reachMs = footage[0]?.endMs ?? 0;
  return footage.map(({ startMs, endMs }) => {
    const gapMs = Math.max(0, startMs - reachMs);
    reachMs = Math.max(reachMs, endMs);
    return gapMs;
  });
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
