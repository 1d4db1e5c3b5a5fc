import assert from 'node:assert/strict';
import { test } from 'node:test';
import Fastify from 'fastify';
import { TrustedProxies } from './trusted-proxies.ts';

test('[R10.9] the caller is the last entry that is not a trusted proxy, whatever the entries before it claim', () => {
  const proxies = new TrustedProxies(['10.0.0.0/8', '2001:db8::/32', '192.0.2.7']);
  for (const [peer, header, caller] of [
    ['10.0.0.1', '203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '1.2.3.4, 203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '1.2.3.4, 203.0.113.9, 10.3.0.1', '203.0.113.9'],
    ['10.0.0.1', '203.0.113.9, 192.0.2.7, 2001:db8::5', '203.0.113.9'],
    ['::ffff:10.0.0.1', '::ffff:203.0.113.9', '203.0.113.9'],
    ['10.0.0.1', '203.0.113.9:4711', '203.0.113.9'],
    ['10.0.0.1', '[2001:db9::9]:4711', '2001:db9::9'],
    ['10.0.0.1', '1.2.3.4, nonsense', '10.0.0.1'],
    ['10.0.0.1', '1.2.3.4, ', '10.0.0.1'],
    ['10.0.0.1', undefined, '10.0.0.1'],
    ['10.0.0.1', '10.0.0.2', '10.0.0.2'],
    ['198.51.100.1', '10.0.0.1', '198.51.100.1'],
    ['192.0.2.8', '1.2.3.4', '192.0.2.8'],
    ['', '1.2.3.4', ''],
    ['10.0.0.1', `1.2.3.4,${'10.0.0.2,'.repeat(9_000)}10.0.0.3`, '10.0.0.2'],
  ] as const) {
    assert.equal(proxies.callerOf(peer, header), caller, `${peer} ${header?.slice(0, 60)}`);
  }
});

test('`true` trusts one proxy on this machine or a private network, and none from outside', () => {
  const proxies = new TrustedProxies(true);
  assert.equal(proxies.callerOf('127.0.0.1', '1.2.3.4, 10.0.0.9'), '10.0.0.9');
  assert.equal(proxies.callerOf('fd00::1', '1.2.3.4'), '1.2.3.4');
  assert.equal(proxies.callerOf('203.0.113.1', '1.2.3.4'), '203.0.113.1');
  assert.equal(new TrustedProxies(false).callerOf('127.0.0.1', '1.2.3.4'), '127.0.0.1');
});

test('[R10.9] scheme, host and caller are taken from the headers of a trusted proxy only', async (t) => {
  const ask = async (trust: boolean | string[]) => {
    const server = Fastify();
    new TrustedProxies(trust).serve(server);
    server.get('/', ({ ip, protocol, host }) => ({ ip, protocol, host }));
    t.after(() => server.close());
    const reply = await server.inject({
      url: '/',
      headers: {
        host: 'own.example',
        'x-forwarded-for': '1.2.3.4, 203.0.113.9',
        'x-forwarded-proto': 'gopher, https',
        'x-forwarded-host': 'claimed.example, video.example',
      },
    });
    return reply.json() as unknown;
  };
  const own = { ip: '127.0.0.1', protocol: 'http', host: 'own.example' };
  assert.deepEqual(await ask(false), own);
  assert.deepEqual(await ask(['10.0.0.0/8']), own);
  assert.deepEqual(await ask(['127.0.0.1']), { ip: '203.0.113.9', protocol: 'https', host: 'video.example' });
});
