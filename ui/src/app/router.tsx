import type { QueryClient } from '@tanstack/react-query';
import { createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router';
import { settingsQuery } from '../api/session.ts';
import { auditSearch } from '../screens/audit-logs/audit-search.ts';
import { bookmarksSearch } from '../screens/bookmarks/bookmarks-search.ts';
import { exportsSearch } from '../screens/exports/exports-search.ts';
import { mosaicSearch } from '../screens/mosaic/mosaic-search.ts';
import { mosaicsSearch } from '../screens/mosaics/mosaics-search.ts';
import { usersSearch } from '../screens/users/users-search.ts';
import { CrashedScreen, NotFoundScreen, PendingScreen } from './fallback-screens.tsx';
import { followNavigations } from './navigations.ts';
import { at, loader, root } from './root-route.tsx';

// Every address of the page [R2.1 to R2.19]. A screen is a chunk of its own; what it shows is its own business.

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createPageRouter>;
  }
}

const home = createRoute({
  ...at('/'),
  beforeLoad: () => {
    redirect({ throw: true, to: '/streams', replace: true });
  },
});

const auth = createRoute({
  ...at('/auth'),
  staticData: { title: 'title.auth', isPublic: true },
  validateSearch: (search): { recover?: boolean; expired?: boolean } => ({
    ...(search['recover'] ? { recover: true } : {}),
    ...(search['expired'] ? { expired: true } : {}),
  }),
  component: lazyRouteComponent(() => import('../screens/auth/auth.tsx'), 'AuthScreen'),
});

const recoverPassword = createRoute({
  ...at('/recover-password'),
  staticData: { title: 'title.recover', isPublic: true },
  component: lazyRouteComponent(
    () => import('../screens/recover-password/recover-password.tsx'),
    'RecoverPasswordScreen',
  ),
});

const init = createRoute({
  ...at('/init'),
  staticData: { title: 'title.init', isPublic: true },
  beforeLoad: ({ context }) => {
    const settings = context.queryClient.getQueryData(settingsQuery.queryKey);
    if (settings && !settings.isLocked) redirect({ throw: true, to: '/', replace: true });
  },
  component: lazyRouteComponent(() => import('../screens/init/init.tsx'), 'InitScreen'),
});

const notFound = createRoute({
  ...at('/not-found'),
  staticData: { title: 'title.notFound', isPublic: true },
  component: NotFoundScreen,
});

const streams = createRoute({
  ...at('/streams'),
  staticData: { title: 'title.streams' },
  component: lazyRouteComponent(() => import('../screens/streams/streams.tsx'), 'StreamsScreen'),
});

const addStream = createRoute({
  ...at('/add-stream'),
  staticData: { title: 'title.addStream', audience: 'creator' },
  validateSearch: (search): { source?: string } =>
    typeof search['source'] === 'string' ? { source: search['source'] } : {},
  component: lazyRouteComponent(() => import('../screens/add-stream/add-stream.tsx'), 'AddStreamScreen'),
});

const streamView = createRoute({
  ...at('/stream/$uid/view'),
  staticData: { title: 'title.streamView' },
  // A moment of the archive to begin at: ms since the epoch, or a date with a time.
  validateSearch: ({ t }): { t?: string | number } =>
    typeof t === 'string' || typeof t === 'number' ? { t } : {},
  loader,
  component: lazyRouteComponent(() => import('../screens/stream-view/stream-view.tsx'), 'StreamViewScreen'),
});

const stream = createRoute({
  ...at('/stream/$uid'),
  staticData: { title: 'title.streamInfo' },
  loader,
  component: lazyRouteComponent(() => import('../screens/stream/stream-page.tsx'), 'StreamPage'),
});

const inStream = <Path extends string>(path: Path) => ({ getParentRoute: () => stream, path });

const streamTabs = [
  createRoute({
    ...inStream('/'),
    beforeLoad: ({ params }) => {
      redirect({ throw: true, to: '/stream/$uid/info', params, replace: true });
    },
  }),
  createRoute({
    ...inStream('/info'),
    component: lazyRouteComponent(() => import('../screens/stream/stream-info.tsx'), 'StreamInfoScreen'),
  }),
  createRoute({
    ...inStream('/setting'),
    component: lazyRouteComponent(
      () => import('../screens/stream/stream-setting.tsx'),
      'StreamSettingScreen',
    ),
  }),
  createRoute({
    ...inStream('/permission'),
    component: lazyRouteComponent(
      () => import('../screens/stream/stream-permission.tsx'),
      'StreamPermissionScreen',
    ),
  }),
  createRoute({
    ...inStream('/debug'),
    component: lazyRouteComponent(() => import('../screens/stream/stream-debug.tsx'), 'StreamDebugScreen'),
  }),
] as const;

const profile = createRoute({
  ...at('/profile/me'),
  staticData: { title: 'title.profile' },
  loader,
  component: lazyRouteComponent(() => import('../screens/profile/profile-page.tsx'), 'ProfilePage'),
});

const inProfile = <Path extends string>(path: Path) => ({ getParentRoute: () => profile, path });

const profileTabs = [
  createRoute({
    ...inProfile('/'),
    beforeLoad: () => {
      redirect({ throw: true, to: '/profile/me/info', replace: true });
    },
  }),
  createRoute({
    ...inProfile('/info'),
    component: lazyRouteComponent(() => import('../screens/profile/profile-info.tsx'), 'ProfileInfoScreen'),
  }),
  createRoute({
    ...inProfile('/edit'),
    component: lazyRouteComponent(() => import('../screens/profile/profile-edit.tsx'), 'ProfileEditScreen'),
  }),
  createRoute({
    ...inProfile('/tokens'),
    component: lazyRouteComponent(() => import('../screens/profile/tokens.tsx'), 'TokensScreen'),
  }),
  createRoute({
    ...inProfile('/sessions'),
    component: lazyRouteComponent(() => import('../screens/profile/sessions.tsx'), 'SessionsScreen'),
  }),
] as const;

const settings = createRoute({
  ...at('/settings'),
  staticData: { title: 'title.settings' },
  loader,
  component: lazyRouteComponent(() => import('../screens/settings/settings.tsx'), 'SettingsScreen'),
});

const help = createRoute({
  ...at('/help'),
  staticData: { title: 'title.help' },
  loader,
  component: lazyRouteComponent(() => import('../screens/help/help.tsx'), 'HelpScreen'),
});

const exports = createRoute({
  ...at('/exports'),
  staticData: { title: 'title.exports' },
  validateSearch: exportsSearch,
  loader,
  component: lazyRouteComponent(() => import('../screens/exports/exports.tsx'), 'ExportsScreen'),
});

const bookmarks = createRoute({
  ...at('/bookmarks'),
  staticData: { title: 'title.bookmarks' },
  validateSearch: bookmarksSearch,
  loader,
  component: lazyRouteComponent(() => import('../screens/bookmarks/bookmarks.tsx'), 'BookmarksScreen'),
});

const swagger = createRoute({
  ...at('/swagger'),
  staticData: { title: 'title.swagger', audience: 'admin' },
  loader,
  component: lazyRouteComponent(() => import('../screens/swagger/swagger.tsx'), 'SwaggerScreen'),
});

const mosaics = createRoute({
  ...at('/mosaics'),
  staticData: { title: 'title.mosaics' },
  validateSearch: mosaicsSearch,
  loader,
  component: lazyRouteComponent(() => import('../screens/mosaics/mosaics.tsx'), 'MosaicsScreen'),
});

const createMosaic = createRoute({
  ...at('/create-mosaic'),
  staticData: { title: 'title.createMosaic' },
  loader,
  component: lazyRouteComponent(
    () => import('../screens/mosaic-edit/create-mosaic.tsx'),
    'CreateMosaicScreen',
  ),
});

const mosaic = createRoute({
  ...at('/mosaic/$id'),
  staticData: { title: 'title.mosaic' },
  validateSearch: mosaicSearch,
  loader,
  component: lazyRouteComponent(() => import('../screens/mosaic/mosaic.tsx'), 'MosaicScreen'),
});

const editMosaic = createRoute({
  ...at('/mosaic/$id/edit'),
  staticData: { title: 'title.mosaicEdit' },
  loader,
  component: lazyRouteComponent(() => import('../screens/mosaic-edit/edit-mosaic.tsx'), 'EditMosaicScreen'),
});

const addUser = createRoute({
  ...at('/user/add'),
  staticData: { title: 'title.userAdd', audience: 'admin' },
  loader,
  component: lazyRouteComponent(() => import('../screens/add-user/add-user.tsx'), 'AddUserScreen'),
});

const user = createRoute({
  ...at('/user/$login'),
  staticData: { title: 'title.user', audience: 'admin' },
  loader,
  component: lazyRouteComponent(() => import('../screens/user/user-page.tsx'), 'UserPage'),
});

const inUser = <Path extends string>(path: Path) => ({ getParentRoute: () => user, path });

const userTabs = [
  createRoute({
    ...inUser('/'),
    beforeLoad: ({ params }) => {
      redirect({ throw: true, to: '/user/$login/info', params, replace: true });
    },
  }),
  createRoute({
    ...inUser('/info'),
    component: lazyRouteComponent(() => import('../screens/user/user-info.tsx'), 'UserInfoScreen'),
  }),
  createRoute({
    ...inUser('/edit'),
    component: lazyRouteComponent(() => import('../screens/user/user-edit.tsx'), 'UserEditScreen'),
  }),
  createRoute({
    ...inUser('/permission'),
    component: lazyRouteComponent(
      () => import('../screens/user/user-permission.tsx'),
      'UserPermissionScreen',
    ),
  }),
  createRoute({
    ...inUser('/sessions'),
    component: lazyRouteComponent(() => import('../screens/user/user-sessions.tsx'), 'UserSessionsScreen'),
  }),
] as const;

const administration = createRoute({
  ...at('/administration'),
  staticData: { title: 'title.administration', audience: 'admin' },
  loader,
  component: lazyRouteComponent(
    () => import('../screens/administration/administration-page.tsx'),
    'AdministrationPage',
  ),
});

const inAdmin = <Path extends string>(path: Path) => ({ getParentRoute: () => administration, path });

const clusterScreen = lazyRouteComponent(() => import('../screens/cluster/cluster.tsx'), 'ClusterScreen');
const administrationTabs = [
  createRoute({
    ...inAdmin('/'),
    beforeLoad: () => {
      redirect({ throw: true, to: '/administration/stats', replace: true });
    },
  }),
  createRoute({
    ...inAdmin('/stats'),
    component: lazyRouteComponent(() => import('../screens/administration/stats.tsx'), 'StatsScreen'),
  }),
  createRoute({
    ...inAdmin('/config'),
    component: lazyRouteComponent(
      () => import('../screens/configuration/configuration.tsx'),
      'ConfigurationScreen',
    ),
  }),
  createRoute({
    ...inAdmin('/users'),
    validateSearch: usersSearch,
    component: lazyRouteComponent(() => import('../screens/users/users.tsx'), 'UsersScreen'),
  }),
  createRoute({ ...inAdmin('/cluster'), component: clusterScreen }),
  createRoute({
    ...inAdmin('/license'),
    component: lazyRouteComponent(() => import('../screens/administration/license.tsx'), 'LicenseScreen'),
  }),
  createRoute({
    ...inAdmin('/server-debug'),
    component: lazyRouteComponent(
      () => import('../screens/server-debug/server-debug.tsx'),
      'ServerDebugScreen',
    ),
  }),
  createRoute({
    ...inAdmin('/tunnel'),
    component: lazyRouteComponent(() => import('../screens/tunnel/tunnel.tsx'), 'TunnelScreen'),
  }),
  createRoute({
    ...inAdmin('/audit-logs'),
    validateSearch: auditSearch,
    component: lazyRouteComponent(() => import('../screens/audit-logs/audit-logs.tsx'), 'AuditLogsScreen'),
  }),
] as const;

const license = createRoute({
  ...at('/license'),
  beforeLoad: () => {
    redirect({ throw: true, to: '/administration/license', replace: true });
  },
});

const tree = root.addChildren([
  home,
  auth,
  recoverPassword,
  init,
  notFound,
  streams,
  addStream,
  streamView,
  stream.addChildren(streamTabs),
  profile.addChildren(profileTabs),
  settings,
  help,
  exports,
  bookmarks,
  swagger,
  mosaics,
  createMosaic,
  mosaic,
  editMosaic,
  addUser,
  user.addChildren(userTabs),
  administration.addChildren(administrationTabs),
  license,
]);

/** Makes the page's router. */
export function createPageRouter(queryClient: QueryClient, learnWords: () => Promise<void>) {
  const router = createRouter({
    routeTree: tree,
    basepath: '/ui',
    context: { queryClient, learnWords },
    defaultPreload: 'intent',
    defaultPendingMs: 150,
    defaultPendingMinMs: 0,
    defaultPendingComponent: PendingScreen,
    defaultErrorComponent: CrashedScreen,
    defaultNotFoundComponent: NotFoundScreen,
    // The cache of data is the query client's; the router keeps none of its own.
    defaultPreloadStaleTime: 0,
  });
  followNavigations(router, queryClient);
  return router;
}
