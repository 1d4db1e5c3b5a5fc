import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isAddressRange, networkOf } from './network.ts';

test('[R8.12] an IPv4 address counts by itself, an IPv6 address by its /64, however it is written', () => {
  for (const [ip, network] of [
    ['192.0.2.7', '192.0.2.7'],
    ['::ffff:192.0.2.7', '192.0.2.7'],
    ['2001:db8:0:1::5', '2001:db8:0:1::/64'],
    ['2001:0DB8:0000:0001:a:b:c:d', '2001:db8:0:1::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
  ] as const) {
    assert.equal(networkOf(ip), network, ip);
  }
});

test('addresses and ranges are distinguished from everything else', () => {
  for (const text of ['10.0.0.1', '10.0.0.0/8', '::1', 'fd00::/7', '0.0.0.0/0'])
    assert.ok(isAddressRange(text), text);
  for (const text of [
    '',
    'localhost',
    '10.0.0.0/33',
    '::/129',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    '10.0.0.0/-1',
    'true',
  ]) {
    assert.equal(isAddressRange(text), false, text);
  }
});
