import assert from 'node:assert/strict';
import { once } from 'node:events';
import { BlockList, createServer, type AddressInfo } from 'node:net';
import { networkInterfaces } from 'node:os';
import { test } from 'node:test';
import fc from 'fast-check';
import { systemClock } from '../base/clock.ts';
import { Fault } from '../base/fault.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { createDial, createSourceDial, resolveHost } from './dial.ts';
import { forbiddenNetwork } from './address-policy.ts';

const anybody = { allowLoopback: false, clock: systemClock };
const administrator = { allowLoopback: true, clock: systemClock };
const hasCode = (code: string) => (error: unknown) => error instanceof Fault && error.code === code;

async function listening(): Promise<{ port: number; close: () => void; connections: () => number }> {
  let connections = 0;
  const server = createServer((socket) => {
    connections++;
    socket.on('error', () => {});
    socket.end('hello');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () => server.close(),
    connections: () => connections,
  };
}

test('private networks are allowed for cameras; this machine, link-local, multicast and reserved ranges are rejected', () => {
  for (const ip of [
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.64',
    '100.64.0.1',
    'fd12::1',
    '8.8.8.8',
    '2606:4700::1',
  ]) {
    assert.equal(forbiddenNetwork(ip, anybody), undefined, ip);
  }
  const refused = {
    loopback: [
      '127.0.0.1',
      '127.9.9.9',
      '::1',
      '::ffff:127.0.0.1',
      '::ffff:7f00:1',
      '64:ff9b::7f00:1',
      '2002:7f00:1::1',
    ],
    unspecified: ['0.0.0.0', '0.1.2.3', '::', '::ffff:0.0.0.0'],
    'link-local': ['169.254.169.254', 'fe80::1', '::ffff:a9fe:a9fe'],
    multicast: ['224.0.0.1', '239.255.255.250', 'ff02::1'],
    reserved: ['240.0.0.1', '255.255.255.255', '192.0.0.192', 'fec0::1', '2001::1', 'not an address', ''],
    metadata: ['fd00:ec2::254', '100.100.100.200'],
  };
  for (const [reach, ips] of Object.entries(refused)) {
    for (const ip of ips) assert.equal(forbiddenNetwork(ip, anybody), reach, ip);
  }
  assert.equal(forbiddenNetwork('127.0.0.1', administrator), undefined);
  assert.equal(forbiddenNetwork('239.1.1.1', { ...anybody, isListener: true }), undefined);
  assert.equal(forbiddenNetwork('169.254.169.254', { ...administrator, isListener: true }), 'link-local');
});

test('an IPv4 address is treated alike in every IPv6 notation', () => {
  fc.assert(
    fc.property(fc.ipV4(), (ip) => {
      const [a = 0, b = 0, c = 0, d = 0] = ip.split('.').map(Number);
      const tail = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
      const expected = forbiddenNetwork(ip, anybody);
      for (const clothed of [
        `::ffff:${ip}`,
        `::ffff:${tail}`,
        `64:ff9b::${tail}`,
        `2002:${tail}::`,
        `::ffff:0:${tail}`,
      ]) {
        assert.equal(forbiddenNetwork(clothed, anybody), expected, clothed);
      }
    }),
  );
});

test('whatever the name of a loopback address, the resolved address is rejected', async () => {
  for (const host of ['localhost', '127.1', '2130706433', '0x7f000001', '017700000001']) {
    await assert.rejects(resolveHost(host, anybody), hasCode('STREAM_SOURCE_ERR'), host);
  }
  // Not every resolver preserves the trailing dot.
  await assert.rejects(resolveHost('localhost.', anybody), Fault);
});

test('the addresses of this machine’s interfaces count as this machine', () => {
  const ownAddresses = new BlockList();
  ownAddresses.addAddress('192.168.1.5', 'ipv4');
  ownAddresses.addAddress('fd00::2', 'ipv6');
  for (const ip of ['192.168.1.5', '::ffff:192.168.1.5', '64:ff9b::c0a8:105', 'fd00::2', 'fd00:0:0::0:2']) {
    assert.equal(forbiddenNetwork(ip, { ...anybody, ownAddresses }), 'own', ip);
    assert.equal(forbiddenNetwork(ip, { ...administrator, ownAddresses }), undefined, ip);
    // Datagrams from a source are received at such an address.
    assert.equal(forbiddenNetwork(ip, { ...anybody, ownAddresses, isListener: true }), undefined, ip);
  }
  assert.equal(forbiddenNetwork('192.168.1.6', { ...anybody, ownAddresses }), undefined);
  const real = Object.values(networkInterfaces()).flatMap((found) => found ?? []);
  for (const { address } of real) assert.notEqual(forbiddenNetwork(address, anybody), undefined, address);
});

test('a source on another host cannot lead to this machine, whichever user saved it; one on this machine can', async () => {
  const server = await listening();
  const names: Record<string, string[]> = {
    'camera.example': ['192.0.2.1'],
    'both.example': ['192.0.2.1', '127.0.0.1'],
    'here.example': ['127.0.0.1'],
  };
  const lookup = async (host: string) => names[host] ?? [];
  const policy = { ...administrator, lookup, timeoutMs: 300 };
  for (const host of ['camera.example', 'both.example', '192.0.2.1']) {
    const dial = createSourceDial(host, policy);
    for (const target of ['127.0.0.1', 'here.example', '::ffff:127.0.0.1']) {
      await assert.rejects(
        dial(target, server.port, false),
        hasCode('STREAM_SOURCE_ERR'),
        `${host} ${target}`,
      );
    }
  }
  // A name that resolves to this machine after the source has been reached.
  const turning = createSourceDial('camera.example', policy);
  await assert.rejects(turning('127.0.0.1', server.port, false), hasCode('STREAM_SOURCE_ERR'));
  names['camera.example'] = ['127.0.0.1'];
  await assert.rejects(turning('camera.example', server.port, false), hasCode('STREAM_SOURCE_ERR'));
  assert.equal(server.connections(), 0);
  for (const host of ['here.example', '127.0.0.1']) {
    const dial = createSourceDial(host, policy);
    (await dial('127.0.0.1', server.port, false)).destroy();
  }
  server.close();
});

test('a name that resolves differently between the check and the dial gains nothing', async () => {
  const server = await listening();
  const answers = [['192.168.7.7'], ['127.0.0.1']];
  let lookups = 0;
  const lookup = async () => answers[lookups++] ?? [];
  const dial = createDial({ ...anybody, lookup, timeoutMs: 300 });
  await assert.rejects(dial('rebind.example', server.port, false), hasCode('EHOSTUNREACH'));
  assert.equal(lookups, 1);
  await assert.rejects(dial('rebind.example', server.port, false), hasCode('STREAM_SOURCE_ERR'));
  assert.equal(server.connections(), 0);
  server.close();
});

test('of several addresses the rejected ones are never dialled, and if one fails the next one is tried', async () => {
  const server = await listening();
  const lookup = async () => ['169.254.1.1', '127.0.0.2', '127.0.0.1'];
  const socket = await createDial({ ...administrator, lookup })('cam.example', server.port, false);
  assert.equal(socket.remoteAddress, '127.0.0.1');
  socket.destroy();
  server.close();
});

test('a closed port, an unknown name and a silent host are EHOSTUNREACH, each with its own message', async () => {
  const server = await listening();
  server.close();
  const dial = createDial(administrator);
  await assert.rejects(dial('127.0.0.1', server.port, false), {
    code: 'EHOSTUNREACH',
    message: `127.0.0.1 refused the connection on port ${server.port}.`,
  });
  const unknown = async () => {
    throw Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' });
  };
  await assert.rejects(createDial({ ...anybody, lookup: unknown })('nowhere.example', 1, false), {
    code: 'EHOSTUNREACH',
    message: 'The name nowhere.example is not known.',
  });
  const clock = new ManualClock();
  const silent = createDial({ allowLoopback: false, clock, lookup: () => new Promise(() => {}) })(
    'slow.example',
    1,
    false,
  );
  clock.advance(5_000);
  await assert.rejects(silent, hasCode('EHOSTUNREACH'));
  assert.equal(clock.pendingTimers, 0);
});

test('an abort ends a dial immediately, with the abort’s reason', async () => {
  const abort = new AbortController();
  const dialled = createDial({ ...anybody, lookup: () => new Promise(() => {}) })(
    'slow.example',
    1,
    false,
    abort.signal,
  );
  const reason = new Error('gone');
  abort.abort(reason);
  await assert.rejects(dialled, reason);
});

test('bytes go to their consumer, in memory that is reused, and the end is still reported', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('hello');
    socket.once('data', () => socket.end(' again'));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const dial = createDial(administrator);
  const { port } = server.address() as AddressInfo;
  let received = '';
  const memory = new Set<Uint8Array>();
  const first = Promise.withResolvers<void>();
  const socket = await dial('127.0.0.1', port, false, undefined, (bytes, length) => {
    received += Buffer.from(bytes.subarray(0, length)).toString();
    memory.add(bytes);
    first.resolve();
    return true;
  });
  const end = once(socket, 'end');
  await first.promise;
  socket.write('more');
  await end;
  assert.equal(received, 'hello again');
  assert.equal(memory.size, 1);
  server.close();
});
