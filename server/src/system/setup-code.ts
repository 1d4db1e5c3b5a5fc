import type { Cancel, Clock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { isSameCode, newCode } from '../access/secrets.ts';

const lifetimeMs = 30 * 60_000;
const maxTries = 5;

/**
 * The code that proves that the first administrator has access to the server's console [R8.13]. Valid for half
 * an hour and five wrong attempts, then a new one is printed; it is kept only in memory.
 */
export class SetupCode {
  readonly #clock: Clock;
  readonly #print: (line: string) => void;
  #code: string | undefined;
  #triesLeft = 0;
  #cancelRenewal: Cancel | undefined;

  constructor(options: { clock: Clock; print: (line: string) => void }) {
    this.#clock = options.clock;
    this.#print = options.print;
  }

  /** Creates and prints a code, and renews it until `stop`. */
  start(): void {
    this.#renew();
  }

  stop(): void {
    this.#cancelRenewal?.();
    this.#code = undefined;
  }

  /** @throws Fault LifetimeCodeRequired without a code, UnknownLifetimeCode with a wrong or expired one. */
  check(typed: string): void {
    if (typed.trim() === '') throw new Fault('LifetimeCodeRequired', 'The set-up code is missing.');
    if (this.#code !== undefined && isSameCode(typed, this.#code)) return;
    this.#triesLeft--;
    if (this.#code !== undefined && this.#triesLeft <= 0) this.#renew();
    throw new Fault('UnknownLifetimeCode', 'The set-up code is wrong or has been renewed.', {
      details: { fields: [{ path: 'code', code: 'UnknownLifetimeCode' }] },
    });
  }

  #renew(): void {
    this.#cancelRenewal?.();
    this.#code = newCode();
    this.#triesLeft = maxTries;
    this.#print(`Set-up code: ${this.#code}`);
    this.#print(`It is valid for ${lifetimeMs / 60_000} minutes; then a new one is printed here.`);
    this.#cancelRenewal = this.#clock.after(lifetimeMs, () => this.#renew());
  }
}
