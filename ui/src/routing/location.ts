import type { AddressName, RoutedAddress } from './addresses.ts';
import { readSearch, writeSearch, type Search } from './search.ts';

/** The page's location, parsed from the address bar. */
export interface RouteLocation {
  /** Which of the page's addresses it is; null for an unknown one. */
  readonly name: AddressName | null;
  readonly params: Readonly<Record<string, string>>;
  readonly search: Search;
  /** The fragment after the `#`. */
  readonly hash: string;
  /** Path, search and hash as in the address bar. */
  readonly href: string;
  /** The path without the prefix common to all addresses of the page. */
  readonly path: string;
}

/** Any target: an address name from the table, or a path without parameters. */
export interface LinkTarget {
  readonly to: string;
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly search?: Search | undefined;
}

const base = '/ui';

function withoutLastSlash(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

/** A page's addresses, and aliases of them with the same parameters. */
export interface AddressTables {
  readonly addresses: Readonly<Record<string, RoutedAddress>>;
  readonly shortcuts: Readonly<Record<string, string>>;
}

/**
 * Creates the function that resolves a location with a page's tables. Its `href` begins with a path; aliases
 * are followed.
 */
export function locationReader({ addresses, shortcuts }: AddressTables): (href: string) => RouteLocation {
  const readers = [...Object.keys(addresses), ...Object.keys(shortcuts)]
    // A static address takes precedence over one with a parameter: /user/add is not the user `add`.
    .sort((a, b) => openParts(a) - openParts(b))
    .map((name) => ({
      name,
      params: [...name.matchAll(/\$(\w+)/g)].map(([, param = '']) => param),
      pattern: new RegExp(`^${name.replaceAll(/\$\w+/g, '([^/]+)')}$`, 'i'),
    }));
  const locationAt = (href: string): RouteLocation => {
    const url = new URL(href, 'http://page');
    const path = withoutLastSlash(url.pathname.replace(new RegExp(`^${base}(?=/|$)`), '')) || '/';
    const known = { href: url.pathname + url.search + url.hash, path };
    for (const { name, params, pattern } of readers) {
      const values = pattern.exec(path)?.slice(1).map(decoded);
      if (!values || values.includes(undefined)) continue;
      const found = Object.fromEntries(params.map((param, index) => [param, values[index] ?? '']));
      const meant = shortcuts[name];
      if (meant !== undefined) return locationAt(hrefOf({ to: meant, params: found }));
      return {
        ...known,
        name: name as AddressName,
        params: found,
        search: addresses[name]?.search?.(readSearch(url.search)) ?? {},
        hash: decoded(url.hash.slice(1)) ?? '',
      };
    }
    return { ...known, name: null, params: {}, search: {}, hash: '' };
  };
  return locationAt;
}

/** Formats the address of a target. */
export function hrefOf({ to, params = {}, search = {} }: LinkTarget): string {
  const path = to.replaceAll(/\$(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  return base + path + writeSearch(search);
}

/** Whether a target leads to the location, or to one of its parents. */
export function leadsTo({ to, params }: LinkTarget, { href }: RouteLocation): boolean {
  const own = hrefOf({ to, params });
  return href.startsWith(own) && /^([/?#]|$)/.test(href.slice(own.length));
}

function openParts(name: string): number {
  return name.split('$').length - 1;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
