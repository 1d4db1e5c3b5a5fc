import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hrefOf, leadsTo } from '../routing/location.ts';
import { addresses, locationAt } from './addresses.ts';

test('every address leads back to itself, whatever its parts hold', () => {
  const value = 'a b/ü?#%@$uid';
  for (const name of Object.keys(addresses)) {
    const params = Object.fromEntries([...name.matchAll(/\$(\w+)/g)].map(([, param = '']) => [param, value]));
    const location = locationAt(hrefOf({ to: name, params }));
    assert.equal(location.name, name);
    assert.deepEqual(location.params, params);
  }
});

test('[R2.1] shortcuts are followed, with their parts', () => {
  assert.equal(locationAt('/ui').name, '/streams');
  assert.equal(locationAt('/ui/').href, '/ui/streams');
  assert.equal(locationAt('/ui/license').href, '/ui/administration/license');
  assert.equal(locationAt('/ui/stream/gate%202').href, '/ui/stream/gate%202/info');
  assert.deepEqual(locationAt('/ui/user/eve').params, { login: 'eve' });
});

test('an address in full goes before one with an open part', () => {
  assert.equal(locationAt('/ui/user/add').name, '/user/add');
  assert.equal(locationAt('/ui/user/add/info').name, '/user/$login/info');
});

test('[R2.18] what the page does not have has no name', () => {
  for (const href of [
    '/ui/nowhere',
    '/ui/stream',
    '/ui/stream//view',
    '/ui/stream/%E0%A4%A/view',
    '/other/streams',
  ]) {
    assert.equal(locationAt(href).name, null, href);
  }
});

test('a slash at the end and capitals do not matter', () => {
  assert.equal(locationAt('/ui/Streams/').name, '/streams');
});

test('the search is read by its address, the hash as words', () => {
  const location = locationAt('/ui/stream/gate/view?t=1700000000000&x=1#picture%20one');
  assert.deepEqual(location.search, { t: 1_700_000_000_000 });
  assert.equal(location.hash, 'picture one');
  assert.deepEqual(locationAt('/ui/streams?page=7').search, {});
});

test('a link leads to the place it names and to what is in it, not to addresses that only share a prefix', () => {
  const location = locationAt('/ui/stream/gate/info?x=1');
  assert.ok(leadsTo({ to: '/stream/$uid/info', params: { uid: 'gate' } }, location));
  assert.ok(leadsTo({ to: '/stream/$uid', params: { uid: 'gate' } }, location));
  assert.ok(!leadsTo({ to: '/stream/$uid', params: { uid: 'ga' } }, location));
  assert.ok(!leadsTo({ to: '/mosaics' }, locationAt('/ui/mosaic/4')));
});
