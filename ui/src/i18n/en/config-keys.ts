/** The purpose of each configuration key; the key `a.b` is `a-b` here. */
export const configKeys = {
  'config.about.port': 'Port that the server listens on.',
  'config.about.host': 'Address that the server listens on; 0.0.0.0 means all addresses of this machine.',
  'config.about.publicUrl':
    'Address that users open, such as https://video.example.org. Used in links and e-mails.',
  'config.about.trustProxy':
    'Addresses or ranges of reverse proxies that set X-Forwarded-For and X-Forwarded-Proto.',
  'config.about.database':
    'Address of a PostgreSQL database, such as postgres://user:password@host/name. If empty, SQLite in the data folder.',
  'config.about.tls-certificate':
    'HTTPS: path to the certificate chain in PEM format. Set it together with the key.',
  'config.about.tls-key':
    'HTTPS: path to the private key in PEM format. Set it together with the certificate.',
  'config.about.log-level': 'Lowest level that is logged.',
  'config.about.archive-folder': 'Folder for recordings. If empty, archive in the data folder.',
  'config.about.archive-downloadMaxSeconds': 'Longest time range of one download, in seconds.',
  'config.about.archive-playlistMaxSeconds': 'Longest time range of one playlist, in seconds.',
  'config.about.archive-rangesMaxSeconds':
    'Longest time range that the timeline requests in one call, in seconds.',
  'config.about.archive-maxDepthHours':
    'Greatest archive depth that a stream may have, in hours; -1 means no limit.',
  'config.about.archive-quotaBytes':
    'When all recordings together take more bytes than this, the oldest are deleted.',
  'config.about.archive-quotaPercent':
    'When the archive disk is this full, in percent, the oldest recordings are deleted.',
  'config.about.archive-warnPercent':
    'When the archive disk is this full, in percent, administrators get a warning.',
  'config.about.archive-warnRecordedPercent':
    'When less than this percentage of a stream’s last 24 hours is recorded, administrators get a warning.',
  'config.about.s3-endpoint':
    'Address of the S3-compatible storage, such as https://s3.example.org. If empty, Amazon S3 in the region below.',
  'config.about.s3-region': 'Region that requests to the storage are signed for.',
  'config.about.s3-bucket': 'Bucket that old recordings move to. If empty, S3 storage is off.',
  'config.about.s3-prefix': 'Prefix of all object names in the bucket, such as cameras/north.',
  'config.about.s3-accessKeyId': 'Access key that may read and write the bucket.',
  'config.about.s3-secretAccessKey': 'Secret of the access key.',
  'config.about.s3-pathStyle':
    'Put the bucket name in the path of addresses. Most storage other than Amazon S3 needs this.',
  'config.about.s3-concurrency': 'Number of files that are uploaded simultaneously.',
  'config.about.s3-bytesPerSecond': 'Upload limit in bytes per second. If empty, no limit.',
  'config.about.s3-quotaBytes':
    'When recordings in the bucket take more bytes than this, the oldest are deleted.',
  'config.about.export-folder': 'Folder for exported packages. If empty, exports in the data folder.',
  'config.about.export-keepHours': 'Hours that a finished package is kept.',
  'config.about.export-quotaBytes': 'Maximum total size of all packages, in bytes.',
  'config.about.export-minFreeBytes': 'Free space that exports leave on their disk, in bytes.',
  'config.about.engine-processes':
    'Processes that receive and record, so that recording continues while the rest of the server restarts. auto: one for each 50 recorded streams, but no more than cores. 0: one process does everything.',
  'config.about.overload-yields':
    'Exports, thumbnails and other work wait while the server is overloaded, so that recording continues.',
  'config.about.source-noFramesSeconds':
    'Seconds without a frame after which the server reconnects to the camera.',
  'config.about.source-probeSeconds': 'Longest time that an address check may take, in seconds.',
  'config.about.conversion-for': 'Users for whom the server converts video that their browser can’t play.',
  'config.about.conversion-atOnce':
    'Number of viewers that the server converts for simultaneously; each takes about one CPU core.',
  'config.about.app-title': 'Name shown in the header, page titles and e-mails.',
  'config.about.app-logo': 'Address of an image that replaces the logo.',
  'config.about.app-language':
    'Language for users who have not chosen one. If empty, the browser’s language.',
  'config.about.app-documentation': 'Address of your own documentation, shown in the menu.',
  'config.about.app-site': 'Address where larger licenses are sold, shown in the menu.',
  'config.about.session-days': 'Days without use after which a session ends.',
  'config.about.smtp-host': 'Mail server that sends password reset codes.',
  'config.about.smtp-port': 'Port of the mail server.',
  'config.about.smtp-tls': 'Encryption of the connection to the mail server.',
  'config.about.smtp-user': 'Login at the mail server, if it requires one.',
  'config.about.smtp-password': 'Password at the mail server.',
  'config.about.smtp-from': 'Sender of e-mails, such as cameras@example.org.',
  'config.about.passwordReset-enabled': 'Users who forgot their password can request a code by e-mail.',
  'config.about.passwordReset-revealUnknown':
    'Show an error when no account has the e-mail address; otherwise the page always reports that a code has been sent.',
  'config.about.passwordReset-codeMinutes': 'Minutes that a code is valid.',
  'config.about.license-vendorKey':
    'Public key (PEM, Ed25519) that licenses are verified with. If empty, the Community license applies.',
  'config.about.audit-enabled': 'Record user actions in the audit log.',
  'config.about.audit-days': 'Days that audit log entries are kept.',
  'config.about.metrics-token':
    'Bearer token that Prometheus reads /metrics with. If empty, /metrics is off.',
  'config.about.versionCheck-url':
    'Address that is queried for new versions. If empty, the server does not check.',
  'config.about.kiosk-user':
    'Login that the sign-in page fills in for everyone: only for displays on a trusted network.',
  'config.about.kiosk-password': 'Password that is filled in with this login.',
  'config.about.node-id': 'Name of this server in a cluster: letters, digits, dots, _ and -.',
  'config.about.node-capacity': 'Maximum number of streams that this server takes.',
  'config.about.cluster-address':
    'Address at which other servers of the cluster reach this one, such as https://a.example.org:8080.',
  'config.about.cluster-allowPlainHttp': 'Servers may communicate without TLS: only on a private network.',
};
