import { isErrorCode, type ErrorCode } from '@vidette/contract/errors';
import { Fault } from '../base/fault.ts';
import type { SupervisorStatus } from '../ingest/supervisor.ts';
import type { ManagedStreamSettings } from './settings.ts';

/** Values of a stream's status in the API [R4.1]; pending and running count as available. */
export type ManagedStreamStatus = (typeof managedStreamStatuses)[number];
const managedStreamStatuses = ['pending', 'running', 'failed', 'paused', 'disabled'] as const;

/** What another node reported about a stream. */
export interface ReportedState {
  readonly status: string;
  readonly code: string | null;
  readonly reason: string | null;
}

export interface ManagedStreamState {
  readonly status: ManagedStreamStatus;
  /** The reason as text; null unless failed. */
  readonly failureReason: string | null;
  /** The reason as a code of the error catalogue. */
  readonly code: ErrorCode | null;
}

/**
 * The status shown to users, derived from the settings and the source's status, or the reason why there is
 * none. `elsewhere`: the state of the stream on another node; undefined if no node runs it.
 */
export function stateOf(
  settings: ManagedStreamSettings,
  runsHere: boolean,
  elsewhere: ReportedState | undefined,
  source: SupervisorStatus | Fault | undefined,
): ManagedStreamState {
  if (settings.isPaused) return { status: 'paused', failureReason: null, code: null };
  if (elsewhere !== undefined) return reported(elsewhere);
  if (!runsHere) return { status: 'disabled', failureReason: null, code: null };
  if (source instanceof Fault) return { status: 'failed', failureReason: source.message, code: source.code };
  switch (source?.state) {
    case 'running':
      return { status: 'running', failureReason: null, code: null };
    case 'failed':
      return { status: 'failed', failureReason: source.reason ?? null, code: source.code ?? null };
    case 'connecting':
    case 'stopped':
    case undefined:
      return { status: 'pending', failureReason: null, code: null };
  }
}

/**
 * An unknown status stored by a newer version only means that the stream is not known to run; its unknown codes
 * are ignored.
 */
function reported({ status: stored, code, reason }: ReportedState): ManagedStreamState {
  const status = managedStreamStatuses.find((known) => known === stored) ?? 'pending';
  if (status !== 'failed') return { status, failureReason: null, code: null };
  return { status, failureReason: reason, code: code !== null && isErrorCode(code) ? code : null };
}

/** Compares what is shown to users. */
export function sameState(a: ManagedStreamState, b: ManagedStreamState): boolean {
  return a.status === b.status && a.failureReason === b.failureReason && a.code === b.code;
}
