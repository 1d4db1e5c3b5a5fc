import { addresses, type AddressName } from '../routing/addresses.ts';

// Where somebody wanted to go before signing in [R2.21]: kept in session storage as route name and params.

const key = 'vidette.destination';
const neverDestinations: readonly AddressName[] = ['/auth', '/recover-password', '/init', '/not-found'];

/** A place in the page: the name of its address, its open parts and its search. */
export interface SignInDestination {
  readonly name: AddressName;
  readonly params: Readonly<Record<string, string>>;
  readonly search: Readonly<Record<string, unknown>>;
}

/** The part of Storage that is used. */
export type DestinationStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

/** Keeps the target unless one is kept already or nobody can want to return to it. */
export function keepDestination(storage: DestinationStorage, target: SignInDestination): void {
  const kept = storage.getItem(key);
  if (kept === null || readDestination(kept) === null) replaceDestination(storage, target);
}

/** Keeps the target in place of whatever was kept: a session that ends in mid-work is resumed where it ended. */
export function replaceDestination(storage: DestinationStorage, target: SignInDestination): void {
  if (!neverDestinations.includes(target.name)) storage.setItem(key, JSON.stringify(target));
}

/** Takes the kept destination and clears it; null for none, or for one that this page doesn't have (any more). */
export function takeDestination(storage: DestinationStorage): SignInDestination | null {
  const text = storage.getItem(key);
  storage.removeItem(key);
  return text === null ? null : readDestination(text);
}

/** What another version wrote, or half of it, must not keep anybody from signing in. */
function readDestination(text: string): SignInDestination | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return null;
  }
  if (!isRecord(value) || !isRecord(value['params']) || !isRecord(value['search'])) return null;
  const { name, params, search } = value;
  const known = (Object.keys(addresses) as AddressName[]).find((one) => one === name);
  if (known === undefined || neverDestinations.includes(known)) return null;
  const open = [...known.matchAll(/\$(\w+)/g)].map(([, param = '']) => [param, params[param]] as const);
  if (open.some(([, part]) => typeof part !== 'string' || part === '')) return null;
  return { name: known, params: Object.fromEntries(open) as Record<string, string>, search };
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Forgets it, as after a deliberate sign-out. */
export function clearDestination(storage: DestinationStorage): void {
  storage.removeItem(key);
}
