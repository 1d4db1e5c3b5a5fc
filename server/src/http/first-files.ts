import { posterWidthPx } from '@vidette/contract/constants';
import type { MessageLanguage } from '@vidette/contract/errors';
import type { FirstFiles } from '@vidette/contract/first-files';
import { addressOf as callAddress } from '@vidette/contract/routes';
import type { PageFile, PageFiles } from './page-files.ts';

/** Who opens the page, and where. */
export interface FirstVisit {
  /** The address below `/ui`, without the query. */
  readonly path: string;
  readonly isLocked: boolean;
  readonly isSignedIn: boolean;
  readonly language: MessageLanguage;
}

/** The parsed list of each build that is served. */
const lists = new WeakMap<PageFile, FirstFiles>();

/** The files of a visitor's first screen, below `/ui/`; none when the build lists none. */
export async function firstFilesFor(files: PageFiles, visit: FirstVisit): Promise<ReadonlySet<string>> {
  const file = await files.find('first-files.json');
  if (!file) return new Set();
  const list = lists.get(file) ?? (JSON.parse(file.bytes.toString('utf8')) as FirstFiles);
  lists.set(file, list);
  const { isSignedIn, language } = visit;
  const screen = list.screens[addressOf(list, visit)];
  return new Set([
    ...(screen?.files ?? []),
    ...(isSignedIn ? list.frame : []),
    ...(list.fonts[language] ?? []),
    ...(list.firstMessages[language] ?? []),
    ...(screen && !screen.usesFirstMessages ? (list.otherMessages[language] ?? []) : []),
  ]);
}

/**
 * The still that the view shows until its video arrives, the largest thing on that screen, which need not wait for the
 * script; undefined on other screens, and for a moment of the archive.
 */
export function firstStillFor(url: string): string | undefined {
  const [path = '', query = ''] = url.split('?', 2);
  const uid = /^\/ui\/stream\/(\w+)\/view$/.exec(path)?.[1];
  if (uid === undefined || new URLSearchParams(query).has('t')) return undefined;
  return callAddress('getStreamPicture', { uid }, { width: posterWidthPx });
}

/** Tags that make a browser request these together with the page's own script. */
export function linksTo(files: Iterable<string>, still: string | undefined): string {
  const links = [...files].map((name) => `<link ${attributesFor(name)} crossorigin href="/ui/${name}">`);
  if (still !== undefined) links.push(`<link rel="preload" as="image" href="${still}">`);
  return links.join('\n    ');
}

function attributesFor(name: string): string {
  if (name.endsWith('.css')) return 'rel="stylesheet"';
  return name.endsWith('.woff2') ? 'rel="preload" as="font" type="font/woff2"' : 'rel="modulepreload"';
}

/** The address in the build's list that the page shows first. A wrong guess costs a request, and nothing else. */
function addressOf({ screens }: FirstFiles, { path, isLocked, isSignedIn }: FirstVisit): string {
  if (isLocked) return '/init';
  if (!isSignedIn) return path === '/recover-password' ? path : '/auth';
  const parts = (path === '/' ? '/streams' : path).split('/');
  const isAt = (address: string) => {
    const own = address.split('/');
    return own.length === parts.length && own.every((part, at) => part.startsWith('$') || part === parts[at]);
  };
  return Object.keys(screens).find(isAt) ?? '';
}
