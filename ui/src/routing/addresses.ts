import type { MessageKey } from '../i18n/i18n.ts';
import { auditSearch } from '../screens/audit-logs/audit-search.ts';
import { bookmarksSearch } from '../screens/bookmarks/bookmarks-search.ts';
import { exportsSearch } from '../screens/exports/exports-search.ts';
import { mosaicSearch } from '../screens/mosaic/mosaic-search.ts';
import { mosaicsSearch } from '../screens/mosaics/mosaics-search.ts';
import { usersSearch } from '../screens/users/users-search.ts';
import type { Search } from './search.ts';

// Every address of the page [R2.1 to R2.19], below /ui. `$name` is a parameter. Table of data.

/** What is known of an address before its screen is loaded. */
export interface Address {
  /** The page's name in the document's title. */
  readonly title: MessageKey;
  /** Shown without signing in, and without the header. */
  readonly isPublic?: true;
  /** Who may open it; the server checks every call again [R6.1, R6.2]. */
  readonly audience?: 'admin' | 'creator';
  /** Parses the search string, omitting invalid values. */
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
    // A moment of the archive to start at: ms since the epoch, or a date with a time.
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

/** Aliases of other addresses with the same parameters. */
export const shortcuts = {
  '/': '/streams',
  '/license': '/administration/license',
  '/administration': '/administration/stats',
  '/profile/me': '/profile/me/info',
  '/stream/$uid': '/stream/$uid/info',
  '/user/$login': '/user/$login/info',
} as const satisfies Record<string, AddressName>;

/** The name of an address: its pattern in the table above. */
export type AddressName = keyof typeof addresses;

/** Valid link targets. */
export type LinkName = AddressName | keyof typeof shortcuts;

/** The parameters of an address, as they are between the slashes. */
export type ParamsOf<Name extends string> = Name extends `${string}$${infer Param}/${infer Rest}`
  ? { readonly [Key in Param]: string } & ParamsOf<Rest>
  : Name extends `${string}$${infer Param}`
    ? { readonly [Key in Param]: string }
    : Readonly<Record<never, string>>;

/** The search parameters of an address. */
export type SearchOf<Name extends string> = Name extends AddressName
  ? (typeof addresses)[Name] extends { readonly search: (search: Search) => infer Read }
    ? Read
    : Record<string, never>
  : Record<string, never>;

type ParamsMember<Name extends LinkName> = Name extends `${string}$${string}`
  ? { readonly params: ParamsOf<Name> }
  : { readonly params?: undefined };

/** The target of a link; the search string is empty unless given. */
export type LinkDestination = {
  [Name in LinkName]: { readonly to: Name; readonly search?: SearchOf<Name> } & ParamsMember<Name>;
}[LinkName];

/** A navigation target and its options. */
export type NavigateOptions = {
  [Name in LinkName]: {
    readonly to: Name;
    /** The new search parameters, or a function of the current ones; empty if omitted. */
    readonly search?: SearchOf<Name> | ((old: SearchOf<Name>) => SearchOf<Name>);
  } & ParamsMember<Name>;
}[LinkName] & {
  /** Replaces the current history entry. */
  readonly replace?: boolean;
  /** Navigates even if the user would lose unsaved input. */
  readonly ignoreBlocker?: boolean;
  /** The old screen is no longer valid: it is removed before the new one is loaded. */
  readonly isImmediate?: boolean;
};
