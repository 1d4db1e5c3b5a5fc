import type { User } from '@vidette/contract/entities';
import { mayAddStreams } from '../api/session.ts';
import type { MessageKey } from '../i18n/i18n.ts';

// Where one can go from anywhere: what the side bar lists and the command palette finds. Table of data.

/** A screen that needs nothing named in its address. */
export interface Destination {
  readonly to: (typeof destinations)[number]['to'];
  readonly name: MessageKey;
  readonly group: 'watch' | 'own' | 'administration';
}

const destinations = [
  { to: '/streams', name: 'nav.allStreams', group: 'watch' },
  { to: '/mosaics', name: 'title.mosaics', group: 'watch' },
  { to: '/bookmarks', name: 'title.bookmarks', group: 'watch' },
  { to: '/exports', name: 'title.exports', group: 'watch' },
  { to: '/add-stream', name: 'nav.addStream', group: 'watch' },
  { to: '/profile/me/info', name: 'menu.profile', group: 'own' },
  { to: '/settings', name: 'menu.settings', group: 'own' },
  { to: '/help', name: 'menu.help', group: 'own' },
  { to: '/administration/stats', name: 'tab.stats', group: 'administration' },
  { to: '/administration/config', name: 'tab.config', group: 'administration' },
  { to: '/administration/users', name: 'tab.users', group: 'administration' },
  { to: '/administration/cluster', name: 'tab.cluster', group: 'administration' },
  { to: '/administration/license', name: 'tab.license', group: 'administration' },
  { to: '/administration/server-debug', name: 'tab.serverDebug', group: 'administration' },
  { to: '/administration/tunnel', name: 'tab.tunnel', group: 'administration' },
  { to: '/administration/audit-logs', name: 'tab.auditLogs', group: 'administration' },
  { to: '/swagger', name: 'menu.apiDocumentation', group: 'administration' },
] as const;

/** The places that somebody may go to [R6.1, R6.2]. */
export function destinationsOf(user: User): Destination[] {
  return destinations.filter(
    ({ group, to }) =>
      (group !== 'administration' || user.isAdmin) && (to !== '/add-stream' || mayAddStreams(user)),
  );
}
