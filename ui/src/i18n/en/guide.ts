/** What a person can choose for themselves, and help inside the product. */
export const guide = {
  'settings.text': 'Kept with your account: they follow you to every browser you sign in with.',
  'settings.saved': 'Settings have been saved',
  'settings.failed': 'Settings have not been saved',
  'settings.appearance': 'Appearance',
  'settings.theme': 'Theme',
  'settings.theme.system': 'As the system',
  'settings.theme.light': 'Light',
  'settings.theme.dark': 'Dark',
  'settings.language': 'Language',
  'settings.time': 'Time',
  'settings.zone': 'Time zone',
  'settings.zone.help': 'By these clocks the timeline, lists and logs are written.',
  'settings.zone.viewer': 'Of this browser: {zone}',
  'settings.zone.server': 'Of the server: {zone}',
  'settings.zone.stream': 'Of each stream, where it has one',
  'settings.zone.all': 'Always one zone',
  'settings.player': 'Player',
  'settings.sound': 'Begin with sound',
  'settings.sound.help': 'Where the browser allows it without a click.',
  'settings.speed': 'Speed of the archive',
  'settings.speed.help': 'The speed that recordings begin at. Live is always at 1.',
  'settings.speed.value': '{speed}×',

  'help.start.title': 'The first stream',
  'help.start.text':
    'Choose Add stream and paste the address your camera gives, for example rtsp://user:password@192.0.2.10/stream1. No camera at hand? demo: is an address too: a generated picture with a running clock.',
  'help.sources.title': 'Addresses that work',
  'help.sources.text':
    'rtsp and rtsps, rtsph and rtspsh (RTSP over HTTP and HTTPS, where only the web port of a camera can be reached), rtmp, http and https (HLS, DASH, MPEG-TS, MJPEG, or a single JPEG, asked once a second), srt, udp, and demo: for a try-out. Video is H.264 or H.265; anything else is converted, and so is sound in G.711, G.722, G.726, L16 or MP3.',
  'help.archive.title': 'Archive',
  'help.archive.text':
    'A stream with its archive switched on is recorded without a break. Click the timeline to watch any moment; hatched spans were not recorded. The strip above it is the whole archive, a bar for each day. “Live” returns to now.',
  'help.archive.depth':
    'Depth says how long recordings are kept. Older ones are deleted by themselves; no limit keeps them until the disk is full.',
  'help.demand.title': 'Only when watched',
  'help.demand.text':
    'An on-demand stream connects to its camera when somebody opens it and lets go half a minute after the last viewer leaves. It can’t be recorded meanwhile.',
  'help.keys.title': 'Keys on the timeline',
  'help.keys.arrows': 'Step through time',
  'help.keys.zoom': 'Zoom in and out',
  'help.keys.ends': 'To the beginning, to live',
  'help.version.title': 'Version',
  'help.version.text': 'Vidette {version}',
};
