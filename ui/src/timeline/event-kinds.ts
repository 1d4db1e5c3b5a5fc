import type { I18n, MessageKey } from '../i18n/i18n.ts';

// Kinds of annotations: `motion` is the server's own detector, the others are labels of external detectors, in the
// words that these commonly use.

/** How the marks of a kind are drawn: each tone has a colour, and motion a lane of its own. */
export type EventTone = 'motion' | 'person' | 'vehicle' | 'animal' | 'other';

/** Drawn in this order; the later ones lie over the earlier ones where marks overlap. */
export const eventTones: readonly EventTone[] = ['motion', 'other', 'animal', 'vehicle', 'person'];

const tones: Readonly<Record<string, EventTone>> = {
  motion: 'motion',
  person: 'person',
  face: 'person',
  car: 'vehicle',
  truck: 'vehicle',
  bus: 'vehicle',
  motorcycle: 'vehicle',
  bicycle: 'vehicle',
  dog: 'animal',
  cat: 'animal',
  bird: 'animal',
};

/** The tone of a kind; unknown ones are `other`. */
export function toneOf(kind: string): EventTone {
  return Object.hasOwn(tones, kind) ? (tones[kind] ?? 'other') : 'other';
}

const names: Readonly<Record<string, MessageKey>> = {
  motion: 'event.kind.motion',
  event: 'event.kind.event',
  person: 'event.kind.person',
  face: 'event.kind.face',
  car: 'event.kind.car',
  truck: 'event.kind.truck',
  bus: 'event.kind.bus',
  motorcycle: 'event.kind.motorcycle',
  bicycle: 'event.kind.bicycle',
  dog: 'event.kind.dog',
  cat: 'event.kind.cat',
  bird: 'event.kind.bird',
  package: 'event.kind.package',
};

/** The name of a kind; that of an unknown one is the kind itself. */
export function kindName(kind: string, i18n: I18n): string {
  const key = Object.hasOwn(names, kind) ? names[kind] : undefined;
  return key === undefined ? kind : i18n.t(key);
}
