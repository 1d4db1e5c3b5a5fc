/** Warnings of the server. */
export const warnings = {
  'health.count': '{count, plural, one {# problem} other {# problems}}',
  'health.since': 'Since {time}',
  'health.show': 'Show',
  'banner.warnings': 'Server warnings',
  'warning.licenseWillExpire':
    'License will expire at {day}. Addition streams and watching archive will be disabled after that.',
  'warning.archiveSpace': 'The archive directory is running out of memory, more than {percent}% used',
  'warning.archiveSpaceOthers':
    'The archive’s disk is {percent}% full: other files take {others}, recordings {archive}. The oldest recordings are deleted to free space; remove other files from the disk.',
  'warning.archiveClock':
    'The server’s clock is {duration} ahead of its recordings. Recordings are not deleted by age until the clock is confirmed. If the server’s date or time is wrong, correct it; if it is right, wait.',
  'warning.archiveUndeletable':
    'Old recordings ({size}) cannot be deleted: {reason}. Check the disk and the permissions of the archive folder.',
  'warning.archiveReadOnly':
    'Old recordings cannot be deleted from the archive’s disk ({reason}). Check whether it is mounted read-only or failing.',
  'warning.archiveEarly':
    '{size} of recordings were deleted before their depth was reached, because the archive’s disk was full.',
  'warning.archiveEarlyOthers':
    '{size} of recordings were deleted too early, because other files ({others}) filled the archive’s disk.',
  'warning.archiveWriteFailed':
    'Recordings cannot be written to the archive’s disk ({reason}). The server tries again every few seconds. Check whether the disk is mounted read-only or failing.',
  'warning.archiveDiskMissing':
    'The archive folder is missing, or its disk is not mounted. Nothing is recorded until it is back.',
  'warning.archiveDiskOther':
    'Another archive’s disk is mounted at the archive folder. Nothing is recorded until the right one is back.',
  'warning.archiveDiskEmpty':
    'The archive’s disk is empty, and nothing is recorded: the old one is not mounted, or was replaced.',
  'warning.archiveDiskEmpty.use': 'Use this disk from now on…',
  'warning.archiveDiskEmpty.sure': 'Recordings on the old disk disappear from the timeline.',
  'warning.archiveDiskEmpty.yes': 'Use this disk',
  'warning.archiveDiskEmpty.wait': 'Wait for the old disk',
  'warning.archiveDiskDamaged':
    'The marker of the archive folder is damaged, and its recordings are missing. Nothing is recorded until the right disk is back.',
  'warning.archiveDiskUnreadable':
    'The archive folder cannot be read. Nothing is recorded. Check the disk and the permissions of the folder.',
  'warning.archiveDiskShared':
    'Another server records in the archive folder. This server records nothing until it has a folder of its own.',
  'warning.dataDiskFull':
    'The disk of the server’s data folder is full. The server is using a small reserve; remove other files from that disk.',
  'warning.overloaded':
    'The server is overloaded. Recording continues; until the load falls, this waits or is reduced: {work}.',
  'warning.recordingShed':
    '{count, plural, one {The server can’t record as fast as the cameras send: parts of a stream were dropped in the last ten minutes.} other {The server can’t record as fast as the cameras send: parts of # streams were dropped in the last ten minutes.}} The timeline shows them as gaps. Use fewer streams, lower bit rates, or a faster machine or disk.',
  'overload.exports': 'exports',
  'overload.thumbnails': 'thumbnails',
  'overload.transcoding': 'transcoding',
  'overload.motion': 'motion detection',
  'overload.subStreams': 'sub-streams in mosaics',
  'overload.live': 'live video',
  'warning.nodeDrained': 'This node is drained. Start the node to return to the cluster',
  'warning.nodeClockAhead':
    'The clock of the node {node} is {duration} ahead of the database’s: its recordings get wrong times. Correct the clock, preferably with NTP.',
  'warning.nodeClockBehind':
    'The clock of the node {node} is {duration} behind the database’s: its recordings get wrong times. Correct the clock, preferably with NTP.',
  'warning.nodeDrained.show': 'Show the node',
  'warning.notRecording': 'Not recorded.',
  'warning.mqttDown':
    'The MQTT broker is not connected: {reason}. States, commands and MQTT notifications wait.',
  'warning.mqttDown.unreachable': 'nothing answers at its address',
  'warning.mqttDown.reset': 'it closes the connection',
  'warning.mqttDown.timeout': 'it doesn’t respond in time',
  'warning.mqttDown.tls': 'its certificate is not valid, or the file of its authority can’t be read',
  'warning.mqttDown.broker-credentials': 'it doesn’t accept the login and password',
  'warning.mqttDown.broker-refused': 'it doesn’t accept the connection',
  'warning.recordedLow': 'Only {percent}% of the last 24 hours were recorded.',
  'warning.trustProxy':
    'The configuration trusts any proxy on a private network (trustProxy: true). List the addresses of your proxies instead.',
  'warning.farArchive': 'Old recordings do not move to S3 storage: {reason}',
  'warning.farArchiveDamaged':
    'S3 storage damaged {count, plural, one {# recording file} other {# recording files}} during upload or reading. Files that could not be uploaded stay on the disk; the server tries again in an hour. The server log names them.',
  'warning.certificate.expired': 'The TLS certificate expired on {day}: browsers refuse this server.',
  'warning.certificate.expires': 'The TLS certificate expires on {day}.',
  'warning.certificate.unusable':
    'The new TLS certificate or key cannot be used; the previous one stays in use. The server log shows the reason.',
  'warning.targetFailing': '“{name}” has accepted no notification for an hour.',
  'warning.tunnelDown': 'The tunnel is down: this server can’t be reached from outside.',
};
