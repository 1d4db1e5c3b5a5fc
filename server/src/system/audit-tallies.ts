import type { Clock } from '../base/clock.ts';
import { networkOf } from '../base/network.ts';
import type { AuditEvent, OpenEntry } from './audit-event.ts';

/** The part of the audit log that the tallies use. */
interface EntryOpener {
  open(event: AuditEvent): OpenEntry;
}

const hourMs = 3_600_000;
/** Maximum number of kinds counted separately in an hour; beyond that they are merged by user, then by call. */
const maxKinds = 1_000;
/** Maximum number of networks named in an entry. */
const maxNetworks = 10;

interface Tally {
  readonly entry: OpenEntry;
  readonly firstMs: number;
  readonly networks: Set<string>;
  count: number;
  lastMs: number;
  isTold: boolean;
}

/**
 * Events that are counted instead of recorded individually: one entry for each hour, call, outcome and affected
 * user.
 */
export class AuditTallies {
  readonly #audit: EntryOpener;
  readonly #clock: Clock;
  readonly #tallies = new Map<string, Tally>();
  #hour = 0;

  constructor(audit: EntryOpener, clock: Clock) {
    this.#audit = audit;
    this.#clock = clock;
  }

  count(event: AuditEvent): void {
    const nowMs = this.#clock.wallMs();
    const hour = Math.floor(nowMs / hourMs);
    if (hour !== this.#hour) {
      this.#tell(true);
      this.#tallies.clear();
      this.#hour = hour;
    }
    const tally = this.#tallyFor(event, nowMs);
    tally.count++;
    tally.lastMs = nowMs;
    tally.isTold = false;
    if (tally.networks.size <= maxNetworks) tally.networks.add(networkOf(event.ip));
  }

  /** Passes the counts on for writing. */
  tell(): void {
    this.#tell(false);
  }

  #tallyFor(event: AuditEvent, nowMs: number): Tally {
    const kinds = [event, { ...event, login: null }, { ...event, login: null, action: 'other' }];
    const kind =
      kinds.find((one) => this.#tallies.has(keyOf(one)) || this.#tallies.size < maxKinds) ?? kinds[2];
    const { login, ip, action, outcome } = kind ?? event;
    const key = keyOf(kind ?? event);
    const known = this.#tallies.get(key);
    if (known) return known;
    const networks = new Set<string>();
    const tally: Tally = {
      entry: this.#audit.open({
        login,
        ip,
        action,
        target: null,
        outcome,
        details: { count: 1, startTime: nowMs },
      }),
      firstMs: nowMs,
      networks,
      count: 0,
      lastMs: nowMs,
      isTold: false,
    };
    this.#tallies.set(key, tally);
    return tally;
  }

  #tell(isOver: boolean): void {
    for (const { entry, ...tally } of this.#tallies.values()) {
      if (tally.isTold && !isOver) continue;
      const networks = [...tally.networks].slice(0, maxNetworks);
      const details = { count: tally.count, startTime: tally.firstMs, endTime: tally.lastMs, networks };
      entry.update(tally.networks.size > maxNetworks ? { ...details, moreNetworks: true } : details, isOver);
    }
    for (const tally of this.#tallies.values()) tally.isTold = true;
  }
}

function keyOf({ login, action, outcome }: AuditEvent): string {
  return `${action} ${outcome} ${login ?? ''}`;
}
