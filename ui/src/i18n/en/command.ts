/** The command palette. */
export const command = {
  'palette.placeholder': 'Name, screen or action',
  'palette.list': 'Results',
  'palette.recent': 'Recent',
  'palette.found': 'Results',
  'palette.screens': 'Screens',
  'palette.actions': 'Actions',
  'palette.kind.stream': 'Stream',
  'palette.kind.mosaic': 'Mosaic',
  'palette.kind.bookmark': 'Bookmark',
  'palette.kind.user': 'User',
  'palette.count': '{count, plural, =0 {Nothing found} one {# result} other {# results}}',
  'palette.keys': '↑ ↓ choose · Enter open · Esc close',
};
