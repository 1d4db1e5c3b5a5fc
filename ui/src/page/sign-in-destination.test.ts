import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAddressName } from '../app/addresses.ts';
import {
  clearDestination,
  keepDestination,
  replaceDestination,
  takeDestination,
} from './sign-in-destination.ts';

function storage() {
  const kept = new Map<string, string>();
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

const gate = { name: '/stream/$uid/view' as const, params: { uid: 'gate2' }, search: { time: 5 } };
const other = { name: '/bookmarks' as const, params: {}, search: {} };

test('[R2.21] the first target is kept, later ones do not replace it, and taking it clears it', () => {
  const session = storage();
  keepDestination(session, gate, isAddressName);
  keepDestination(session, other, isAddressName);
  assert.deepEqual(takeDestination(session, isAddressName), gate);
  assert.equal(takeDestination(session, isAddressName), null);
});

test('[R2.21] sign-in, recovery, setup and not-found are never a destination', () => {
  const session = storage();
  for (const name of ['/auth', '/recover-password', '/init', '/not-found'] as const) {
    keepDestination(session, { name, params: {}, search: {} }, isAddressName);
    replaceDestination(session, { name, params: {}, search: {} });
  }
  assert.equal(takeDestination(session, isAddressName), null);
});

test('work interrupted by the end of a session is resumed there; signing out clears the destination', () => {
  const session = storage();
  keepDestination(session, gate, isAddressName);
  replaceDestination(session, other);
  assert.deepEqual(takeDestination(session, isAddressName), other);
  keepDestination(session, gate, isAddressName);
  clearDestination(session);
  assert.equal(takeDestination(session, isAddressName), null);
});

test('data that is not a location of this page is no destination, and does not block a real one', () => {
  const texts = [
    '',
    '{',
    'null',
    '5',
    '[]',
    '"/streams"',
    '{}',
    '{"name":"/streams"}',
    '{"name":"/nowhere","params":{},"search":{}}',
    '{"name":"/auth","params":{},"search":{}}',
    '{"name":"__proto__","params":{},"search":{}}',
    '{"name":"/stream/$uid/view","params":{},"search":{}}',
    '{"name":"/stream/$uid/view","params":{"uid":7},"search":{}}',
    '{"name":"/streams","params":null,"search":{}}',
    '{"name":"/streams","params":{},"search":[]}',
  ];
  for (const text of texts) {
    const session = storage();
    session.setItem('vidette.destination', text);
    assert.equal(takeDestination(session, isAddressName), null, text);
    session.setItem('vidette.destination', text);
    keepDestination(session, gate, isAddressName);
    assert.deepEqual(takeDestination(session, isAddressName), gate, text);
  }
});
