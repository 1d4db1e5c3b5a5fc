import type { I18n, MessageKey } from '../../i18n/i18n.ts';

/** Audited actions, by the name in the entries. */
export const auditActions = [
  'addStream',
  'pauseStream',
  'resumeStream',
  'saveStream',
  'mqttRecording',
  'deleteStream',
  'getStreamShare',
  'saveStreamShare',
  'revokeStreamShare',
  'saveStreamPermissions',
  'saveUserPermissions',
  'watchStream',
  'watchWall',
  'watchArchive',
  'watchStills',
  'watchShared',
  'searchArchiveChanges',
  'downloadArchive',
  'addExport',
  'addDigestExport',
  'retryExport',
  'deleteExport',
  'downloadExport',
  'addAnnotation',
  'addBookmark',
  'saveBookmark',
  'deleteBookmark',
  'releaseHold',
  'releaseHolds',
  'signIn',
  'signOut',
  'unlock',
  'sendPasswordReset',
  'resetPassword',
  'confirmPassword',
  'saveProfile',
  'addToken',
  'deleteToken',
  'terminateSessions',
  'deleteSession',
  'addUser',
  'saveUser',
  'deleteUser',
  'blockUser',
  'unblockUser',
  'deleteUserSession',
  'addRule',
  'saveRule',
  'deleteRule',
  'previewRule',
  'addTarget',
  'saveTarget',
  'deleteTarget',
  'testTarget',
  'renewPushDevice',
  'addMosaic',
  'saveMosaic',
  'reviewJournal',
  'deleteMosaic',
  'saveLicense',
  'getConfiguration',
  'saveConfiguration',
  'saveClusterNode',
  'deleteClusterNode',
  'drainClusterNode',
  'returnClusterNode',
  'addClusterInvitation',
  'useArchiveDisk',
  'deleteClusterInvitation',
  'startTunnel',
  'stopTunnel',
  'other',
] as const;

type AuditAction = (typeof auditActions)[number];

function isKnown(action: string): action is AuditAction {
  return auditActions.some((known) => known === action);
}

/** The message that tells an action as a sentence; undefined for an action unknown to this page. */
export function actionKey(action: string): MessageKey | undefined {
  return isKnown(action) ? `audit.said.${action}` : undefined;
}

/** The text of an action; an action unknown to this page is shown by its name. */
export function actionText(action: string, i18n: I18n): string {
  return isKnown(action) ? i18n.t(`audit.action.${action}`) : action;
}
