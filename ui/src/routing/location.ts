import { addresses, shortcuts, type Address, type AddressName } from './addresses.ts';
import { readSearch, writeSearch, type Search } from './search.ts';

/** Where the page is, read from the address bar. */
export interface RouteLocation {
  /** Which of the page's addresses it is; null for one that it doesn't have. */
  readonly name: AddressName | null;
  readonly params: Readonly<Record<string, string>>;
  readonly search: Search;
  /** What stands behind the `#`. */
  readonly hash: string;
  /** Path, search and hash as the address bar has them. */
  readonly href: string;
  /** The path without the part that all addresses of the page begin with. */
  readonly path: string;
}

/** Anything that leads to a place, by its name as the table of addresses has it or by a path without open parts. */
export interface LinkTarget {
  readonly to: string;
  readonly params?: Readonly<Record<string, string>> | undefined;
  readonly search?: Search | undefined;
}

const base = '/ui';

const readers = [...Object.keys(addresses), ...Object.keys(shortcuts)]
  // One that is written out in full goes before one with an open part: /user/add is not the user `add`.
  .sort((a, b) => openParts(a) - openParts(b))
  .map((name) => ({
    name,
    params: [...name.matchAll(/\$(\w+)/g)].map(([, param = '']) => param),
    pattern: new RegExp(`^${name.replaceAll(/\$\w+/g, '([^/]+)')}$`, 'i'),
  }));

function withoutLastSlash(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}

/** Finds the place of an address. `href` begins with a path; shortcuts are followed. */
export function locationAt(href: string): RouteLocation {
  const url = new URL(href, 'http://page');
  const path = withoutLastSlash(url.pathname.replace(new RegExp(`^${base}(?=/|$)`), '')) || '/';
  for (const { name, params, pattern } of readers) {
    const values = pattern.exec(path)?.slice(1).map(decoded);
    if (!values || values.includes(undefined)) continue;
    const found = Object.fromEntries(params.map((param, index) => [param, values[index] ?? '']));
    const meant = shortcuts[name as keyof typeof shortcuts] as AddressName | undefined;
    if (meant) return locationAt(hrefOf({ to: meant, params: found }));
    const { search: readThis }: Address = addresses[name as AddressName];
    return {
      name: name as AddressName,
      params: found,
      search: readThis?.(readSearch(url.search)) ?? {},
      hash: decoded(url.hash.slice(1)) ?? '',
      href: url.pathname + url.search + url.hash,
      path,
    };
  }
  return { name: null, params: {}, search: {}, hash: '', href: url.pathname + url.search + url.hash, path };
}

/** Writes the address of a way. */
export function hrefOf({ to, params = {}, search = {} }: LinkTarget): string {
  const path = to.replaceAll(/\$(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  return base + path + writeSearch(search);
}

/** Whether a way leads to the place, or to what the place lies in. */
export function leadsTo({ to, params }: LinkTarget, { href }: RouteLocation): boolean {
  const own = hrefOf({ to, params });
  return href.startsWith(own) && /^([/?#]|$)/.test(href.slice(own.length));
}

/** What is known of a place before its screen is there; undefined where the page has nothing. */
export const addressOf = ({ name }: RouteLocation): Address | undefined =>
  name === null ? undefined : addresses[name];

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
