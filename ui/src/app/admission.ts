import type { QueryClient } from '@tanstack/react-query';
import { settingsQuery, userOf } from '../api/session.ts';
import { addressOf, type Place, type Way } from '../routing/place.ts';
import { keepDestination, type DestinationStorage } from './destination.ts';

/**
 * Who may pass on to a place: returns where somebody has to go instead, after keeping where they wanted to go [R2.21];
 * undefined lets them in.
 */
export function diversion(
  place: Place,
  queryClient: QueryClient,
  storage: DestinationStorage,
): Way | undefined {
  const { name, params, search } = place;
  const { isLocked } = queryClient.getQueryData(settingsQuery.queryKey) ?? {};
  if (isLocked === true) return name === '/init' ? undefined : { to: '/init' };
  if (name === null) return undefined;
  if (name === '/init' && isLocked === false) return { to: '/streams' };
  keepDestination(storage, { name, params, search });
  if (userOf(queryClient) || addressOf(place)?.isPublic) return undefined;
  return { to: '/auth' };
}
