import { Fault } from '../base/fault.ts';
import type { ReleaseCause } from './engine-protocol.ts';
import type { ManagedStreamSettings } from './settings.ts';
import { StateChanges } from './state-changes.ts';
import type { ManagedStreamState } from './state.ts';
import { ManagedStream } from './managed-stream.ts';
import type { ManagedStreamTools } from './station-tools.ts';

/** A stream was added, or the state shown to users changed. */
export type OnStreamState = (uid: string, state: ManagedStreamState) => void;

/**
 * The streams that this node runs, by uid. It owns them: they start with `apply` and end with `remove` or
 * `close`.
 */
export class StreamManager {
  /** For polls that only need the changes. */
  readonly changes = new StateChanges();
  readonly #tools: ManagedStreamTools;
  readonly #streams = new Map<string, ManagedStream>();
  #closed = false;

  constructor(tools: Omit<ManagedStreamTools, 'onState'> & { onState?: OnStreamState }) {
    const onState: OnStreamState = (uid, state) => {
      this.changes.add(uid);
      tools.onState?.(uid, state);
    };
    this.#tools = { ...tools, onState };
  }

  get size(): number {
    return this.#streams.size;
  }

  /** Number of streams that have a source or a recorder. */
  get active(): number {
    let active = 0;
    for (const { report } of this.#streams.values()) if (report.isActive) active++;
    return active;
  }

  /** The assignment of streams has changed: starts those now assigned to this node, ends the others. */
  review(): void {
    for (const [uid, stream] of this.#streams) {
      this.#tools.host?.review(uid);
      stream.review();
    }
  }

  streams(): IterableIterator<ManagedStream> {
    return this.#streams.values();
  }

  find(uid: string): ManagedStream | undefined {
    return this.#streams.get(uid);
  }

  /** @throws Fault Unavailable if this node doesn't run the stream */
  get(uid: string): ManagedStream {
    const stream = this.#streams.get(uid);
    if (!stream) throw new Fault('Unavailable', 'This server does not run the stream.');
    return stream;
  }

  /** The state of a stream shown to users; a stream that isn't run here is pending. */
  state(uid: string): ManagedStreamState {
    return this.#streams.get(uid)?.state ?? { status: 'pending', failureReason: null, code: null };
  }

  /**
   * Runs a stream with these settings, or changes a running one. In standby a new one is received, but recorded only
   * when it takes over from another process; without, it is recorded here from now on.
   */
  apply(settings: ManagedStreamSettings, role: 'active' | 'standby' = 'active'): ManagedStream {
    if (this.#closed) throw new Fault('Unavailable', 'The server is stopping.');
    const running = this.#streams.get(settings.uid);
    this.#tools.host?.apply(settings);
    if (running) {
      running.apply(settings);
      if (role === 'active') running.activate();
      return running;
    }
    const stream = new ManagedStream(settings, this.#tools, role);
    this.#streams.set(settings.uid, stream);
    this.#tools.onState(settings.uid, stream.state);
    return stream;
  }

  /**
   * Stops running a stream; with `purge` its archive is deleted once the recorder has stopped. The cause, `removed` by
   * default, is noted in the archive.
   */
  async remove(uid: string, options: { purge: boolean; cause?: ReleaseCause }): Promise<void> {
    const stream = this.#streams.get(uid);
    this.#streams.delete(uid);
    this.changes.add(uid);
    await stream?.close(options.cause ?? 'removed');
    await this.#tools.host?.remove(uid);
    if (options.purge) await this.#tools.recorders.remove(uid);
  }

  /** Ends all streams; idempotent. Resolves when the last GOP of each is on the disk. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#streams.values()].map((stream) => stream.close('server-stopped')));
    this.#streams.clear();
  }
}
