/** What the server warns of. */
export const warnings = {
  'banner.warnings': 'Warnings of the server',
  'warning.licenseWillExpire':
    'License will expire at {day}. Addition streams and watching archive will be disabled after that.',
  'warning.archiveSpace': 'The archive directory is running out of memory, more than {percent}% used',
  'warning.archiveSpaceOthers':
    'The archive’s disk is {percent}% full: other files take {others}, recordings {archive}. The oldest recordings are deleted to keep room; remove other files from the disk.',
  'warning.archiveClock':
    'The server’s clock is {duration} ahead of what its recordings show. Recordings are not deleted by age until the clock has proved right. If the date or time of the server is wrong, correct it; if it is right, wait.',
  'warning.archiveUndeletable':
    'Old recordings ({size}) cannot be deleted: {reason}. Check the disk and the permissions of the archive folder.',
  'warning.archiveReadOnly':
    'The archive’s disk does not let old recordings be deleted ({reason}). Check whether it is mounted read-only or failing.',
  'warning.archiveEarly':
    '{size} of recordings were deleted earlier than their depth says, because the archive’s disk was full.',
  'warning.archiveEarlyOthers':
    '{size} of recordings were deleted earlier than they should be, because other files ({others}) filled the archive’s disk.',
  'warning.archiveWriteFailed':
    'The archive’s disk takes no recordings ({reason}). Recording is tried again every few seconds. Check whether the disk is mounted read-only or failing.',
  'warning.archiveDiskMissing':
    'The archive folder is not there, or its disk is not mounted. Nothing is recorded until it is back.',
  'warning.archiveDiskOther':
    'Another archive’s disk is mounted at the archive folder. Nothing is recorded until the right one is back.',
  'warning.archiveDiskEmpty':
    'The archive’s disk is empty, and nothing is recorded: the old one is not mounted, or was replaced.',
  'warning.archiveDiskEmpty.use': 'Use this disk from now on…',
  'warning.archiveDiskEmpty.sure': 'Recordings on the old disk leave the timeline.',
  'warning.archiveDiskEmpty.yes': 'Use this disk',
  'warning.archiveDiskEmpty.wait': 'Wait for the old one',
  'warning.archiveDiskDamaged':
    'The marker of the archive folder is damaged, and its recordings are not there. Nothing is recorded until the right disk is back.',
  'warning.archiveDiskUnreadable':
    'The archive folder cannot be read. Nothing is recorded. Check the disk and the permissions of the folder.',
  'warning.archiveDiskShared':
    'Another server records in the archive folder. Nothing is recorded by this one until it has a folder of its own.',
  'warning.dataDiskFull':
    'The disk of the server’s data folder is full. The server works on a small reserve; remove other files from that disk.',
  'warning.nodeDrained': 'This node is drained. Start the node to return to the cluster',
  'warning.nodeClockAhead':
    'The clock of the node {node} is {duration} ahead of the database’s: what it records is dated wrong. Set it right, best by NTP.',
  'warning.nodeClockBehind':
    'The clock of the node {node} is {duration} behind the database’s: what it records is dated wrong. Set it right, best by NTP.',
  'warning.nodeDrained.show': 'Show the node',
  'warning.notRecording':
    '{count, plural, one {A stream is not being recorded.} other {# streams are not being recorded.}}',
  'warning.recordedLow': 'Only {percent}% of a stream’s last 24 hours were recorded.',
  'warning.recordedLow.many':
    '{count, plural, one {# stream has too many gaps in the last 24 hours.} other {# streams have too many gaps in the last 24 hours.}}',
  'warning.trustProxy':
    'The configuration trusts any proxy on a private network (trustProxy: true). List the addresses of your proxies instead.',
  'warning.farArchive': 'Old recordings do not move to the S3 storage: {reason}',
  'warning.farArchiveDamaged':
    'The S3 storage damaged {count, plural, one {# recording file} other {# recording files}} on upload or when reading. Files that could not be uploaded stay on the disk and are tried again in an hour. The server log names them.',
  'warning.farArchive.show': 'Show',
  'warning.certificate.expired': 'The TLS certificate expired on {day}: browsers refuse this server.',
  'warning.certificate.expires': 'The TLS certificate expires on {day}.',
  'warning.certificate.unusable':
    'The new TLS certificate or key cannot be used; the one from before stays in use. The server log says why.',
  'warning.tunnelDown': 'The tunnel is down: nobody reaches this server from outside.',
  'warning.more': '{count, plural, one {# more warning} other {# more warnings}}',
  'warning.fewer': 'Fewer warnings',
  'warning.streams.more': 'and {count} more',
  'warning.notRecording.show': 'Show it',
};
