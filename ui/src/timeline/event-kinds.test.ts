import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toneOf, type EventTone } from './event-kinds.ts';

test('the usual labels of detectors have the tone of what they recognize, in any case', () => {
  const labels: Readonly<Record<EventTone, readonly string[]>> = {
    motion: ['motion'],
    person: ['person', 'Person', 'human', 'people', 'pedestrian', 'face'],
    vehicle: ['vehicle', 'VEHICLE', 'car', 'van', 'truck', 'bicycle', 'plate', 'license_plate'],
    animal: ['animal', 'pet', 'dog', 'cat', 'bird'],
    other: ['event', 'package', 'a kind of our own', '', 'constructor'],
  };
  for (const [tone, all] of Object.entries(labels))
    for (const label of all) assert.equal(toneOf(label), tone, label);
});
