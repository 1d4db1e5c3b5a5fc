import type { User } from '@vidette/contract/entities';
import { mayAddStreams } from '../../api/session.ts';
import type { MessageKey } from '../../i18n/i18n.ts';

// Destinations reachable from anywhere: the side bar lists them and the command palette finds them. Table of
// data.

/** A screen whose address has no parameters. */
export interface Destination {
  readonly to: (typeof destinations)[number]['to'];
  readonly name: MessageKey;
  readonly group: 'watch' | 'own' | 'administration';
  /** How the names of the screens start that belong to it although their addresses lie elsewhere. */
  readonly holds?: readonly string[];
}

const destinations = [
  { to: '/streams', name: 'nav.allStreams', group: 'watch', holds: ['/stream/', '/first-steps'] },
  {
    to: '/mosaics',
    name: 'title.mosaics',
    group: 'watch',
    holds: ['/mosaic/', '/create-mosaic', '/wall'],
  },
  { to: '/events', name: 'title.events', group: 'watch' },
  { to: '/bookmarks', name: 'title.bookmarks', group: 'watch' },
  { to: '/exports', name: 'title.exports', group: 'watch' },
  { to: '/add-stream', name: 'nav.addStream', group: 'watch' },
  { to: '/profile/me/info', name: 'menu.profile', group: 'own', holds: ['/profile/'] },
  { to: '/notifications', name: 'title.notifications', group: 'own' },
  { to: '/settings', name: 'menu.settings', group: 'own' },
  { to: '/help', name: 'menu.help', group: 'own' },
  { to: '/administration/stats', name: 'tab.stats', group: 'administration' },
  { to: '/administration/config', name: 'tab.config', group: 'administration' },
  { to: '/administration/users', name: 'tab.users', group: 'administration', holds: ['/user/'] },
  { to: '/administration/cluster', name: 'tab.cluster', group: 'administration' },
  { to: '/administration/license', name: 'tab.license', group: 'administration' },
  { to: '/administration/server-debug', name: 'tab.serverDebug', group: 'administration' },
  { to: '/administration/tunnel', name: 'tab.tunnel', group: 'administration' },
  { to: '/administration/audit-logs', name: 'tab.auditLogs', group: 'administration' },
  { to: '/swagger', name: 'menu.apiDocumentation', group: 'administration' },
] as const;

/** The destinations that the user may open [R6.1, R6.2]. */
export function destinationsOf(user: User): Destination[] {
  return destinations.filter(
    ({ group, to }) =>
      (group !== 'administration' || user.isAdmin) && (to !== '/add-stream' || mayAddStreams(user)),
  );
}

/** Whether the screen of this name belongs to the destination without being at its address. */
export function holdsScreen({ holds = [] }: Destination, screen: string | null): boolean {
  return screen !== null && holds.some((start) => screen.startsWith(start));
}
