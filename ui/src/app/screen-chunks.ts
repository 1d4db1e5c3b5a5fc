import type { ComponentType, ReactNode } from 'react';
import type { AddressName } from '../routing/addresses.ts';
import { NotFoundScreen } from '../components/fallback-screens.tsx';

// The script that renders each address. A screen is a chunk of its own; what it shows is its own business.
// Table of data.

/** The frame around the tabs of one thing. */
export type ScreenFrame = ComponentType<{ readonly children: ReactNode }>;

/** How to load a screen. */
export interface ScreenChunk {
  readonly screen: () => Promise<ComponentType>;
  readonly frame?: () => Promise<ScreenFrame>;
  /** The first screens' messages suffice for it. */
  readonly usesFirstMessages?: true;
}

const streamFrame = async () => (await import('../features/streams/details/stream-page.tsx')).StreamPage;
const profileFrame = async () => (await import('../features/account/profile/profile-page.tsx')).ProfilePage;
const userFrame = async () => (await import('../features/users/details/user-page.tsx')).UserPage;
const administrationFrame = async () =>
  (await import('../features/administration/administration-page.tsx')).AdministrationPage;

export const screenChunks: Readonly<Record<AddressName, ScreenChunk>> = {
  '/auth': {
    screen: async () => (await import('../features/sign-in/auth.tsx')).AuthScreen,
    usesFirstMessages: true,
  },
  '/recover-password': {
    screen: async () => (await import('../features/sign-in/recover-password.tsx')).RecoverPasswordScreen,
    usesFirstMessages: true,
  },
  '/init': {
    screen: async () => (await import('../features/sign-in/init.tsx')).InitScreen,
    usesFirstMessages: true,
  },
  '/not-found': {
    screen: () => Promise.resolve(NotFoundScreen),
    usesFirstMessages: true,
  },
  '/streams': {
    screen: async () => (await import('../features/streams/list/streams.tsx')).StreamsScreen,
    usesFirstMessages: true,
  },
  '/add-stream': {
    screen: async () => (await import('../features/streams/form/add-stream.tsx')).AddStreamScreen,
  },
  '/stream/$uid/view': {
    screen: async () => (await import('../features/stream-view/stream-view.tsx')).StreamViewScreen,
  },
  '/stream/$uid/info': {
    screen: async () => (await import('../features/streams/details/stream-info.tsx')).StreamInfoScreen,
    frame: streamFrame,
  },
  '/stream/$uid/setting': {
    screen: async () => (await import('../features/streams/details/stream-setting.tsx')).StreamSettingScreen,
    frame: streamFrame,
  },
  '/stream/$uid/permission': {
    screen: async () => (await import('../features/rights/stream-permission.tsx')).StreamPermissionScreen,
    frame: streamFrame,
  },
  '/stream/$uid/debug': {
    screen: async () => (await import('../features/streams/details/stream-debug.tsx')).StreamDebugScreen,
    frame: streamFrame,
  },
  '/profile/me/info': {
    screen: async () => (await import('../features/account/profile/profile-info.tsx')).ProfileInfoScreen,
    frame: profileFrame,
  },
  '/profile/me/edit': {
    screen: async () => (await import('../features/account/profile/profile-edit.tsx')).ProfileEditScreen,
    frame: profileFrame,
  },
  '/profile/me/tokens': {
    screen: async () => (await import('../features/account/profile/tokens.tsx')).TokensScreen,
    frame: profileFrame,
  },
  '/profile/me/sessions': {
    screen: async () => (await import('../features/account/profile/sessions.tsx')).SessionsScreen,
    frame: profileFrame,
  },
  '/settings': {
    screen: async () => (await import('../features/account/settings/settings.tsx')).SettingsScreen,
  },
  '/help': { screen: async () => (await import('../features/help/help.tsx')).HelpScreen },
  '/events': { screen: async () => (await import('../features/events/events.tsx')).EventsScreen },
  '/events/digest': {
    screen: async () => (await import('../features/digest/digest.tsx')).DigestScreen,
  },
  '/exports': { screen: async () => (await import('../features/exports/exports.tsx')).ExportsScreen },
  '/notifications': {
    screen: async () => (await import('../features/notifications/notifications.tsx')).NotificationsScreen,
  },
  '/bookmarks': { screen: async () => (await import('../features/bookmarks/bookmarks.tsx')).BookmarksScreen },
  '/swagger': { screen: async () => (await import('../features/swagger/swagger.tsx')).SwaggerScreen },
  '/mosaics': { screen: async () => (await import('../features/mosaics/list/mosaics.tsx')).MosaicsScreen },
  '/create-mosaic': {
    screen: async () => (await import('../features/mosaics/edit/create-mosaic.tsx')).CreateMosaicScreen,
  },
  '/wall': { screen: async () => (await import('../features/mosaics/view/together.tsx')).TogetherScreen },
  '/mosaic/$id': { screen: async () => (await import('../features/mosaics/view/mosaic.tsx')).MosaicScreen },
  '/mosaic/$id/edit': {
    screen: async () => (await import('../features/mosaics/edit/edit-mosaic.tsx')).EditMosaicScreen,
  },
  '/first-steps': {
    screen: async () => (await import('../features/first-steps/first-steps.tsx')).FirstStepsScreen,
  },
  '/user/add': { screen: async () => (await import('../features/users/form/add-user.tsx')).AddUserScreen },
  '/user/$login/info': {
    screen: async () => (await import('../features/users/details/user-info.tsx')).UserInfoScreen,
    frame: userFrame,
  },
  '/user/$login/edit': {
    screen: async () => (await import('../features/users/details/user-edit.tsx')).UserEditScreen,
    frame: userFrame,
  },
  '/user/$login/permission': {
    screen: async () => (await import('../features/rights/user-permission.tsx')).UserPermissionScreen,
    frame: userFrame,
  },
  '/user/$login/sessions': {
    screen: async () => (await import('../features/users/details/user-sessions.tsx')).UserSessionsScreen,
    frame: userFrame,
  },
  '/administration/stats': {
    screen: async () => (await import('../features/administration/stats.tsx')).StatsScreen,
    frame: administrationFrame,
  },
  '/administration/config': {
    screen: async () =>
      (await import('../features/administration/configuration/configuration.tsx')).ConfigurationScreen,
    frame: administrationFrame,
  },
  '/administration/users': {
    screen: async () => (await import('../features/users/list/users.tsx')).UsersScreen,
    frame: administrationFrame,
  },
  '/administration/cluster': {
    screen: async () => (await import('../features/cluster/cluster.tsx')).ClusterScreen,
    frame: administrationFrame,
  },
  '/administration/license': {
    screen: async () => (await import('../features/administration/license.tsx')).LicenseScreen,
    frame: administrationFrame,
  },
  '/administration/server-debug': {
    screen: async () =>
      (await import('../features/administration/server-debug/server-debug.tsx')).ServerDebugScreen,
    frame: administrationFrame,
  },
  '/administration/tunnel': {
    screen: async () => (await import('../features/tunnel/tunnel.tsx')).TunnelScreen,
    frame: administrationFrame,
  },
  '/administration/audit-logs': {
    screen: async () => (await import('../features/audit-logs/audit-logs.tsx')).AuditLogsScreen,
    frame: administrationFrame,
  },
};
