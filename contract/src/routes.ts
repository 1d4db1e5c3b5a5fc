import { timeouts } from './constants.ts';

/** The address of a call. `{name}` in a path is a parameter. */
export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** How long a client waits, milliseconds; `timeouts.defaultMs` when absent. */
  readonly timeoutMs?: number;
}

/** Every call by name. Inputs and outputs are in `calls.ts`; this table has no Zod, to keep the page small. */
export const routes = {
  listStreams: { method: 'GET', path: '/v1/streams' },
  listStreamStatuses: { method: 'GET', path: '/v1/streams/statuses' },
  listStreamTags: { method: 'GET', path: '/v1/streams/tags' },
  addStream: { method: 'POST', path: '/v1/stream', timeoutMs: timeouts.addStreamMs },
  pauseStream: { method: 'POST', path: '/v1/stream/pause' },
  resumeStream: { method: 'POST', path: '/v1/stream/resume' },
  probeStream: { method: 'GET', path: '/v1/stream/probe', timeoutMs: timeouts.probeMs },
  previewStream: { method: 'GET', path: '/v1/stream/preview', timeoutMs: timeouts.probeMs },
  getStream: { method: 'GET', path: '/v1/stream/{uid}' },
  saveStream: { method: 'PUT', path: '/v1/stream/{uid}', timeoutMs: timeouts.addStreamMs },
  deleteStream: { method: 'DELETE', path: '/v1/stream/{uid}' },
  getStreamPicture: { method: 'GET', path: '/v1/stream/{uid}/picture' },
  getStreamShare: { method: 'GET', path: '/v1/stream/{uid}/share' },
  saveStreamShare: { method: 'PUT', path: '/v1/stream/{uid}/share' },
  revokeStreamShare: { method: 'DELETE', path: '/v1/stream/{uid}/share' },
  getStreamPermissions: { method: 'GET', path: '/v1/stream/{uid}/permissions' },
  saveStreamPermissions: { method: 'POST', path: '/v1/stream/{uid}/permissions' },
  getStreamLogs: { method: 'GET', path: '/v1/stream/{uid}/logs' },
  getStreamStats: { method: 'GET', path: '/v1/stream/{uid}/stats' },
  watchStream: { method: 'GET', path: '/v1/stream/{uid}/live' },
  getLiveFile: { method: 'GET', path: '/v1/stream/{uid}/live/{file}' },

  getArchiveRanges: { method: 'GET', path: '/v1/stream/{uid}/archive/ranges' },
  getArchiveStats: { method: 'GET', path: '/v1/stream/{uid}/archive/stats' },
  getArchiveDays: { method: 'GET', path: '/v1/stream/{uid}/archive/available-days' },
  downloadArchive: { method: 'GET', path: '/v1/stream/{uid}/archive/download' },
  getArchivePlaylist: { method: 'GET', path: '/v1/stream/{uid}/archive/index.m3u8' },
  getArchiveSegment: { method: 'GET', path: '/v1/stream/{uid}/archive/segment/{file}' },
  getArchivePicture: { method: 'GET', path: '/v1/stream/{uid}/archive/picture' },
  getArchiveConverted: { method: 'GET', path: '/v1/stream/{uid}/archive/converted' },
  searchArchiveChanges: { method: 'GET', path: '/v1/stream/{uid}/archive/changes' },
  getArchiveLoss: { method: 'GET', path: '/v1/stream/{uid}/archive/loss' },
  getArchiveExtent: { method: 'GET', path: '/v1/stream/{uid}/archive/extent' },
  listExports: { method: 'GET', path: '/v1/exports' },
  addExport: { method: 'POST', path: '/v1/exports' },
  addDigestExport: { method: 'POST', path: '/v1/exports/digests' },
  getExport: { method: 'GET', path: '/v1/export/{id}' },
  retryExport: { method: 'POST', path: '/v1/export/{id}/retry' },
  deleteExport: { method: 'DELETE', path: '/v1/export/{id}' },
  downloadExport: { method: 'GET', path: '/v1/export/{id}/package' },
  listAnnotations: { method: 'GET', path: '/v1/annotations' },
  addAnnotation: { method: 'POST', path: '/v1/annotations' },
  listBookmarks: { method: 'GET', path: '/v1/bookmarks' },
  addBookmark: { method: 'POST', path: '/v1/bookmark' },
  saveBookmark: { method: 'PATCH', path: '/v1/bookmark/{id}' },
  deleteBookmark: { method: 'DELETE', path: '/v1/bookmark/{id}' },
  listHolds: { method: 'GET', path: '/v1/stream/{uid}/archive/holds' },
  releaseHold: { method: 'DELETE', path: '/v1/stream/{uid}/archive/hold/{id}' },
  releaseHolds: { method: 'DELETE', path: '/v1/stream/{uid}/archive/holds' },

  watchEvents: { method: 'GET', path: '/v1/events' },
  listJournal: { method: 'GET', path: '/v1/journal' },
  getJournalSummary: { method: 'GET', path: '/v1/journal/summary' },
  reviewJournal: { method: 'POST', path: '/v1/journal/reviewed' },

  getShared: { method: 'GET', path: '/v1/share/{key}' },
  watchShared: { method: 'GET', path: '/v1/share/{key}/live' },

  signIn: { method: 'POST', path: '/v1/sign-in' },
  signOut: { method: 'POST', path: '/v1/sign-out' },
  sendPasswordReset: { method: 'POST', path: '/v1/password/send-reset' },
  resetPassword: { method: 'POST', path: '/v1/password/reset' },
  getProfile: { method: 'GET', path: '/v1/profile' },
  confirmPassword: { method: 'POST', path: '/v1/profile/confirm' },
  saveProfile: { method: 'PATCH', path: '/v1/profile' },
  listTokens: { method: 'GET', path: '/v1/tokens' },
  addToken: { method: 'POST', path: '/v1/tokens' },
  deleteToken: { method: 'DELETE', path: '/v1/token/{id}' },
  listSessions: { method: 'GET', path: '/v1/sessions' },
  terminateSessions: { method: 'POST', path: '/v1/sessions/terminate' },
  deleteSession: { method: 'DELETE', path: '/v1/session/{id}' },

  listUsers: { method: 'GET', path: '/v1/users' },
  addUser: { method: 'POST', path: '/v1/user' },
  getUser: { method: 'GET', path: '/v1/user/{login}' },
  saveUser: { method: 'PATCH', path: '/v1/user/{login}' },
  deleteUser: { method: 'DELETE', path: '/v1/user/{login}' },
  blockUser: { method: 'POST', path: '/v1/user/{login}/block' },
  unblockUser: { method: 'POST', path: '/v1/user/{login}/unblock' },
  getUserPermissions: { method: 'GET', path: '/v1/user/{login}/permissions' },
  saveUserPermissions: { method: 'POST', path: '/v1/user/{login}/permissions' },
  listUserSessions: { method: 'GET', path: '/v1/user/{login}/sessions' },
  deleteUserSession: { method: 'DELETE', path: '/v1/user/{login}/session/{id}' },

  getHealth: { method: 'GET', path: '/v1/system/health' },
  getSettings: { method: 'GET', path: '/v1/system/internal/ui/settings' },
  search: { method: 'GET', path: '/v1/system/internal/ui/search' },
  unlock: { method: 'POST', path: '/v1/system/unlock' },
  useArchiveDisk: { method: 'POST', path: '/v1/system/archive-disk/use' },
  getSystemLogs: { method: 'GET', path: '/v1/system/logs' },
  getSystemStats: { method: 'GET', path: '/v1/system/stats' },
  getLicense: { method: 'GET', path: '/v1/system/license' },
  saveLicense: { method: 'PUT', path: '/v1/system/license' },
  listClusterNodes: { method: 'GET', path: '/v1/system/cluster/nodes' },
  listNodeChoices: { method: 'GET', path: '/v1/system/internal/ui/nodes' },
  getClusterNode: { method: 'GET', path: '/v1/system/cluster/node/{id}' },
  saveClusterNode: { method: 'PATCH', path: '/v1/system/cluster/node/{id}' },
  deleteClusterNode: { method: 'DELETE', path: '/v1/system/cluster/node/{id}' },
  drainClusterNode: { method: 'POST', path: '/v1/system/cluster/node/{id}/drain' },
  returnClusterNode: { method: 'DELETE', path: '/v1/system/cluster/node/{id}/drain' },
  listClusterInvitations: { method: 'GET', path: '/v1/system/cluster/invitations' },
  addClusterInvitation: { method: 'POST', path: '/v1/system/cluster/invitations' },
  deleteClusterInvitation: { method: 'DELETE', path: '/v1/system/cluster/invitation/{id}' },

  listMosaics: { method: 'GET', path: '/v1/mosaics' },
  getMosaic: { method: 'GET', path: '/v1/mosaic/{id}' },
  addMosaic: { method: 'POST', path: '/v1/mosaic' },
  saveMosaic: { method: 'POST', path: '/v1/mosaic/{id}' },
  deleteMosaic: { method: 'DELETE', path: '/v1/mosaic/{id}' },
  watchWall: { method: 'GET', path: '/v1/wall' },

  listTargets: { method: 'GET', path: '/v1/notification-targets' },
  addTarget: { method: 'POST', path: '/v1/notification-targets' },
  saveTarget: { method: 'PATCH', path: '/v1/notification-target/{id}' },
  deleteTarget: { method: 'DELETE', path: '/v1/notification-target/{id}' },
  getPushKey: { method: 'GET', path: '/v1/notification-push-key' },
  renewPushDevice: { method: 'POST', path: '/v1/notification-push-device/renew' },
  getNotificationStill: { method: 'GET', path: '/v1/notification-still/{key}' },
  testTarget: { method: 'POST', path: '/v1/notification-target/{id}/test' },
  listRules: { method: 'GET', path: '/v1/rules' },
  addRule: { method: 'POST', path: '/v1/rules' },
  previewRule: { method: 'POST', path: '/v1/rules/preview' },
  saveRule: { method: 'PATCH', path: '/v1/rule/{id}' },
  deleteRule: { method: 'DELETE', path: '/v1/rule/{id}' },

  getAdminStats: { method: 'GET', path: '/v1/admin/stats' },
  getConfiguration: { method: 'GET', path: '/v1/admin/configuration' },
  saveConfiguration: { method: 'PUT', path: '/v1/admin/configuration' },
  listAuditLogs: { method: 'GET', path: '/v1/admin/audit-logs' },
  startTunnel: { method: 'POST', path: '/v1/tunnel/start' },
  stopTunnel: { method: 'POST', path: '/v1/tunnel/stop' },
  getTunnelStatus: { method: 'GET', path: '/v1/tunnel/status' },
  checkVersion: { method: 'GET', path: '/v1/system/version-check' },
  getOpenApi: { method: 'GET', path: '/v1/openapi.json' },
} as const satisfies Record<string, Route>;

export type CallName = keyof typeof routes;

/** The address of a call: `{name}`s filled in and escaped, the query added; undefined and null values are left out. */
export function addressOf(
  name: CallName,
  params: Readonly<Record<string, unknown>> = {},
  query: Readonly<Record<string, unknown>> = {},
): string {
  const path = routes[name].path.replace(/\{(\w+)\}/g, (_, key: string) => {
    return encodeURIComponent(String(params[key]));
  });
  const search = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value === undefined || value === null) continue;
    for (const one of Array.isArray(value) ? value : [value]) search.append(key, String(one));
  }
  const text = search.toString();
  return text === '' ? path : `${path}?${text}`;
}
