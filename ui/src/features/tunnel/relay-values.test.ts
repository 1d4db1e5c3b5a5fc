import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TunnelLocation } from '@vidette/contract/tunnel';
import { locationsWith, valuesOf } from './relay-values.ts';

const location: TunnelLocation = {
  code: 'RU',
  name: 'RU',
  host: null,
  port: 22,
  user: 'vidette',
  hostKey: null,
  bindHost: 'localhost',
  bindPort: 8080,
  publicUrl: null,
  trustProxy: false,
  authorizedKey: 'restrict ssh-ed25519 AAAA vidette',
};
const { authorizedKey, ...plain } = location;

test('an unchanged form saves the existing values, without those that the server generated', () => {
  assert.ok(authorizedKey);
  assert.deepEqual(locationsWith([location], 'RU', valuesOf(location)), [{ ...plain, name: null }]);
});

test('one location changes, the others stay; invalid numbers are left to the server', () => {
  const other = { ...location, code: 'DE', name: 'Frankfurt', host: 'relay.example.org' };
  const values = { ...valuesOf(other), port: '2x', hostKey: ' SHA256:abc ', publicUrl: '' };
  assert.deepEqual(locationsWith([location, other], 'DE', values), [
    { ...plain, name: null },
    {
      ...plain,
      code: 'DE',
      name: 'Frankfurt',
      host: 'relay.example.org',
      port: '2x',
      hostKey: 'SHA256:abc',
    },
  ]);
});
