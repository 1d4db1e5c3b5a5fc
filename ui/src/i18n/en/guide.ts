/** A user’s settings, and the help page. */
export const guide = {
  'settings.text': 'Saved with your account and used in every browser you sign in with.',
  'settings.saved': 'Settings have been saved',
  'settings.failed': 'Settings have not been saved',
  'settings.appearance': 'Appearance',
  'settings.theme': 'Theme',
  'settings.theme.system': 'Same as the system',
  'settings.theme.light': 'Light',
  'settings.theme.dark': 'Dark',
  'settings.language': 'Language',
  'settings.time': 'Time',
  'settings.zone': 'Time zone',
  'settings.zone.help': 'Used for times on the timeline, in lists and in logs.',
  'settings.zone.viewer': 'This browser: {zone}',
  'settings.zone.server': 'The server: {zone}',
  'settings.zone.stream': 'Each stream’s own, if set',
  'settings.zone.all': 'One fixed time zone',
  'settings.player': 'Player',
  'settings.sound': 'Start with sound on',
  'settings.sound.help': 'If the browser allows it without a click.',
  'settings.speed': 'Archive playback speed',
  'settings.speed.help': 'Initial speed of recordings. Live video always plays at normal speed.',
  'settings.speed.value': '{speed}×',

  'help.guide.title': 'Guide',
  'help.guide.text':
    'How to install, configure, back up and monitor the server, what error codes mean, and how programs use the API. It is part of this server and needs no internet access.',
  'help.guide.open': 'Open the guide',
  'help.start.title': 'The first stream',
  'help.start.text':
    'Choose Add stream and paste the address of your camera, for example rtsp://user:password@192.0.2.10/stream1. No camera at hand? Use the address demo: for a generated video with a running clock.',
  'help.sources.title': 'Supported addresses',
  'help.sources.text':
    'rtsp and rtsps, rtsph and rtspsh (RTSP over HTTP and HTTPS, for cameras that can be reached only through their web port), rtmp, http and https (HLS, DASH, MPEG-TS, MJPEG, or a single JPEG that is requested once a second), srt, udp, and demo: for testing. H.264 and H.265 video is used as it is; other video is converted, and so is audio in G.711, G.722, G.726, L16 or MP3.',
  'help.archive.title': 'Archive',
  'help.archive.text':
    'A stream with its archive switched on is recorded continuously. Click the timeline to watch any moment; hatched ranges were not recorded. The strip above the timeline shows the whole archive, one bar per day. “Live” returns to the present.',
  'help.archive.depth':
    '“Keep recordings” in the settings of a stream limits how long they are kept. Without a limit, the oldest ones are deleted when the disk is nearly full.',
  'help.demand.title': 'Only when watched',
  'help.demand.text':
    'An on-demand stream connects to its camera when a viewer opens it and disconnects half a minute after the last viewer leaves. It can’t be recorded.',
  'help.keys.title': 'Keys on the timeline',
  'help.keys.arrows': 'Step through time',
  'help.keys.zoom': 'Zoom in and out',
  'help.keys.ends': 'Go to the beginning, to live',
  'help.security.title': 'Vulnerabilities',
  'help.security.text': 'Please report vulnerabilities privately:',
  'help.version.title': 'Version',
  'help.version.text': 'Vidette {version}',
};
