import { backoffMs, type Backoff } from '../base/backoff.ts';
import type { Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import { networkOf } from '../base/network.ts';
import { keyOf } from '../base/search-key.ts';
import type { FailedAttempts, FailureCount } from '../store/failed-attempts.ts';
import { hashSecret } from './secrets.ts';

const windowMs = 15 * 60_000;
/** Failures for one login from one network, or from one known device, without a pause. */
const freeFailures = 10;
/** The same while the login is under attack from many networks. */
const freeUnderAttack = 3;
/** Failures for one login, from all networks, that count as an attack. */
const attackFailures = 100;
/**
 * Failures of one network for any logins; beyond that, new devices there must wait until the window has
 * passed.
 */
const networkFailures = 100;
/** The first pause after the free failures; doubles with each further failure. */
const pauses: Backoff = { firstMs: 2_000, longestMs: 60_000 };
const pruneMs = 60_000;

/** A sign-in attempt. */
export interface SignInAttempt {
  /** As typed. */
  readonly login: string;
  readonly ip: string;
  /** The device, if it is a known one of the user with this login. */
  readonly deviceId: string | undefined;
}

/** An admitted attempt; counts as a failure until reported otherwise. */
export interface AdmittedAttempt {
  /** The password was right. */
  forgive(): Promise<void>;
}

interface Rule {
  readonly key: string;
  /** Whether each failure restarts the window after which all are forgotten. */
  readonly slides: boolean;
  /** When another attempt may be made, ms since the epoch, given the failures so far. */
  readonly openMs: (failures: FailureCount) => number;
}

/**
 * How failed sign-ins slow down the next ones. Only failures count. They are counted by login and network
 * together, so that strangers slow down only themselves and never the owner; by network, against callers who
 * try many logins; and by login, which leaves networks that are new to it fewer free attempts while it is
 * under attack. A known device of the owner is counted separately. A pause is at most a minute, so that no
 * user is locked out.
 */
export class SignInLimits {
  readonly #failures: FailedAttempts;
  readonly #clock: Clock;
  readonly #log: Log;
  #prunedMs = -Infinity;

  constructor(options: { failures: FailedAttempts; clock: Clock; log: Log }) {
    this.#failures = options.failures;
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /** @throws Fault TooManyRequests with `retryAfterSeconds` */
  async admit(attempt: SignInAttempt): Promise<AdmittedAttempt> {
    const nowMs = this.#clock.wallMs();
    this.#prune(nowMs);
    const login = keyOf(attempt.login);
    const loginKey = keyFor('login', login);
    const attack = (await this.#failures.of([loginKey], nowMs)).get(loginKey)?.count ?? 0;
    const free = attack >= attackFailures ? freeUnderAttack : freeFailures;
    const rules =
      attempt.deviceId === undefined ? strangerRules(login, attempt.ip, free) : deviceRules(attempt.deviceId);
    const keys = rules.map(({ key }) => key);
    const before = await this.#failures.of(keys, nowMs);
    for (const { key, openMs } of rules) {
      const failures = before.get(key);
      if (failures) requireOpen(openMs(failures) - nowMs);
    }
    // Counted before the slow check, so that simultaneous guesses don't all pass the limit.
    const counted = attempt.deviceId === undefined ? [...keys, loginKey] : keys;
    let isCrowded = false;
    for (const { key, slides, openMs } of rules) {
      const count = await this.#failures.add(key, nowMs, windowMs, slides);
      const others = { count: count - 1, lastMs: nowMs, expiresMs: nowMs + windowMs };
      isCrowded ||= others.count > (before.get(key)?.count ?? 0) && openMs(others) > nowMs;
    }
    if (attempt.deviceId === undefined) await this.#failures.add(loginKey, nowMs, windowMs, false);
    if (isCrowded) {
      await this.#failures.takeBack(counted);
      requireOpen(pauses.firstMs);
    }
    return {
      forgive: async () => {
        await this.#failures.takeBack(counted);
        // The user knows the password: the earlier failures were typing errors.
        if (keys[0] !== undefined) await this.#failures.clear(keys[0]);
      },
    };
  }

  /** In the background: expired entries no longer count, deleted or not. */
  #prune(nowMs: number): void {
    const monotonicMs = this.#clock.monotonicMs();
    if (monotonicMs - this.#prunedMs < pruneMs) return;
    this.#prunedMs = monotonicMs;
    this.#failures
      .prune(nowMs)
      .catch((error: unknown) => this.#log.warn({ err: error }, 'Old failed sign-ins could not be removed'));
  }
}

function strangerRules(login: string, ip: string, free: number): Rule[] {
  const network = networkOf(ip);
  return [
    { key: keyFor('pair', login, network), slides: true, openMs: pauseAfter(free) },
    {
      key: keyFor('network', network),
      slides: false,
      openMs: ({ count, expiresMs }) => (count < networkFailures ? 0 : expiresMs),
    },
  ];
}

function deviceRules(deviceId: string): Rule[] {
  return [{ key: keyFor('device', deviceId), slides: true, openMs: pauseAfter(freeFailures) }];
}

function pauseAfter(free: number): Rule['openMs'] {
  return ({ count, lastMs }) => (count < free ? 0 : lastMs + backoffMs(count - free + 1, pauses));
}

/** Setting the clock back does not lengthen a pause. */
function requireOpen(waitMs: number): void {
  if (waitMs <= 0) return;
  const retryAfterSeconds = Math.ceil(Math.min(waitMs, windowMs) / 1_000);
  throw new Fault('TooManyRequests', 'Too many failed sign-ins.', { details: { retryAfterSeconds } });
}

function keyFor(...parts: readonly string[]): string {
  return hashSecret(parts.join('\n'));
}
