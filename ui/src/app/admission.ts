import type { QueryClient } from '@tanstack/react-query';
import { settingsQuery, userOf } from '../api/session.ts';
import type { AddressName } from '../routing/addresses.ts';
import { addressOf, type RouteLocation, type LinkTarget } from '../routing/location.ts';
import { keepDestination, type DestinationStorage } from './sign-in-destination.ts';

/** Whom the page has before it. */
export interface Visitor {
  /** Nobody has set the server up yet; undefined while that is not known. */
  readonly isLocked: boolean | undefined;
  readonly isSignedIn: boolean;
}

/** The screen that is shown at a place to a visitor: the place's own unless they may not pass on to it; null for none. */
export function screenFor(location: RouteLocation, { isLocked, isSignedIn }: Visitor): AddressName | null {
  if (isLocked === true) return '/init';
  if (location.name === '/init' && isLocked === false) return '/streams';
  return location.name === null || isSignedIn || addressOf(location)?.isPublic ? location.name : '/auth';
}

/**
 * Where somebody has to go instead of a place, after keeping where they wanted to go [R2.21]; undefined lets them pass
 * on to it.
 * @param isWanted they asked for it themselves, and were not led there from elsewhere
 */
export function redirection(
  location: RouteLocation,
  isWanted: boolean,
  queryClient: QueryClient,
  storage: DestinationStorage,
): LinkTarget | undefined {
  const { name, params, search } = location;
  const { isLocked } = queryClient.getQueryData(settingsQuery.queryKey) ?? {};
  if (isWanted && name !== null && isLocked !== true) keepDestination(storage, { name, params, search });
  const shown = screenFor(location, { isLocked, isSignedIn: userOf(queryClient) !== null });
  return shown === null || shown === name ? undefined : { to: shown };
}
