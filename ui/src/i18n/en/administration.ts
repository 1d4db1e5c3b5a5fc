/** The administrator's pages. */
export const administration = {
  'stats.uptime': 'Running for',
  'stats.streams': 'Streams',
  'stats.streams.running': '{running} of {total} live',
  'stats.viewers': 'Watching now',
  'stats.archive': 'Archive',
  'stats.disk': 'Disk',
  'stats.disk.free': '{free} free of {total}',
  'stats.disk.unknown': 'Not known',
  'stats.cpu': 'Processor, of one core',
  'stats.memory': 'Memory',

  'license.state': 'State',
  'license.valid': 'Valid',
  'license.expired': 'Missing or expired',
  'license.owner': 'Owner',
  'license.expires': 'Valid until',
  'license.never': 'No end',
  'license.streams': 'Streams allowed',
  'license.text': 'Text of the license',
  'license.saved': 'License has been saved',
};
