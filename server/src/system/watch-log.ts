import type { Cancel, Clock } from '../base/clock.ts';
import { networkOf } from '../base/network.ts';
import type { OpenEntry } from './audit-event.ts';
import type { AuditLog } from './audit-log.ts';

/** The modes of watching: each is the `action` of an entry. */
type WatchMode = 'watchStream' | 'watchWall' | 'watchArchive' | 'watchStills' | 'watchShared';

/** Who watches which stream. */
export interface Watch {
  readonly mode: WatchMode;
  readonly uid: string;
  /** Null: through a public link. */
  readonly login: string | null;
  readonly ip: string;
}

/**
 * Returning within this time continues the entry, for example after a page reload, or on a wall that rotates.
 */
const pauseMs = 5 * 60_000;
const sweepMs = 30_000;
/**
 * How often entries of ongoing watching are written, so that after a crash the end time is approximately right.
 */
const progressMs = 5 * 60_000;
/** Maximum number of networks with their own entry for one public link; further ones share an entry. */
const maxVisitors = 50;

interface WatchEntry {
  readonly audit: OpenEntry;
  readonly startMs: number;
  /** Current number of connections. */
  open: number;
  lastMs: number;
  writtenMs: number;
}

/**
 * Who watched which stream from when to when: one entry for each user, stream and mode, however many
 * connections, requests and pauses of some minutes it took.
 */
export class WatchLog {
  readonly #audit: Pick<AuditLog, 'open'>;
  readonly #clock: Clock;
  readonly #entries = new Map<string, WatchEntry>();
  readonly #visitors = new Map<string, number>();
  readonly #cancelSweep: Cancel;

  constructor(audit: Pick<AuditLog, 'open'>, clock: Clock) {
    this.#audit = audit;
    this.#clock = clock;
    this.#cancelSweep = clock.every(sweepMs, () => this.#sweep());
  }

  /** Records watching over a connection. Returns a function to be called once when it ends. */
  begin(watch: Watch): () => void {
    const entry = this.#entryFor(watch);
    entry.open++;
    return () => {
      entry.open--;
      entry.lastMs = this.#clock.wallMs();
    };
  }

  /** Records watching by one of many requests. */
  touch(watch: Watch): void {
    this.#entryFor(watch);
  }

  /** Ends all ongoing entries now. Idempotent. */
  close(): void {
    this.#cancelSweep();
    for (const [key, entry] of this.#entries) this.#end(key, entry);
  }

  #entryFor(watch: Watch): WatchEntry {
    const nowMs = this.#clock.wallMs();
    const key = this.#keyOf(watch);
    const known = this.#entries.get(key);
    if (known) {
      known.lastMs = nowMs;
      return known;
    }
    const { mode, uid, login, ip } = watch;
    const details = { startTime: nowMs };
    const entry: WatchEntry = {
      audit: this.#audit.open({ login, ip, action: mode, target: uid, outcome: 'ok', details }),
      startMs: nowMs,
      open: 0,
      lastMs: nowMs,
      writtenMs: nowMs,
    };
    this.#entries.set(key, entry);
    if (login === null) this.#visitors.set(uid, (this.#visitors.get(uid) ?? 0) + 1);
    return entry;
  }

  #keyOf({ mode, uid, login, ip }: Watch): string {
    if (login !== null) return `${mode} ${uid} ${login}`;
    const own = `${mode} ${uid}  ${networkOf(ip)}`;
    const isKnown = this.#entries.has(own) || (this.#visitors.get(uid) ?? 0) < maxVisitors;
    return isKnown ? own : `${mode} ${uid}  others`;
  }

  #sweep(): void {
    const nowMs = this.#clock.wallMs();
    for (const [key, entry] of this.#entries) {
      if (entry.open > 0) entry.lastMs = nowMs;
      else if (Math.abs(nowMs - entry.lastMs) >= pauseMs) {
        this.#end(key, entry);
        continue;
      }
      if (Math.abs(nowMs - entry.writtenMs) < progressMs) continue;
      entry.writtenMs = nowMs;
      entry.audit.update({ startTime: entry.startMs, lastSeenTime: entry.lastMs });
    }
  }

  #end(key: string, entry: WatchEntry): void {
    const endTime = entry.open > 0 ? this.#clock.wallMs() : entry.lastMs;
    entry.audit.update({ startTime: entry.startMs, endTime }, true);
    this.#entries.delete(key);
    const [, uid = '', login] = key.split(' ');
    if (login !== '') return;
    const left = (this.#visitors.get(uid) ?? 1) - 1;
    if (left > 0) this.#visitors.set(uid, left);
    else this.#visitors.delete(uid);
  }
}
