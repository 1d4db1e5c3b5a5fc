/**
 * Keys that take effect when they are saved; all others take effect at the next start. A key belongs here
 * when all code that uses it reads it from the configuration in force at every use, or follows
 * `ConfigStore.onApplied`.
 */
const liveKeys: ReadonlySet<string> = new Set([
  'publicUrl',
  'log.level',
  'archive.maxDepthHours',
  'archive.quotaBytes',
  'archive.quotaPercent',
  'archive.holdPercent',
  'archive.warnPercent',
  'archive.warnRecordedPercent',
  's3.quotaBytes',
  'export.keepHours',
  'export.quotaBytes',
  'export.minFreeBytes',
  'conversion.for',
  'conversion.atOnce',
  'app.title',
  'app.language',
  'app.documentation',
  'app.site',
  'app.securityContact',
  'smtp.host',
  'smtp.port',
  'smtp.tls',
  'smtp.user',
  'smtp.password',
  'smtp.from',
  'passwordReset.enabled',
  'passwordReset.revealUnknown',
  'passwordReset.codeMinutes',
  'journal.days',
  'journal.entriesPerStream',
  'journal.entries',
  'mqtt.enabled',
  'mqtt.url',
  'mqtt.user',
  'mqtt.password',
  'mqtt.ca',
  'mqtt.verify',
  'mqtt.topic',
  'mqtt.discovery',
  'mqtt.discoveryPrefix',
  'mqtt.stillSeconds',
  'mqtt.allowCommands',
  'metrics.token',
  'versionCheck.url',
  'kiosk.user',
  'kiosk.password',
  'tunnel.locations',
]);

export function isLive(key: string): boolean {
  return liveKeys.has(key);
}
