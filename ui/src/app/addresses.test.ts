import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hrefOf, leadsTo } from '../routing/location.ts';
import { addresses, locationAt } from './addresses.ts';

test('every address resolves to itself, whatever its parameters contain', () => {
  const value = 'a b/ü?#%@$uid';
  for (const name of Object.keys(addresses)) {
    const params = Object.fromEntries([...name.matchAll(/\$(\w+)/g)].map(([, param = '']) => [param, value]));
    const location = locationAt(hrefOf({ to: name, params }));
    assert.equal(location.name, name);
    assert.deepEqual(location.params, params);
  }
});

test('[R2.1] shortcuts are followed, with their parameters', () => {
  assert.equal(locationAt('/ui').name, '/streams');
  assert.equal(locationAt('/ui/').href, '/ui/streams');
  assert.equal(locationAt('/ui/license').href, '/ui/administration/license');
  assert.equal(locationAt('/ui/stream/gate%202').href, '/ui/stream/gate%202/info');
  assert.deepEqual(locationAt('/ui/user/eve').params, { login: 'eve' });
});

test('a static address takes precedence over one with a parameter', () => {
  assert.equal(locationAt('/ui/user/add').name, '/user/add');
  assert.equal(locationAt('/ui/user/add/info').name, '/user/$login/info');
});

test('[R2.18] an address that the page does not have has no name', () => {
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

test('a trailing slash and upper case do not matter', () => {
  assert.equal(locationAt('/ui/Streams/').name, '/streams');
});

test('the search is parsed by its address, the hash as text', () => {
  const location = locationAt('/ui/stream/gate/view?t=1700000000000&x=1#picture%20one');
  assert.deepEqual(location.search, { t: 1_700_000_000_000 });
  assert.equal(location.hash, 'picture one');
  assert.deepEqual(locationAt('/ui/streams?page=7').search, {});
});

test('a link matches its target and locations below it, not addresses that only share a prefix', () => {
  const location = locationAt('/ui/stream/gate/info?x=1');
  assert.ok(leadsTo({ to: '/stream/$uid/info', params: { uid: 'gate' } }, location));
  assert.ok(leadsTo({ to: '/stream/$uid', params: { uid: 'gate' } }, location));
  assert.ok(!leadsTo({ to: '/stream/$uid', params: { uid: 'ga' } }, location));
  assert.ok(!leadsTo({ to: '/mosaics' }, locationAt('/ui/mosaic/4')));
});
