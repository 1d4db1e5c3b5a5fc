import type { MessageKey } from '../i18n/i18n.ts';
import { auditSearch } from '../screens/audit-logs/audit-search.ts';
import { bookmarksSearch } from '../screens/bookmarks/bookmarks-search.ts';
import { exportsSearch } from '../screens/exports/exports-search.ts';
import { mosaicSearch } from '../screens/mosaic/mosaic-search.ts';
import { mosaicsSearch } from '../screens/mosaics/mosaics-search.ts';
import { usersSearch } from '../screens/users/users-search.ts';
import type { Search } from './search.ts';

// Every address of the page [R2.1 to R2.19], below /ui. `$name` stands for one part of an address. Table of data.

/** What is known of an address before its screen is there. */
export interface Address {
  /** The page's name in the document's title. */
  readonly title: MessageKey;
  /** Shown without anybody signed in, and without the header. */
  readonly isPublic?: true;
  /** Who may see it; the server decides again for every call [R6.1, R6.2]. */
  readonly audience?: 'admin' | 'creator';
  /** Reads what stands behind the question mark, leaving out what makes no sense. */
  readonly search?: (search: Search) => Search;
}

const ofAdministration = { title: 'title.administration', audience: 'admin' } as const;
const ofUser = { title: 'title.user', audience: 'admin' } as const;
const ofStream = { title: 'title.streamInfo' } as const;
const ofProfile = { title: 'title.profile' } as const;

export const addresses = {
  '/auth': {
    title: 'title.auth',
    isPublic: true,
    search: (search): { recover?: boolean; expired?: boolean } => ({
      ...(search['recover'] ? { recover: true } : {}),
      ...(search['expired'] ? { expired: true } : {}),
    }),
  },
  '/recover-password': { title: 'title.recover', isPublic: true },
  '/init': { title: 'title.init', isPublic: true },
  '/not-found': { title: 'title.notFound', isPublic: true },
  '/streams': { title: 'title.streams' },
  '/add-stream': {
    title: 'title.addStream',
    audience: 'creator',
    search: ({ source }): { source?: string } => (typeof source === 'string' ? { source } : {}),
  },
  '/stream/$uid/view': {
    title: 'title.streamView',
    // A moment of the archive to begin at: ms since the epoch, or a date with a time.
    search: ({ t }): { t?: string | number } => (typeof t === 'string' || typeof t === 'number' ? { t } : {}),
  },
  '/stream/$uid/info': ofStream,
  '/stream/$uid/setting': ofStream,
  '/stream/$uid/permission': ofStream,
  '/stream/$uid/debug': ofStream,
  '/profile/me/info': ofProfile,
  '/profile/me/edit': ofProfile,
  '/profile/me/tokens': ofProfile,
  '/profile/me/sessions': ofProfile,
  '/settings': { title: 'title.settings' },
  '/help': { title: 'title.help' },
  '/exports': { title: 'title.exports', search: exportsSearch },
  '/bookmarks': { title: 'title.bookmarks', search: bookmarksSearch },
  '/swagger': { title: 'title.swagger', audience: 'admin' },
  '/mosaics': { title: 'title.mosaics', search: mosaicsSearch },
  '/create-mosaic': { title: 'title.createMosaic' },
  '/mosaic/$id': { title: 'title.mosaic', search: mosaicSearch },
  '/mosaic/$id/edit': { title: 'title.mosaicEdit' },
  '/user/add': { title: 'title.userAdd', audience: 'admin' },
  '/user/$login/info': ofUser,
  '/user/$login/edit': ofUser,
  '/user/$login/permission': ofUser,
  '/user/$login/sessions': ofUser,
  '/administration/stats': ofAdministration,
  '/administration/config': ofAdministration,
  '/administration/users': { ...ofAdministration, search: usersSearch },
  '/administration/cluster': ofAdministration,
  '/administration/license': ofAdministration,
  '/administration/server-debug': ofAdministration,
  '/administration/tunnel': ofAdministration,
  '/administration/audit-logs': { ...ofAdministration, search: auditSearch },
} as const satisfies Record<string, Address>;

/** Addresses that stand for another one with the same parts. */
export const shortcuts = {
  '/': '/streams',
  '/license': '/administration/license',
  '/administration': '/administration/stats',
  '/profile/me': '/profile/me/info',
  '/stream/$uid': '/stream/$uid/info',
  '/user/$login': '/user/$login/info',
} as const satisfies Record<string, AddressName>;

/** The name of an address: how it is written in the table above. */
export type AddressName = keyof typeof addresses;

/** What a link may lead to. */
export type LinkName = AddressName | keyof typeof shortcuts;

/** The parts of an address that its name leaves open, as they stand between the slashes. */
export type ParamsOf<Name extends string> = Name extends `${string}$${infer Param}/${infer Rest}`
  ? { readonly [Key in Param]: string } & ParamsOf<Rest>
  : Name extends `${string}$${infer Param}`
    ? { readonly [Key in Param]: string }
    : Readonly<Record<never, string>>;

/** What may stand behind an address's question mark. */
export type SearchOf<Name extends string> = Name extends AddressName
  ? (typeof addresses)[Name] extends { readonly search: (search: Search) => infer Read }
    ? Read
    : Record<string, never>
  : Record<string, never>;

type ParamsMember<Name extends LinkName> = Name extends `${string}$${string}`
  ? { readonly params: ParamsOf<Name> }
  : { readonly params?: undefined };

/** Where a link leads; nothing stands behind the question mark unless it is given. */
export type LinkDestination = {
  [Name in LinkName]: { readonly to: Name; readonly search?: SearchOf<Name> } & ParamsMember<Name>;
}[LinkName];

/** Where to go, and how. */
export type NavigateOptions = {
  [Name in LinkName]: {
    readonly to: Name;
    /** What stands behind the question mark from then on, or how it follows from what stands there; else nothing does. */
    readonly search?: SearchOf<Name> | ((old: SearchOf<Name>) => SearchOf<Name>);
  } & ParamsMember<Name>;
}[LinkName] & {
  /** The place that is left has no entry in the history. */
  readonly replace?: boolean;
  /** Goes even where somebody would lose what they typed. */
  readonly ignoreBlocker?: boolean;
  /** The old screen makes no sense any more: it goes before the new one is here. */
  readonly isImmediate?: boolean;
};
