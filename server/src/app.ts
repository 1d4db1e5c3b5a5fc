import { Fault } from './base/fault.ts';
import { composeAccess } from './compose/access.ts';
import { composeCluster } from './compose/cluster.ts';
import { composeEngines, type EngineHandles } from './compose/engines.ts';
import { composeFfmpeg } from './compose/ffmpeg.ts';
import { composeFoundation } from './compose/foundation.ts';
import { composeHttp, type HttpAreas } from './compose/http.ts';
import { composeMedia } from './compose/media.ts';
import { opened, type Closer, type Opened } from './base/opened.ts';
import { composeServices } from './compose/services.ts';
import { composeStorage } from './compose/storage.ts';
import type { KeptListener } from './http/http-server.ts';
import { ConfigStore } from './config/config-store.ts';
import type { Config } from './config/schema.ts';
import { nodeAddress } from './rpc/node-address.ts';
import type { Successor } from './engine/engine-processes.ts';
import { managedSettingsOf } from './streams/stream-view.ts';

interface Assembled {
  readonly url: string;
  readonly reload: () => void;
  readonly replaceEngine: (path: string, successors: readonly Successor[]) => Promise<number>;
}

export interface AppOptions {
  readonly config: Config;
  /** The environment that the configuration was read with. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Shows a line to the operator at the console. */
  readonly print: (line: string) => void;
  /** Called when the server must stop. */
  readonly fail: (reason: string) => void;
  /** The engines that run the streams; without them streams run in this process. */
  readonly engines?: EngineHandles;
  /** The listening socket that the processes of this server pass on. */
  readonly kept?: KeptListener;
  /** The start is given up when it is aborted: it may wait for engines that have ended with the server. */
  readonly signal?: AbortSignal;
}

/**
 * The whole application. Each area is created from those before it and does not depend on those after it;
 * everything is closed in reverse order: the server stops accepting connections, sources and recorders stop,
 * then archive and database close (design/closures.md).
 */
export class App {
  /** Address of the page, as in `http://localhost:8080/ui/`. */
  readonly url: string;
  readonly #assembled: Opened<Assembled>;
  #closed: Promise<void> | undefined;

  private constructor(assembled: Opened<Assembled>) {
    this.url = assembled.url;
    this.#assembled = assembled;
  }

  /**
   * Opens everything, listens, and starts the streams. If a step fails, what is already open is closed again.
   * @throws the reason of the signal when it is aborted meanwhile
   */
  static async start(options: AppOptions): Promise<App> {
    return new App(await opened((closers) => assemble(options, closers)));
  }

  /** Reloads the configuration and the certificate from their files. Errors in them are logged. */
  reload(): void {
    this.#assembled.reload();
  }

  /**
   * Moves the streams of an engine, by the path of its socket, to others, which take its place. Resolves to their number.
   * @throws Fault Unavailable when the others don't answer
   */
  replaceEngine(path: string, successors: readonly Successor[]): Promise<number> {
    return this.#assembled.replaceEngine(path, successors);
  }

  /** Graceful stop: once it resolves, every open GOP is on the disk. Idempotent. */
  close(): Promise<void> {
    this.#closed ??= this.#assembled.close();
    return this.#closed;
  }
}

async function assemble(
  { config, env, print, fail, engines: handles, kept, signal = new AbortController().signal }: AppOptions,
  closers: Closer[],
): Promise<Assembled> {
  const configStore = new ConfigStore(config, env);
  const keep = <Made>(area: Opened<Made>): Opened<Made> => {
    closers.push(() => area.close());
    signal.throwIfAborted();
    return area;
  };
  const foundation = composeFoundation(configStore);
  const engines = keep(await composeEngines(foundation, handles, signal));
  const storage = keep(await composeStorage(foundation, engines));
  const ffmpeg = keep(await composeFfmpeg(foundation));
  const cluster = keep(await composeCluster(foundation, engines, storage, fail));
  const media = keep(await composeMedia({ foundation, engines, storage, ffmpeg, cluster }));
  const access = keep(await composeAccess(foundation, storage, print));
  const services = keep(
    await composeServices({ foundation, engines, storage, ffmpeg, cluster, media, access }),
  );
  const areas = { foundation, engines, storage, ffmpeg, cluster, media, access, services };
  const { http, tunnel } = keep(await composeHttp(areas));
  attachToCluster(areas);
  const url = await http.listen(kept);
  await introduce(areas, url);
  tunnel.resume();
  print(`Vidette listens on ${url}`);
  await startStreams(areas, signal);
  const { log } = foundation;
  const reload = () => {
    configStore.reload().catch((error: unknown) => {
      log.error({ err: error }, 'The configuration could not be reloaded; the current one stays in effect');
    });
    http.certificate
      ?.reload()
      .catch((error: unknown) => log.error({ err: error }, 'The certificate could not be reloaded'));
  };
  const replaceEngine = async (path: string, successors: readonly Successor[]) =>
    (await engines.processes?.replace(path, successors)) ?? 0;
  return { url, reload, replaceEngine };
}

/** From here on the other nodes learn of this node's streams, and this node of their changes. */
function attachToCluster({ cluster, storage, media, services }: HttpAreas): void {
  const { streamManager } = media;
  cluster.cluster?.attach({
    report: () => ({ activeStreams: streamManager.active, cannotRecord: !storage.archive.health.canRecord }),
    isReady: (uid) => streamManager.find(uid)?.report.isTakenUp ?? false,
    onChange: async (change) => {
      await storage.license.reload();
      await services.streamService.learn(change);
    },
  });
}

/** @throws Fault ActionNotAcceptable if the cluster knows another node by this name */
async function introduce({ foundation, storage, cluster }: HttpAreas, url: string): Promise<void> {
  const { config } = foundation;
  if (config.database === null) return;
  const address = nodeAddress(config.cluster.address, config.host, url);
  if (await storage.store.nodes.introduce(config.node.id, address, cluster.publicKey)) return;
  throw new Fault(
    'ActionNotAcceptable',
    `The cluster knows a node ${config.node.id} with another key: give this node another node.id, or remove that node from the cluster.`,
  );
}

async function startStreams(
  { foundation, engines, storage, cluster, media, services }: HttpAreas,
  signal: AbortSignal,
): Promise<void> {
  for await (const record of storage.store.streams.all()) {
    signal.throwIfAborted();
    // Until now the database contains the states in which the last run ended.
    const { state } = media.streamManager.apply(managedSettingsOf(record));
    if (cluster.membership.owns(record.uid)) media.statuses.note(record.uid, state);
  }
  engines.processes?.assigned();
  await storage.archive.retention.noteDepths();
  cluster.cluster?.start();
  // Streams may have been removed while this node was offline, or a removal may have been interrupted.
  services.streamService.learn({ saved: [], removed: [], moved: [] }).catch((error: unknown) => {
    const text = 'Footage of removed streams could not be deleted; it will be deleted with the next change';
    foundation.log.warn({ err: error }, text);
  });
  services.exports.resume();
}
