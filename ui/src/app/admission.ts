import type { QueryClient } from '@tanstack/react-query';
import { settingsQuery, userOf } from '../api/session.ts';
import type { AddressName } from '../routing/addresses.ts';
import type { RouteLocation, LinkTarget } from '../routing/location.ts';
import { addressOf, isAddressName } from './addresses.ts';
import { keepDestination, type DestinationStorage } from '../page/sign-in-destination.ts';

/** The current visitor. */
export interface Visitor {
  /** The server has not been set up yet; undefined while that is unknown. */
  readonly isLocked: boolean | undefined;
  readonly isSignedIn: boolean;
}

/**
 * The screen shown to a visitor at a location: the location's own, or another if they may not open it; null for
 * none.
 */
export function screenFor(location: RouteLocation, { isLocked, isSignedIn }: Visitor): AddressName | null {
  if (isLocked === true) return '/init';
  if (location.name === '/init' && isLocked === false) return '/streams';
  return location.name === null || isSignedIn || addressOf(location)?.isPublic ? location.name : '/auth';
}

/**
 * Where a visitor is redirected instead of a location, after the wanted target is stored [R2.21]; undefined
 * lets them continue.
 * @param isWanted the visitor requested it, and was not redirected there
 */
export function redirection(
  location: RouteLocation,
  isWanted: boolean,
  queryClient: QueryClient,
  storage: DestinationStorage,
): LinkTarget | undefined {
  const { name, params, search } = location;
  const { isLocked } = queryClient.getQueryData(settingsQuery.queryKey) ?? {};
  if (isWanted && name !== null && isLocked !== true)
    keepDestination(storage, { name, params, search }, isAddressName);
  const shown = screenFor(location, { isLocked, isSignedIn: userOf(queryClient) !== null });
  return shown === null || shown === name ? undefined : { to: shown };
}
