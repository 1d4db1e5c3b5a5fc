import type { Mutation, Query } from '@tanstack/react-query';
import { ApiError } from '@vidette/contract/client';
import { messageOf, type ErrorCode } from '@vidette/contract/errors';
import type { I18n, MessageKey } from '../i18n/i18n.ts';
import { notifyError } from './notify.ts';

// How the page handles a failed call, in one place [R7.50 to R7.53, R8.2 to R8.4].

/** Options of a query or mutation for its own failures. */
export interface FailureMeta extends Record<string, unknown> {
  /** Title of the notification; without one no notification is shown. */
  readonly title?: MessageKey;
  /** The screen shows "not found" and the like itself. */
  readonly isHandled?: boolean;
  /** The event stream reports what changes in the answer: it is polled only while the stream is cut. */
  readonly isFollowed?: boolean;
}

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: FailureMeta;
    mutationMeta: FailureMeta;
  }
}

/** Outcomes of a failure. */
export interface FailureExits {
  readonly i18n: () => I18n;
  readonly toNotFound: () => void;
  readonly toSignIn: () => void;
  readonly toInit: () => void;
  readonly serverLost: () => void;
}

/** The error code of any failure: the call's own, or the unknown one. */
export function codeOf(error: unknown): ErrorCode {
  return error instanceof ApiError ? error.code : 'SERVER_UNKNOWN_ERR';
}

/**
 * The text of a failure: the server's own, which may say more, else the catalogue's; a proxy's text is not
 * meant for users.
 */
export function textOf(error: unknown, i18n: I18n): string {
  const code = codeOf(error);
  const isOwn = code !== 'SERVER_UNKNOWN_ERR' && code !== 'SERVER_NOT_RESPONSE_ERR';
  const isTold = isOwn && error instanceof ApiError && error.message !== '';
  return isTold ? error.message : messageOf(code, i18n.language);
}

/** Handles a failed query: a GET, whose 404 means that the page doesn't exist. */
export function queryFailed(
  error: unknown,
  query: Query<unknown, unknown, unknown>,
  exits: FailureExits,
): void {
  if (leavesScreen(error, exits)) return;
  const { title, isHandled } = query.meta ?? {};
  if (isHandled) return;
  if (error instanceof ApiError && error.status === 404) {
    exits.toNotFound();
    return;
  }
  notifyTitled(title, error, exits);
}

/** Handles a failed mutation. */
export function mutationFailed(
  error: unknown,
  mutation: Mutation<unknown, unknown, unknown>,
  exits: FailureExits,
): void {
  if (leavesScreen(error, exits)) return;
  notifyTitled(mutation.meta?.title, error, exits);
}

function notifyTitled(title: MessageKey | undefined, error: unknown, exits: FailureExits): void {
  if (title) notifyError(exits.i18n().t(title), textOf(error, exits.i18n()));
}

function leavesScreen(error: unknown, exits: FailureExits): boolean {
  if (!(error instanceof ApiError)) return false;
  if (error.status === 0) exits.serverLost();
  else if (error.status === 423) exits.toInit();
  // A wrong password is also a 401, and belongs to the submitted form.
  else if (error.status === 401 && error.code !== 'AuthorizationFailed') exits.toSignIn();
  else return false;
  return true;
}
