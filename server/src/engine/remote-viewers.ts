import type { IncomingHttpHeaders } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ErrorCode } from '@vidette/contract/errors';
import type { Cancel, Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { pauseConnection, resumeConnection, type SocketHandle } from '../base/socket-handle.ts';
import type { LiveAudience } from '../live/live.ts';
import type { LiveVariant } from '../live/session.ts';
import type { EngineMessage, FrontMessage } from './engine-protocol.ts';
import type { PassedViewer, PresentViewer } from './viewer-protocol.ts';

/** An engine, as far as its viewers need it. */
export interface ViewerEngine {
  readonly pid: number | undefined;
  readonly isConnected: boolean;
  send(message: FrontMessage): void;
}

/** Passes a connection to another process; false if it could not be sent. */
export type PassConnection = (pid: number, message: unknown, handle: SocketHandle) => Promise<boolean>;

export interface RemoteViewersOptions {
  /** The engine that runs a stream and can serve its viewers now. */
  readonly engineOf: (uid: string) => ViewerEngine | undefined;
  readonly pass: PassConnection;
  readonly newId: () => string;
  readonly clock: Clock;
  readonly log: Log;
}

/** A WebSocket whose upgrade was requested and not answered yet. */
export interface PendingUpgrade {
  readonly connection: Duplex;
  readonly headers: IncomingHttpHeaders;
  /** What the client has sent after its request. */
  readonly head: Uint8Array;
}

/** A viewer who has been authorised. */
export interface AdmittedViewer {
  readonly uid: string;
  readonly variant: LiveVariant;
  /** See `PassedViewer`. */
  readonly claim: unknown;
}

/** Follows the rights of a viewer that an earlier front admitted, or ends it. */
export type AdoptViewer = (viewer: RemoteViewer, claim: unknown) => void;

/** An engine that has not taken a connection within this time does not respond, ms. */
const takenMs = 5_000;
/** An engine ends its viewers after this long without a front, or has ended itself, ms. */
const lostMs = 10_000;
/** So many connections may be on their way; further viewers are served by this process. */
const mostOnTheirWay = 256;
const upgradeHeaders = [
  ...['connection', 'upgrade', 'sec-websocket-key', 'sec-websocket-version'],
  ...['sec-websocket-protocol', 'sec-websocket-extensions'],
];

/** A viewer whom an engine serves. */
export class RemoteViewer {
  readonly id: string;
  readonly uid: string;
  readonly engine: ViewerEngine;
  readonly #leavers = new Set<() => void>();
  #isTaken: boolean;
  #isGone = false;
  #endCode: ErrorCode | undefined;
  /** As the engine knows it; undefined: an earlier front may have told it. */
  #untilMs: number | null | undefined;

  constructor({ id, uid }: Pick<PresentViewer, 'id' | 'uid'>, engine: ViewerEngine, isTaken: boolean) {
    this.id = id;
    this.uid = uid;
    this.engine = engine;
    this.#isTaken = isTaken;
    this.#untilMs = isTaken ? undefined : null;
  }

  /** The engine has its connection. */
  get isTaken(): boolean {
    return this.#isTaken;
  }

  /** Orders its end. An engine that is away receives the order when it is back. */
  end(code: ErrorCode): void {
    this.#endCode ??= code;
    this.#sendEnd();
  }

  /** Its right ends by itself then, ms since the epoch, also while this process hangs; null: not soon. */
  noteUntil(untilMs: number | null): void {
    if (this.#untilMs === untilMs) return;
    this.#untilMs = untilMs;
    if (this.#isTaken && !this.#isGone) this.engine.send({ type: 'viewer-until', id: this.id, untilMs });
  }

  /** Calls back once when it has left; immediately if it has left already. */
  whenGone(leave: () => void): void {
    if (this.#isGone) leave();
    else this.#leavers.add(leave);
  }

  /** The engine says that it has it. */
  noteTaken(): void {
    this.#isTaken = true;
    if (typeof this.#untilMs === 'number')
      this.engine.send({ type: 'viewer-until', id: this.id, untilMs: this.#untilMs });
    this.#sendEnd();
  }

  noteGone(): void {
    this.#isGone = true;
    for (const leave of this.#leavers) leave();
    this.#leavers.clear();
  }

  #sendEnd(): void {
    if (this.#endCode !== undefined && this.#isTaken && !this.#isGone)
      this.engine.send({ type: 'end-viewer', id: this.id, code: this.#endCode });
  }
}

/**
 * Viewers whom engines serve, as the front sees them: it authorises them, passes their connections, and orders their
 * end. Their bytes never pass through it.
 */
export class RemoteViewers {
  readonly #options: RemoteViewersOptions;
  readonly #viewers = new Map<string, RemoteViewer>();
  /** How many there are, by the stream's uid. */
  readonly #counts = new Map<string, number>();
  /** By id, since their connections were passed. */
  readonly #onTheirWay = new Map<string, Cancel>();
  /** Engines that have connected before `begin`, and the viewers that they serve for earlier fronts. */
  readonly #found = new Map<ViewerEngine, readonly PresentViewer[]>();
  #adopt: AdoptViewer | undefined;

  constructor(options: RemoteViewersOptions) {
    this.#options = options;
  }

  /**
   * Has the engine that runs the stream answer the upgrade and serve the viewer. Undefined where it can't: the
   * connection is as before, and the caller serves it.
   */
  async serve(
    { uid, variant, claim }: AdmittedViewer,
    { connection, headers, head }: PendingUpgrade,
  ): Promise<RemoteViewer | undefined> {
    const { engineOf, pass, newId, clock } = this.#options;
    const engine = engineOf(uid);
    if (engine?.pid === undefined || this.#onTheirWay.size >= mostOnTheirWay) return undefined;
    const paused = pauseConnection(connection);
    if (!paused) return undefined;
    // It is there before the connection, which goes through the supervisor.
    engine.send({ type: 'expect-viewer', uid });
    const id = newId();
    const message: PassedViewer = {
      ...{ id, uid, variant, claim },
      headers: headersOf(headers),
      head: Buffer.concat([head, paused.unread]).toString('base64'),
    };
    const viewer = this.#add(new RemoteViewer({ id, uid }, engine, false));
    this.#onTheirWay.set(
      id,
      clock.after(takenMs, () => {
        this.#giveUp(viewer);
        // This process still has it if the supervisor does not respond.
        connection.destroy();
      }),
    );
    if (!(await pass(engine.pid, message, paused.handle))) {
      this.#remove(viewer);
      resumeConnection(connection, paused);
      return undefined;
    }
    // This process's copy only.
    connection.destroy();
    return viewer;
  }

  /** Viewers and what they were sent, of one stream. @param reported by its engine */
  audience(uid: string, reported: LiveAudience | undefined): LiveAudience {
    const viewers = this.#counts.get(uid) ?? 0;
    return { bytesSent: 0, skippedSamples: 0, ...reported, viewers };
  }

  /** From here on viewers of earlier fronts are followed, as soon as their engine is connected. */
  begin(adopt: AdoptViewer): void {
    this.#adopt = adopt;
    for (const [engine, present] of this.#found) this.#followAll(engine, present);
    this.#found.clear();
  }

  /** An engine has connected. @param present the viewers that it serves */
  greet(engine: ViewerEngine, present: readonly PresentViewer[]): void {
    const ids = new Set(present.map(({ id }) => id));
    for (const viewer of this.#viewers.values())
      if (viewer.engine === engine && viewer.isTaken && !ids.has(viewer.id)) this.#remove(viewer);
    if (this.#adopt) this.#followAll(engine, present);
    else this.#found.set(engine, present);
  }

  /** An engine was lost. It says who is left when it is back. */
  lose(engine: ViewerEngine): void {
    this.#options.clock.after(lostMs, () => {
      if (!engine.isConnected) this.greet(engine, []);
    });
  }

  take(
    engine: ViewerEngine,
    { type, id }: Extract<EngineMessage, { readonly type: 'viewer-taken' | 'viewer-gone' }>,
  ): void {
    const viewer = this.#viewers.get(id);
    if (type === 'viewer-gone') {
      const found = this.#found.get(engine);
      if (found)
        this.#found.set(
          engine,
          found.filter((present) => present.id !== id),
        );
      if (viewer) this.#remove(viewer);
      return;
    }
    this.#arrived(id);
    if (viewer) viewer.noteTaken();
    // It was given up, or its front has ended meanwhile.
    else engine.send({ type: 'end-viewer', id, code: 'Unavailable' });
  }

  #followAll(engine: ViewerEngine, present: readonly PresentViewer[]): void {
    for (const viewer of present) this.#follow(engine, viewer);
    engine.send({ type: 'viewers-followed' });
  }

  #follow(engine: ViewerEngine, { id, uid, claim }: PresentViewer): void {
    const known = this.#viewers.get(id);
    if (known) {
      this.#arrived(id);
      known.noteTaken();
      return;
    }
    const viewer = this.#add(new RemoteViewer({ id, uid }, engine, true));
    this.#adopt?.(viewer, claim);
  }

  #giveUp(viewer: RemoteViewer): void {
    this.#options.log.warn({ stream: viewer.uid }, 'An engine did not take the connection of a viewer');
    this.#remove(viewer);
  }

  #arrived(id: string): void {
    this.#onTheirWay.get(id)?.();
    this.#onTheirWay.delete(id);
  }

  #add(viewer: RemoteViewer): RemoteViewer {
    this.#viewers.set(viewer.id, viewer);
    this.#counts.set(viewer.uid, (this.#counts.get(viewer.uid) ?? 0) + 1);
    return viewer;
  }

  #remove(viewer: RemoteViewer): void {
    this.#arrived(viewer.id);
    if (!this.#viewers.delete(viewer.id)) return;
    const left = (this.#counts.get(viewer.uid) ?? 1) - 1;
    if (left > 0) this.#counts.set(viewer.uid, left);
    else this.#counts.delete(viewer.uid);
    viewer.noteGone();
  }
}

function headersOf(headers: IncomingHttpHeaders): Record<string, string> {
  const needed = upgradeHeaders.flatMap((name) => {
    const value = headers[name];
    return typeof value === 'string' ? [[name, value] as const] : [];
  });
  return Object.fromEntries(needed);
}
