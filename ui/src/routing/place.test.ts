import assert from 'node:assert/strict';
import { test } from 'node:test';
import { addresses } from './addresses.ts';
import { hrefOf, leadsTo, placeAt } from './place.ts';

test('every address leads back to itself, whatever its parts hold', () => {
  const value = 'a b/ü?#%@$uid';
  for (const name of Object.keys(addresses)) {
    const params = Object.fromEntries([...name.matchAll(/\$(\w+)/g)].map(([, param = '']) => [param, value]));
    const place = placeAt(hrefOf({ to: name, params }));
    assert.equal(place.name, name);
    assert.deepEqual(place.params, params);
  }
});

test('[R2.1] shortcuts are followed, with their parts', () => {
  assert.equal(placeAt('/ui').name, '/streams');
  assert.equal(placeAt('/ui/').href, '/ui/streams');
  assert.equal(placeAt('/ui/license').href, '/ui/administration/license');
  assert.equal(placeAt('/ui/stream/gate%202').href, '/ui/stream/gate%202/info');
  assert.deepEqual(placeAt('/ui/user/eve').params, { login: 'eve' });
});

test('an address in full goes before one with an open part', () => {
  assert.equal(placeAt('/ui/user/add').name, '/user/add');
  assert.equal(placeAt('/ui/user/add/info').name, '/user/$login/info');
});

test('[R2.18] what the page does not have has no name', () => {
  for (const href of [
    '/ui/nowhere',
    '/ui/stream',
    '/ui/stream//view',
    '/ui/stream/%E0%A4%A/view',
    '/other/streams',
  ]) {
    assert.equal(placeAt(href).name, null, href);
  }
});

test('a slash at the end and capitals do not matter', () => {
  assert.equal(placeAt('/ui/Streams/').name, '/streams');
});

test('the search is read by its address, the hash as words', () => {
  const place = placeAt('/ui/stream/gate/view?t=1700000000000&x=1#picture%20one');
  assert.deepEqual(place.search, { t: 1_700_000_000_000 });
  assert.equal(place.hash, 'picture one');
  assert.deepEqual(placeAt('/ui/streams?page=7').search, {});
});

test('a link leads to the place it names and to what lies in it, not to what only begins alike', () => {
  const place = placeAt('/ui/stream/gate/info?x=1');
  assert.ok(leadsTo({ to: '/stream/$uid/info', params: { uid: 'gate' } }, place));
  assert.ok(leadsTo({ to: '/stream/$uid', params: { uid: 'gate' } }, place));
  assert.ok(!leadsTo({ to: '/stream/$uid', params: { uid: 'ga' } }, place));
  assert.ok(!leadsTo({ to: '/mosaics' }, placeAt('/ui/mosaic/4')));
});
