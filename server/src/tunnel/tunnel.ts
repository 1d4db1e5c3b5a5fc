import type { TunnelFailure, TunnelStatus } from '@vidette/contract/tunnel';
import { defaultTunnelLocation } from '@vidette/contract/constants';
import { delay, type Cancel, type Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import { RetryPause } from '../base/retry-pause.ts';
import type { Config } from '../config/schema.ts';
import type { TunnelConnection, Traffic } from './tunnel-connection.ts';
import { authorizedKeyLine, isReady, type ConfiguredLocation, type ReadyLocation } from './location.ts';
import { RelayFailure } from './relay-failure.ts';
import type { Relay } from './relay.ts';
import type { TunnelKey } from './tunnel-key.ts';

/**
 * The administrator's last request, kept across restarts: the code of a location, or null for no tunnel. Nodes
 * that share a database each have their own, because only one of them can listen on a relay's port.
 */
const wantedKeyOf = (config: Pick<Config, 'node'>) => `tunnel.location.${config.node.id}`;
/** How often the license is checked while the tunnel runs. */
const licenseLookMs = 5_000;

/** Single values that persist across restarts. */
interface Memory {
  get(key: string): Promise<unknown>;
  set(key: string, value: unknown): Promise<void>;
}

export interface TunnelOptions {
  /** Read at every use: changes of the locations take effect as soon as `reconsider` is called. */
  readonly config: Pick<Config, 'tunnel' | 'dataDir' | 'node'>;
  readonly memory: Memory;
  /** Whether the license allows a tunnel at this moment. */
  readonly isAllowed: () => boolean;
  /** Passes a client's connection to the HTTP server. */
  readonly admit: (connection: TunnelConnection) => void;
  readonly clock: Clock;
  readonly log: Log;
}

/** State of the tunnel; a failed tunnel is retried and stays failed until it is up. */
type Standing =
  | { readonly status: 'stopped' }
  | { readonly status: 'starting' | 'running'; readonly sinceMs: number }
  | {
      readonly status: 'failed';
      readonly sinceMs: number;
      readonly failure: RelayFailure;
      readonly retryMs: number | null;
    };

/** The connection attempts to one location. */
interface Effort {
  readonly location: ConfiguredLocation;
  readonly stopping: AbortController;
  readonly over: Promise<void>;
}

/**
 * Keeps this server reachable through a relay, as long as an administrator requests it and the license allows
 * it [R10.9]. The request survives restarts; the license is checked continuously, so that a change takes effect
 * immediately [R6.7].
 */
export class Tunnel {
  readonly #options: TunnelOptions;
  readonly #traffic: Traffic = { receivedBytes: 0, sentBytes: 0, connectionsTotal: 0 };
  #key: Promise<TunnelKey> | undefined;
  #wanted: string | null;
  #standing: Standing = { status: 'stopped' };
  #effort: Effort | undefined;
  #relay: Relay | undefined;
  #reconnects = 0;
  #cancelLooks: Cancel | undefined;

  private constructor(options: TunnelOptions, wanted: string | null) {
    this.#options = options;
    this.#wanted = wanted;
  }

  /** Loads the last request; no connection is opened before `resume`. */
  static async open(options: TunnelOptions): Promise<Tunnel> {
    const wanted = await options.memory.get(wantedKeyOf(options.config));
    return new Tunnel(options, typeof wanted === 'string' ? wanted : null);
  }

  /** To be called once the server listens: opens the tunnel that was requested before the restart. */
  resume(): void {
    this.#cancelLooks = this.#options.clock.every(licenseLookMs, () => this.reconsider());
    this.reconsider();
  }

  /**
   * Opens the tunnel through a location, the default one when none is named; if it is open or waiting, retries
   * immediately.
   * @throws Fault NotFound for a location that is not configured, ActionNotAcceptable for one without an
   * address
   */
  async start(code?: string): Promise<void> {
    const location = this.#find(code ?? this.#defaultCode());
    if (!location) throw new Fault('NotFound', 'No such location is configured.');
    if (!isReady(location)) {
      throw new Fault(
        'ActionNotAcceptable',
        `No relay address is configured for the location ${location.code} yet.`,
      );
    }
    await this.#remember(location.code);
    this.#wanted = location.code;
    if (this.#standing.status !== 'running' || this.#effort?.location.code !== location.code)
      await this.#drop();
    this.reconsider();
  }

  /** Closes the tunnel and deletes the request. */
  async stop(): Promise<void> {
    await this.#remember(null);
    this.#wanted = null;
    await this.#drop();
    this.#standing = { status: 'stopped' };
  }

  /** Opens or closes the tunnel as requested, allowed and configured, between `resume` and `close`. */
  reconsider(): void {
    if (this.#wanted === null || !this.#cancelLooks) return;
    const location = this.#find(this.#wanted);
    const obstacle = this.#obstacleTo(location);
    if (obstacle || !location || !isReady(location)) {
      void this.#drop();
      if (obstacle && this.#failureCode !== obstacle.code) this.#fail(obstacle, null);
      return;
    }
    if (this.#effort && isSame(this.#effort.location, location)) return;
    void this.#drop();
    this.#standing = { status: 'starting', sinceMs: this.#options.clock.wallMs() };
    const stopping = new AbortController();
    this.#effort = { location, stopping, over: this.#hold(location, stopping.signal) };
  }

  async status(): Promise<TunnelStatus> {
    const { locations } = this.#options.config.tunnel;
    const { publicKey } = await this.#loadKey();
    const standing = this.#standing;
    const failure = standing.status === 'failed' ? standing.failure : undefined;
    const used = this.#wanted === null ? undefined : this.#find(this.#wanted);
    return {
      status: standing.status,
      url: used?.publicUrl ?? null,
      location: this.#wanted,
      failureReason: failure?.message ?? null,
      failureCode: failure?.code ?? null,
      presentedHostKey: failure?.presentedHostKey ?? null,
      sinceTime: standing.status === 'stopped' ? null : standing.sinceMs,
      retryTime: standing.status === 'failed' ? standing.retryMs : null,
      roundTripMs: standing.status === 'running' ? (this.#relay?.roundTripMs ?? null) : null,
      connections: this.#relay?.connections ?? 0,
      connectionsTotal: this.#traffic.connectionsTotal,
      receivedBytes: this.#traffic.receivedBytes,
      sentBytes: this.#traffic.sentBytes,
      reconnects: this.#reconnects,
      locations: locations.map((location) => ({
        ...location,
        name: location.name ?? location.code,
        authorizedKey: authorizedKeyLine(location, publicKey),
      })),
    };
  }

  /**
   * Code of the location through which the server should be reachable and isn't; undefined if there is none.
   */
  get downLocation(): string | undefined {
    return this.#wanted !== null && this.#standing.status === 'failed' ? this.#wanted : undefined;
  }

  /** Since when it has been down for this reason, ms since the epoch; undefined if it is not. */
  get downSinceMs(): number | undefined {
    return this.#standing.status === 'failed' ? this.#standing.sinceMs : undefined;
  }

  get isUp(): boolean {
    return this.#standing.status === 'running';
  }

  get traffic(): Readonly<Traffic> {
    return this.#traffic;
  }

  /** Ends the connection to the relay; the request is kept for the next start. */
  async close(): Promise<void> {
    this.#cancelLooks?.();
    this.#cancelLooks = undefined;
    await this.#drop();
  }

  /** Connects repeatedly, with pauses in between, until the signal is aborted. */
  async #hold(location: ReadyLocation, signal: AbortSignal): Promise<void> {
    const { clock } = this.#options;
    const pause = new RetryPause(clock);
    while (!signal.aborted) {
      const { failure, goodMs } = await this.#attempt(location, signal);
      if (signal.aborted) return;
      const pauseMs = pause.next({ goodMs, isUnauthorized: failure.isRefusal });
      this.#fail(failure, clock.wallMs() + pauseMs);
      try {
        await delay(clock, pauseMs, signal);
      } catch {
        // Only the signal ends the pause early.
        return;
      }
      if (this.#standing.status === 'failed') this.#standing = { ...this.#standing, retryMs: null };
    }
  }

  /** One connection from connecting to its end; `goodMs` is how long the relay listened on our behalf. */
  async #attempt(
    location: ReadyLocation,
    signal: AbortSignal,
  ): Promise<{ failure: RelayFailure; goodMs: number }> {
    const { clock, admit, log } = this.#options;
    let privateKey: string;
    try {
      privateKey = (await this.#loadKey()).privateKey;
    } catch (cause) {
      const words = "The key of the tunnel can't be used; the server log has the reason.";
      return { failure: new RelayFailure('not-configured', words, { cause }), goodMs: 0 };
    }
    let upMs: number | undefined;
    const { Relay: RelayConnection } = await import('./relay.ts');
    const relay = new RelayConnection({
      location,
      privateKey,
      clock,
      traffic: this.#traffic,
      onConnection: admit,
      onUp: () => {
        upMs = clock.monotonicMs();
        if (this.#standing.status === 'failed') this.#reconnects++;
        this.#standing = { status: 'running', sinceMs: clock.wallMs() };
        log.info({ location: location.code, host: location.host }, 'The tunnel is up');
      },
    });
    this.#relay = relay;
    const close = () => relay.close(new RelayFailure('connection-lost', 'The tunnel was closed.'));
    signal.addEventListener('abort', close);
    if (signal.aborted) close();
    const failure = await relay.ended;
    signal.removeEventListener('abort', close);
    if (this.#relay === relay) this.#relay = undefined;
    return { failure, goodMs: upMs === undefined ? 0 : clock.monotonicMs() - upMs };
  }

  #fail(failure: RelayFailure, retryMs: number | null): void {
    const { clock, log } = this.#options;
    const isSameTrouble = this.#failureCode === failure.code;
    const sinceMs =
      this.#standing.status === 'failed' && isSameTrouble ? this.#standing.sinceMs : clock.wallMs();
    this.#standing = { status: 'failed', sinceMs, failure, retryMs };
    const { code, message: reason, causeWords: cause } = failure;
    const fields = { location: this.#wanted, code, reason, cause };
    // A repeated failure is only one line for the operator.
    if (isSameTrouble) log.debug(fields, 'The tunnel is still down');
    else log.warn(fields, 'The tunnel is down');
  }

  get #failureCode(): TunnelFailure | undefined {
    return this.#standing.status === 'failed' ? this.#standing.failure.code : undefined;
  }

  #obstacleTo(location: ConfiguredLocation | undefined): RelayFailure | undefined {
    if (!this.#options.isAllowed()) {
      return new RelayFailure('unlicensed', 'The license does not allow a tunnel.');
    }
    if (!location || !isReady(location)) {
      return new RelayFailure('not-configured', `The location ${this.#wanted} is no longer configured.`);
    }
    return undefined;
  }

  async #drop(): Promise<void> {
    const effort = this.#effort;
    if (!effort) return;
    this.#effort = undefined;
    effort.stopping.abort();
    await effort.over;
  }

  #remember(wanted: string | null): Promise<void> {
    const { memory, config } = this.#options;
    return memory.set(wantedKeyOf(config), wanted);
  }

  #find(code: string): ConfiguredLocation | undefined {
    return this.#options.config.tunnel.locations.find((location) => location.code === code);
  }

  /** `RU` if there is one [R9.7], else the first of the list. */
  #defaultCode(): string {
    const first = this.#options.config.tunnel.locations[0]?.code;
    return this.#find(defaultTunnelLocation)?.code ?? first ?? defaultTunnelLocation;
  }

  #loadKey(): Promise<TunnelKey> {
    this.#key ??= readKey(this.#options.config.dataDir).catch((error: unknown) => {
      this.#key = undefined;
      throw error;
    });
    return this.#key;
  }
}

/** Most servers have no tunnel, and don't load SSH. */
async function readKey(dataDir: string): Promise<TunnelKey> {
  const { loadTunnelKey } = await import('./tunnel-key.ts');
  return loadTunnelKey(dataDir);
}

function isSame(a: ConfiguredLocation, b: ConfiguredLocation): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}
