import type { NotificationFailure } from '@vidette/contract/notifications';

/** Why a broker can't be used, in the words of the notifications. */
export type BrokerProblem = Extract<
  NotificationFailure['code'],
  'unreachable' | 'reset' | 'timeout' | 'tls' | 'broker-credentials' | 'broker-refused'
>;

/** A connection or a message that failed. It reaches no client of the API: only its problem does. */
export class BrokerFailure extends Error {
  readonly problem: BrokerProblem;

  constructor(problem: BrokerProblem, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'BrokerFailure';
    this.problem = problem;
  }
}

/** Reason codes of a CONNACK (MQTT 5.0, 3.2.2.2): wrong credentials, or none that are allowed to connect. */
const credentialCodes: ReadonlySet<unknown> = new Set([134, 135]);
const unreachableCodes: ReadonlySet<unknown> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ETIMEDOUT',
]);

/** The failure of an attempt to connect. */
export function connectFailureOf(error: unknown, url: string): BrokerFailure {
  const failure = failureOf(error, url);
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  if (!credentialCodes.has(code)) return failure;
  return new BrokerFailure('broker-credentials', failure.message, { cause: error });
}

/** @param url or its scheme: what fails below TLS is an error of TLS only if there is TLS. */
export function failureOf(error: unknown, url: string): BrokerFailure {
  if (error instanceof BrokerFailure) return error;
  const code: unknown = error instanceof Error && 'code' in error ? error.code : undefined;
  const message = error instanceof Error ? error.message : String(error);
  const failure = (problem: BrokerProblem) => new BrokerFailure(problem, message, { cause: error });
  if (typeof code === 'number') return failure('broker-refused');
  if (unreachableCodes.has(code)) return failure('unreachable');
  if (code === 'ECONNRESET' || code === 'EPIPE') return failure('reset');
  // Node's TLS has a code of its own for each way in which a certificate can be wrong.
  return failure(url.startsWith('mqtts') && typeof code === 'string' ? 'tls' : 'reset');
}
