import type { MessageKey } from '../i18n/i18n.ts';
import { auditSearch } from '../features/audit-logs/audit-search.ts';
import { bookmarksSearch } from '../features/bookmarks/bookmarks-search.ts';
import { digestSearch } from '../features/digest/digest-search.ts';
import { eventsSearch } from '../features/events/events-search.ts';
import { exportsSearch } from '../features/exports/exports-search.ts';
import { mosaicSearch } from '../features/mosaics/view/mosaic-search.ts';
import { togetherSearch } from '../features/mosaics/view/together-search.ts';
import { mosaicsSearch } from '../features/mosaics/list/mosaics-search.ts';
import { notificationsSearch } from '../features/notifications/notifications-search.ts';
import { usersSearch } from '../features/users/list/users-search.ts';
import type { RoutedAddress } from '../routing/addresses.ts';
import { locationReader, type RouteLocation } from '../routing/location.ts';

// Every address of the page [R2.1 to R2.19], below /ui. `$name` is a parameter. Table of
// data, which types every link and location.

/** What is known of an address before its screen is loaded. */
export interface Address extends RoutedAddress {
  /** The page's name in the document's title. */
  readonly title: MessageKey;
  /** Shown without signing in, and without the header. */
  readonly isPublic?: true;
  /** Who may open it; the server checks every call again [R6.1, R6.2]. */
  readonly audience?: 'admin' | 'creator';
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
  '/stream/$uid/setting': {
    ...ofStream,
    // Checks the address of the camera immediately.
    search: ({ test }): { test?: boolean } => (test === true ? { test } : {}),
  },
  '/stream/$uid/permission': ofStream,
  '/stream/$uid/debug': ofStream,
  '/profile/me/info': ofProfile,
  '/profile/me/edit': ofProfile,
  '/profile/me/tokens': ofProfile,
  '/profile/me/sessions': ofProfile,
  '/settings': { title: 'title.settings' },
  '/help': { title: 'title.help' },
  '/events': { title: 'title.events', search: eventsSearch },
  '/events/digest': { title: 'title.digest', search: digestSearch },
  '/exports': { title: 'title.exports', search: exportsSearch },
  '/notifications': { title: 'title.notifications', search: notificationsSearch },
  '/bookmarks': { title: 'title.bookmarks', search: bookmarksSearch },
  '/swagger': { title: 'title.swagger', audience: 'admin' },
  '/mosaics': { title: 'title.mosaics', search: mosaicsSearch },
  '/create-mosaic': { title: 'title.createMosaic' },
  '/mosaic/$id': { title: 'title.mosaic', search: mosaicSearch },
  '/mosaic/$id/edit': { title: 'title.mosaicEdit' },
  '/wall': { title: 'title.mosaic', search: togetherSearch },
  '/first-steps': { title: 'title.firstSteps', audience: 'admin' },
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
const shortcuts = {
  '/': '/streams',
  '/license': '/administration/license',
  '/administration': '/administration/stats',
  '/profile/me': '/profile/me/info',
  '/stream/$uid': '/stream/$uid/info',
  '/user/$login': '/user/$login/info',
} as const satisfies Record<string, keyof typeof addresses>;

declare module '../routing/addresses.ts' {
  interface PageTables {
    addresses: typeof addresses;
    shortcuts: typeof shortcuts;
  }
}

const known: Readonly<Record<string, Address>> = addresses;

/** Resolves a location of the page. `href` begins with a path; aliases are followed. */
export const locationAt = locationReader({ addresses: known, shortcuts });

/** Whether the page has an address of this name. */
export const isAddressName = (name: string): name is keyof typeof addresses => Object.hasOwn(addresses, name);

/** What is known of a location before its screen is loaded; undefined for an unknown one. */
export const addressOf = ({ name }: RouteLocation): Address | undefined =>
  name === null ? undefined : addresses[name];
