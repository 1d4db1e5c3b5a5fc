/** Finding the moment of a change in the archive. */
export const find = {
  'find.open': 'Find the moment of a change',
  'find.title': 'Find the moment of a change: {name}',
  'find.how':
    'Draw a box around what appeared, disappeared or changed, or leave it out to compare whole frames. Then choose the time to search.',
  'find.region': 'Draw a box around what changed',
  'find.region.drawn': 'A box is drawn around what changed',
  'find.region.keys': 'Arrow keys move the box, with Shift they change its size. Delete removes it.',
  'find.camera': 'Camera',
  'find.from': 'Search from',
  'find.until': 'Search until',
  'find.begin': 'Compare whole frames',
  'find.begin.region': 'Search in the box',
  'find.step': 'Step {step}.',
  'find.choose':
    'Click the first image that differs from the one at the beginning. The next images lie before it. Keys: arrows and Enter.',
  'find.before': 'beginning',
  'find.gap': 'gap of {duration} before it',
  'find.noFrame': 'No image',
  'find.loading': 'Loading images…',
  'find.empty': 'Too little is recorded in this time to search it.',
  'find.back': 'One step back',
  'find.found': 'It changed between {from} and {to}',
  'find.found.gap': 'It changed between {from} and {to}. {duration} in between are not recorded.',
};
