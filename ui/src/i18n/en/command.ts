/** The palette that finds and does things by words. */
export const command = {
  'palette.placeholder': 'Name, screen or action',
  'palette.list': 'Found',
  'palette.recent': 'Opened last',
  'palette.found': 'Found',
  'palette.screens': 'Screens',
  'palette.actions': 'Actions',
  'palette.kind.stream': 'Stream',
  'palette.kind.mosaic': 'Mosaic',
  'palette.kind.bookmark': 'Bookmark',
  'palette.kind.user': 'User',
  'palette.count': '{count, plural, =0 {Nothing has all these words.} one {# line} other {# lines}}',
  'palette.keys': '↑ ↓ choose · Enter open · Esc close',
};
