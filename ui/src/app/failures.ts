import type { Mutation, Query } from '@tanstack/react-query';
import { ApiError } from '@vidette/contract/client';
import { messageOf, type ErrorCode } from '@vidette/contract/errors';
import type { I18n, MessageKey } from '../i18n/i18n.ts';
import { notifyError } from './notify.ts';

// What the page does about a call that failed, in one place [R7.50 to R7.53, R8.2 to R8.4].

/** What a query or mutation may say about its own failures. */
export interface FailureMeta extends Record<string, unknown> {
  /** Title of the notification; without one nothing pops up. */
  readonly title?: MessageKey;
  /** The screen shows "not found" and the like itself. */
  readonly isHandled?: boolean;
}

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: FailureMeta;
    mutationMeta: FailureMeta;
  }
}

/** Where a failure can lead. */
export interface FailureExits {
  readonly i18n: () => I18n;
  readonly toNotFound: () => void;
  readonly toSignIn: () => void;
  readonly toInit: () => void;
  readonly serverLost: () => void;
}

/** The code of any failure: the call's own, else the unknown one. */
export function codeOf(error: unknown): ErrorCode {
  return error instanceof ApiError ? error.code : 'SERVER_UNKNOWN_ERR';
}

/** A failure in words: the server's own, which may say more, else the catalogue's; a proxy's are no words for people. */
export function textOf(error: unknown, i18n: I18n): string {
  const code = codeOf(error);
  const isOwn = code !== 'SERVER_UNKNOWN_ERR' && code !== 'SERVER_NOT_RESPONSE_ERR';
  const isTold = isOwn && error instanceof ApiError && error.message !== '';
  return isTold ? error.message : messageOf(code, i18n.language);
}

/** Handles a failed query: a GET, whose 404 is a page that isn't there. */
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

/** Handles a failed change. */
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
  // A wrong password is a 401 too, and belongs to the form that was filled in.
  else if (error.status === 401 && error.code !== 'AuthorizationFailed') exits.toSignIn();
  else return false;
  return true;
}
