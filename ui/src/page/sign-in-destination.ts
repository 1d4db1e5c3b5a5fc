import type { AddressName } from '../routing/addresses.ts';

// The destination wanted before signing in [R2.21]: kept in session storage as route name and params.

const key = 'vidette.destination';
const neverDestinations: readonly AddressName[] = ['/auth', '/recover-password', '/init', '/not-found'];

/** A location in the page: the name of its route, its params and its search. */
export interface SignInDestination {
  readonly name: AddressName;
  readonly params: Readonly<Record<string, string>>;
  readonly search: Readonly<Record<string, unknown>>;
}

/** Whether the page has an address of this name. */
export type IsAddressName = (name: string) => name is AddressName;

/** The part of Storage that is used. */
export type DestinationStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Stores the target unless one is stored already or the target is not worth returning to. */
export function keepDestination(
  storage: DestinationStorage,
  target: SignInDestination,
  isAddressName: IsAddressName,
): void {
  const kept = storage.getItem(key);
  if (kept === null || readDestination(kept, isAddressName) === null) replaceDestination(storage, target);
}

/** Replaces the stored target: work interrupted by the end of a session resumes where it stopped. */
export function replaceDestination(storage: DestinationStorage, target: SignInDestination): void {
  if (!neverDestinations.includes(target.name)) storage.setItem(key, JSON.stringify(target));
}

/**
 * Takes and clears the stored destination; null for none, or for one that this page doesn't have (any more).
 */
export function takeDestination(
  storage: DestinationStorage,
  isAddressName: IsAddressName,
): SignInDestination | null {
  const text = storage.getItem(key);
  storage.removeItem(key);
  return text === null ? null : readDestination(text, isAddressName);
}

/** Data of another version, or truncated data, must not prevent a sign-in. */
function readDestination(text: string, isAddressName: IsAddressName): SignInDestination | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
  if (!isRecord(value) || !isRecord(value['params']) || !isRecord(value['search'])) return null;
  const { name, params, search } = value;
  if (typeof name !== 'string' || !isAddressName(name) || neverDestinations.includes(name)) return null;
  const open = [...name.matchAll(/\$(\w+)/g)].map(([, param = '']) => [param, params[param]] as const);
  if (open.some(([, part]) => typeof part !== 'string' || part === '')) return null;
  return { name, params: Object.fromEntries(open) as Record<string, string>, search };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Clears it, as after a deliberate sign-out. */
export function clearDestination(storage: DestinationStorage): void {
  storage.removeItem(key);
}
