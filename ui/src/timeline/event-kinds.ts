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
  human: 'person',
  people: 'person',
  pedestrian: 'person',
  face: 'person',
  vehicle: 'vehicle',
  car: 'vehicle',
  truck: 'vehicle',
  van: 'vehicle',
  bus: 'vehicle',
  motorcycle: 'vehicle',
  bicycle: 'vehicle',
  plate: 'vehicle',
  license_plate: 'vehicle',
  animal: 'animal',
  pet: 'animal',
  dog: 'animal',
  cat: 'animal',
  bird: 'animal',
};

/** The tone of a kind, in any case; unknown ones are `other`. */
export function toneOf(kind: string): EventTone {
  const known = kind.toLowerCase();
  return Object.hasOwn(tones, known) ? (tones[known] ?? 'other') : 'other';
}

const names: Readonly<Record<string, MessageKey>> = {
  motion: 'event.kind.motion',
  event: 'event.kind.event',
  person: 'event.kind.person',
  human: 'event.kind.person',
  people: 'event.kind.person',
  pedestrian: 'event.kind.person',
  face: 'event.kind.face',
  vehicle: 'event.kind.vehicle',
  plate: 'event.kind.plate',
  license_plate: 'event.kind.plate',
  car: 'event.kind.car',
  truck: 'event.kind.truck',
  bus: 'event.kind.bus',
  motorcycle: 'event.kind.motorcycle',
  bicycle: 'event.kind.bicycle',
  animal: 'event.kind.animal',
  pet: 'event.kind.animal',
  dog: 'event.kind.dog',
  cat: 'event.kind.cat',
  bird: 'event.kind.bird',
  package: 'event.kind.package',
};

/** The name of a kind; that of an unknown one is the kind itself. */
export function kindName(kind: string, i18n: I18n): string {
  const known = kind.toLowerCase();
  const key = Object.hasOwn(names, known) ? names[known] : undefined;
  return key === undefined ? kind : i18n.t(key);
}
