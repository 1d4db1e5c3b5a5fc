import assert from 'node:assert/strict';
import { test } from 'node:test';
import { networkOf } from './network.ts';

test('[R8.12] an IPv4 address is counted by itself, an IPv6 address by its /64, however it is written', () => {
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
