import type { QueryClient } from '@tanstack/react-query';
import { serverEvents } from './server-events.ts';
import { followChanges } from './live-changes.ts';

/** Follows what changes on the server from now on. Loaded after the first screen. */
export function follow(queryClient: QueryClient): void {
  followChanges(serverEvents, queryClient, document, window);
}
