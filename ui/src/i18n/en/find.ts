/** Finding the moment of a change in the archive. */
export const find = {
  'find.open': 'Find the moment of a change',
  'find.title': 'Find the moment of a change: {name}',
  'find.how':
    'Draw a box around what appeared, disappeared or changed, or leave it out to compare whole frames. Choose the time to search, then pick frames yourself or let the server compare them.',
  'find.region': 'Draw a box around what changed',
  'find.region.drawn': 'A box is drawn around what changed',
  'find.region.keys': 'Arrow keys move the box, with Shift they change its size. Delete removes it.',
  'find.camera': 'Camera',
  'find.from': 'Search from',
  'find.until': 'Search until',
  'find.begin': 'Compare whole frames',
  'find.begin.region': 'Search in the box',
  'find.auto': 'Find automatically',
  'find.auto.running': 'The server compares frames',
  'find.auto.progress': '{done} of about {expected} frames compared',
  'find.auto.stop': 'Stop',
  'find.auto.stopped': 'Stopped.',
  'find.auto.limit': 'The search reached its limit. Choose a shorter time to search it more closely.',
  'find.auto.replaced': 'Another search of yours replaced this one.',
  'find.auto.found':
    '{count, plural, one {# change} other {# changes}} found. The most likely is between {from} and {to}. Select one to watch it.',
  'find.auto.none':
    'No change stands out. What comes and goes quickly is found in a shorter time, or by choosing frames yourself.',
  'find.auto.unreadable': '{count, plural, one {# frame} other {# frames}} could not be read.',
  'find.auto.away': 'Recordings on {nodes} are not searched: it does not answer now.',
  'find.auto.passing': 'for a short time',
  'find.auto.tip': 'Changed at {time}',
  'find.auto.curve':
    'How much changed from {from} to {to}, with {count, plural, one {# mark} other {# marks}}. The list below has the same changes.',
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
