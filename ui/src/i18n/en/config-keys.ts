/** What each key of the configuration is for; a key `a.b` stands here as `a-b`. */
export const configKeys = {
  'config.about.port': 'Where the server listens.',
  'config.about.host': 'The address it listens on; 0.0.0.0 is every one of this machine.',
  'config.about.publicUrl':
    'What people type to get here, as in https://video.example.org. Links and e-mails use it.',
  'config.about.trustProxy':
    'Addresses or ranges of reverse proxies that set X-Forwarded-For and X-Forwarded-Proto.',
  'config.about.database':
    'PostgreSQL, as in postgres://user:password@host/name. Without it, SQLite in the data folder.',
  'config.about.tls-certificate': 'HTTPS: path of the certificate chain in PEM. Goes with the key.',
  'config.about.tls-key': 'HTTPS: path of the private key in PEM. Goes with the certificate.',
  'config.about.log-level': 'The least grave lines that are written down.',
  'config.about.archive-folder': 'Where recordings lie. Without it, the folder archive among the data.',
  'config.about.archive-downloadMaxSeconds': 'The longest piece that one download may hold, in seconds.',
  'config.about.archive-playlistMaxSeconds': 'The longest span that one playlist may cover, in seconds.',
  'config.about.archive-rangesMaxSeconds': 'The longest span that the timeline asks for at once, in seconds.',
  'config.about.archive-maxDepthHours':
    'The deepest archive a stream may be given, in hours; -1 sets no limit.',
  'config.about.archive-quotaBytes': 'The oldest recordings go when all of them take more bytes than this.',
  'config.about.archive-quotaPercent': 'The oldest recordings go when their disk is this full, in percent.',
  'config.about.archive-warnPercent': 'Administrators are warned when the disk is this full, in percent.',
  'config.about.archive-warnRecordedPercent':
    'Administrators are warned when less than this of a stream’s last 24 hours was recorded, in percent.',
  'config.about.s3-endpoint':
    'Address of a store that speaks S3, as in https://s3.example.org. Without it, Amazon’s for the region.',
  'config.about.s3-region': 'The region that requests to the store are signed for.',
  'config.about.s3-bucket': 'The bucket that old recordings move to. Without it there is no such store.',
  'config.about.s3-prefix': 'What all names in the bucket begin with, as in cameras/north.',
  'config.about.s3-accessKeyId': 'The key by whose rights the bucket is read and written.',
  'config.about.s3-secretAccessKey': 'The secret that goes with the key.',
  'config.about.s3-pathStyle':
    'The bucket stands in the path of addresses, as most stores but Amazon’s want it.',
  'config.about.s3-concurrency': 'How many files are sent to the store at the same time.',
  'config.about.s3-bytesPerSecond':
    'The most bytes a second that are sent to the store. Without it, as fast as it goes.',
  'config.about.s3-quotaBytes': 'The oldest recordings in the bucket go when they take more bytes than this.',
  'config.about.export-folder': 'Where exported packages lie. Without it, the folder exports among the data.',
  'config.about.export-keepHours': 'A package is removed so many hours after it is ready.',
  'config.about.export-quotaBytes': 'The most bytes that all packages may take together.',
  'config.about.export-minFreeBytes': 'So many bytes an export leaves free on its disk.',
  'config.about.source-noFramesSeconds':
    'A camera that sends no picture for so long is connected to again, in seconds.',
  'config.about.source-probeSeconds': 'How long the check of an address may take, in seconds.',
  'config.about.conversion-for': 'For whom the server converts what a browser can’t play.',
  'config.about.conversion-atOnce':
    'How many viewers it converts for at the same time; each takes about a core.',
  'config.about.app-title': 'The name in the header, in titles and in e-mails.',
  'config.about.app-logo': 'Address of a picture that stands in place of the logo.',
  'config.about.app-language': 'For whoever has not chosen. Without it, by the browser.',
  'config.about.app-documentation': 'Address of your own documentation, offered in the menu.',
  'config.about.app-site': 'Address where a bigger license is sold, offered in the menu.',
  'config.about.session-days': 'A sign-in ends after so many days without use.',
  'config.about.smtp-host': 'The mail server that sends codes for new passwords.',
  'config.about.smtp-port': 'The port of the mail server.',
  'config.about.smtp-tls': 'How the connection to the mail server is encrypted.',
  'config.about.smtp-user': 'The login at the mail server, if it asks for one.',
  'config.about.smtp-password': 'The password at the mail server.',
  'config.about.smtp-from': 'The sender of e-mails, as in cameras@example.org.',
  'config.about.passwordReset-enabled': 'People may ask for a code by e-mail when they forgot the password.',
  'config.about.passwordReset-revealUnknown':
    'Says so when nobody has the e-mail address; otherwise says that a code has been sent.',
  'config.about.passwordReset-codeMinutes': 'How long a code stays valid, in minutes.',
  'config.about.license-vendorKey':
    'Public key (PEM, Ed25519) whose licenses count. Without it, a community license.',
  'config.about.audit-enabled': 'Write down who did what.',
  'config.about.audit-days': 'Older entries of the audit log are removed.',
  'config.about.metrics-token': 'Prometheus reads /metrics with this bearer token. Without it, nobody does.',
  'config.about.versionCheck-url': 'Where news of versions is asked for. Without it, nowhere.',
  'config.about.kiosk-user':
    'Login that is filled in for everybody at the sign-in: for displays on a trusted network only.',
  'config.about.kiosk-password': 'Password that is filled in with it.',
  'config.about.node-id': 'What this server is called in a cluster: letters, digits, dots, _ and -.',
  'config.about.node-capacity': 'The most streams that this server takes.',
  'config.about.cluster-address':
    'Where other servers of the cluster reach this one, as in https://a.example.org:8080.',
  'config.about.cluster-allowPlainHttp':
    'Servers may talk to each other without TLS: only in a network of your own.',
};
