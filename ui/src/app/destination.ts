import type { AddressName } from '../routing/addresses.ts';

// Where somebody wanted to go before signing in [R2.21]: kept in session storage as route name and params.

const key = 'vidette.destination';
const neverDestinations: readonly AddressName[] = ['/auth', '/recover-password', '/init', '/not-found'];

/** A place in the page: the name of its address, its open parts and its search. */
export interface Destination {
  readonly name: AddressName;
  readonly params: Readonly<Record<string, string>>;
  readonly search: Readonly<Record<string, unknown>>;
}

/** The part of Storage that is used. */
export type DestinationStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Keeps the target unless one is kept already or nobody can want to return to it. */
export function keepDestination(storage: DestinationStorage, target: Destination): void {
  if (storage.getItem(key) === null) replaceDestination(storage, target);
}

/** Keeps the target in place of whatever was kept: a session that ends in mid-work is resumed where it ended. */
export function replaceDestination(storage: DestinationStorage, target: Destination): void {
  if (!neverDestinations.includes(target.name)) storage.setItem(key, JSON.stringify(target));
}

/** Takes the kept destination and clears it. */
export function takeDestination(storage: DestinationStorage): Destination | null {
  const text = storage.getItem(key);
  storage.removeItem(key);
  return text === null ? null : (JSON.parse(text) as Destination);
}

/** Forgets it, as after a deliberate sign-out. */
export function clearDestination(storage: DestinationStorage): void {
  storage.removeItem(key);
}
