import type { FastifyRequest } from 'fastify';
import { calls } from '@vidette/contract/calls';
import type { Call } from '@vidette/contract/call';
import { routes, type CallName } from '@vidette/contract/routes';
import type { Fault } from '../base/fault.ts';
import type { Log } from '../base/log.ts';
import type { AuditNote } from '../system/audit-event.ts';
import type { AuditLog } from '../system/audit-log.ts';
import { faultOf, logFault } from './failure.ts';

/** Records calls: their outcome in the audit log, their failures in the server's log. */
export class CallRecord {
  readonly #audit: Pick<AuditLog, 'add' | 'count'>;
  readonly #log: Log;

  constructor({ audit, log }: { audit: Pick<AuditLog, 'add' | 'count'>; log: Log }) {
    this.#audit = audit;
    this.#log = log;
  }

  /** Records a call in the audit log, if its kind is audited. `outcome` is `ok` or an error code. */
  noteIfDue(name: CallName, ip: string, note: AuditNote, outcome: string): void {
    // Anonymous calls are noise: strangers could fill the disk with them.
    if (outcome === 'LifetimeCodeRequired' || outcome === 'AuthorizationRequired') return;
    const call: Call = calls[name];
    if (routes[name].method !== 'GET' || call.audited) this.note(name, ip, note, outcome);
  }

  note(name: CallName, ip: string, { isSignedIn, ...note }: AuditNote, outcome: string): void {
    const event = { ...note, ip, action: name, outcome };
    // A caller who has just signed in, or set a new password, counts as a user too; other anonymous callers
    // could fill the log.
    const isPerson = isSignedIn || (outcome === 'ok' && note.login !== null);
    if (isPerson) this.#audit.add(event);
    else this.#audit.count(event);
  }

  /** Logs the failure of a call and returns its fault. */
  fail(name: CallName, error: unknown, request: FastifyRequest): Fault {
    const fault = faultOf(error);
    logFault(this.#log, fault, { call: name, method: request.method, url: request.url });
    return fault;
  }

  /** The client sees only that the body breaks off. */
  noteCut(name: CallName, error: unknown): void {
    this.#log.warn({ err: error, call: name }, 'A response was cut short');
  }
}
