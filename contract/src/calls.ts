import type { Call } from './call.ts';
import { accountCalls } from './calls/account.ts';
import { archiveCalls } from './calls/archive.ts';
import { eventCalls } from './calls/events.ts';
import { exportCalls } from './calls/exports.ts';
import { mosaicCalls } from './calls/mosaics.ts';
import { notificationCalls } from './calls/notifications.ts';
import { streamCalls } from './calls/streams.ts';
import { systemCalls } from './calls/system.ts';
import { userCalls } from './calls/users.ts';
import type { CallName } from './routes.ts';

/**
 * The whole HTTP API, defined once: the server's checks, the page's typed client and the OpenAPI document are
 * derived from it. Every name has its address in `routes.ts`, and every address its call here; the compiler
 * enforces both.
 */
export const calls = {
  ...streamCalls,
  ...archiveCalls,
  ...exportCalls,
  ...eventCalls,
  ...accountCalls,
  ...userCalls,
  ...systemCalls,
  ...mosaicCalls,
  ...notificationCalls,
} as const satisfies Record<CallName, Call>;

export type Calls = typeof calls;
