// What the names of audited actions say about their objects and their authors.

/** Their target is the uid of a stream. */
export const streamActions: ReadonlySet<string> = new Set([
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
  'watchStream',
  'watchWall',
  'watchArchive',
  'watchStills',
  'watchShared',
  'searchArchiveChanges',
  'downloadArchive',
  'addAnnotation',
  'addBookmark',
  'addExport',
  'addDigestExport',
  'releaseHold',
  'releaseHolds',
]);

/**
 * No person decides to do these: pages fetch still images and try rules while they are edited, brokers send commands, and
 * browsers renew their subscriptions.
 */
export const machineActions: ReadonlySet<string> = new Set([
  'watchStills',
  'previewRule',
  'mqttRecording',
  'renewPushDevice',
]);
