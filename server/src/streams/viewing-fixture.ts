import { EventEmitter } from 'node:events';
import type { TestContext } from 'node:test';
import type { ErrorCode } from '@vidette/contract/errors';
import type { WebSocket } from 'ws';
import type { Authenticator } from '../access/authenticator.ts';
import type { Principal } from '../access/principal.ts';
import { addPrincipal, newAuthenticator } from '../access/user-fixture.ts';
import { Fault } from '../base/fault.ts';
import { silentLog } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import type { ManagedStream } from '../engine/managed-stream.ts';
import { ViewerDemand } from '../engine/viewer-demand.ts';
import type { Stream } from '../hub/stream.ts';
import { temporaryStore } from '../store/store-fixture.ts';
import { newStream } from '../store/stream-fixture.ts';
import type { AuditEvent } from '../system/audit-event.ts';
import { WatchLog } from '../system/watch-log.ts';
import { LiveSessions } from './live-sessions.ts';

/** An entry of the watch log ends after this long without a viewer. */
export const watchedPauseMs = 6 * 60_000;

const viewRight = { view: true, archive: false, share: false, edit: false };

/** The server's side of a WebSocket: what was sent on it, and how it was closed. */
export class FakeSocket extends EventEmitter {
  readonly CLOSED = 3;
  readyState = 1;
  readonly sent: string[] = [];
  closing: readonly [code: number, reason: string] | undefined;

  send(text: string): void {
    this.sent.push(text);
  }

  close(code: number, reason: string): void {
    this.closing = [code, reason];
  }

  /** The client disconnects. */
  leave(): void {
    this.readyState = this.CLOSED;
    this.emit('close');
  }

  get asSocket(): WebSocket {
    return this as unknown as WebSocket;
  }
}

/** What is served to viewers, and the codes with which they were disconnected. */
interface ServedViewer {
  readonly stream: Stream;
  readonly variant: unknown;
  readonly ends: ErrorCode[];
}

/**
 * A stream `gate` that runs here and that `ann` may view, with the real rights, sessions and watch log. Live
 * delivery records what it serves, and transcoding runs one stream at a time.
 */
export async function viewingScene(t: TestContext) {
  const store = await temporaryStore(t);
  const clock = new ManualClock();
  const authenticator = newAuthenticator(store, clock);
  const gate = await store.streams.add(newStream('gate'));
  const ann = await signedIn(authenticator, (await addPrincipal(store, 'ann')).user);
  const permit = (has: boolean) =>
    store.permissions.replaceOfStream(gate.id, has ? [{ userId: ann.user.id, rights: viewRight }] : []);
  await permit(true);
  const entries: (AuditEvent & { isOver?: boolean })[] = [];
  const watchLog = new WatchLog({ open: (event) => openEntry(entries, event) }, clock);
  const liveSessions = new LiveSessions({
    store,
    authenticator,
    clock,
    log: silentLog,
    transcoding: { allows: ({ canConvert }) => canConvert },
  });
  t.after(() => {
    liveSessions.close();
    watchLog.close();
  });
  const gateRun = runningStream('gate', clock);
  const running = new Map([['gate', gateRun]]);
  return {
    store,
    clock,
    authenticator,
    gate,
    ann,
    permit,
    entries,
    watchLog,
    liveSessions,
    running: gateRun,
    streamManager: managerOf(running),
    live: liveDelivery(),
    transcoding: newTranscoding(),
    stop: () => running.clear(),
  };
}

/** The user as a caller in a session that was just opened. */
async function signedIn(authenticator: Authenticator, user: Principal['user']): Promise<Principal> {
  const { secret } = await authenticator.open(user, { ip: '192.0.2.1', userAgent: 'test' });
  const principal = await authenticator.bySession(secret, '192.0.2.1');
  if (!principal) throw new Error('The session is not valid.');
  return principal;
}

function openEntry(entries: (AuditEvent & { isOver?: boolean })[], event: AuditEvent) {
  const place = entries.push(event) - 1;
  return {
    update(details: AuditEvent['details'], isOver = false) {
      entries[place] = { ...event, details, isOver };
    },
  };
}

/** A stream that runs here: its demand is real, its hub is just a name. */
export function runningStream(uid: string, clock: ManualClock) {
  const demand = new ViewerDemand(clock, () => {});
  return {
    stream: { uid } as Stream,
    sub: undefined as { stream: Stream; demand: ViewerDemand } | undefined,
    demand,
  };
}

function managerOf(running: ReadonlyMap<string, ReturnType<typeof runningStream>>) {
  const find = (uid: string) => running.get(uid) as unknown as ManagedStream | undefined;
  return {
    find,
    get(uid: string) {
      const stream = find(uid);
      if (!stream) throw new Fault('Unavailable', 'This server does not run the stream.');
      return stream;
    },
  };
}

function liveDelivery() {
  const served: ServedViewer[] = [];
  const serveSocket = (_: WebSocket, stream: Stream, variant: unknown) => {
    const ends: ErrorCode[] = [];
    served.push({ stream, variant, ends });
    return { end: (code: ErrorCode) => ends.push(code) };
  };
  return { served, serveSocket };
}

function newTranscoding() {
  const made: { name: string; isClosed: boolean; fail: (code: ErrorCode) => void }[] = [];
  const live = (viewer: { name: string }, source: Stream, fail: (code: ErrorCode) => void) => {
    if (made.filter(({ isClosed }) => !isClosed).length > 0)
      throw new Fault('QuotaReached', 'Too many streams are transcoded.');
    const one = { name: viewer.name, isClosed: false, fail };
    made.push(one);
    return {
      stream: { uid: `${source.uid} transcoded` } as Stream,
      close() {
        one.isClosed = true;
      },
    };
  };
  return { made, live };
}
