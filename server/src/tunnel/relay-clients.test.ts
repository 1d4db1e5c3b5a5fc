import assert from 'node:assert/strict';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { PassThrough } from 'node:stream';
import { test } from 'node:test';
import type { ClientChannel } from 'ssh2';
import { ManualClock } from '../base/manual-clock.ts';
import { RelayClients } from './relay-clients.ts';
import { TunnelConnection } from './tunnel-connection.ts';

const clock = new ManualClock();

function channelOf(): ClientChannel {
  return Object.assign(new PassThrough(), { stderr: new PassThrough() }) as unknown as ClientChannel;
}

/** Connects a client as the relay does; `isBusy`: with a request that is not answered yet. */
function connect(clients: RelayClients, remoteAddress: string, isBusy = false): TunnelConnection {
  const channel = channelOf();
  clients.addChannel(channel);
  const connection = new TunnelConnection({
    channel,
    line: new Socket(),
    remoteAddress,
    remotePort: 4711,
    trustsProxy: false,
    traffic: { receivedBytes: 0, sentBytes: 0, connectionsTotal: 0 },
    clock,
  });
  connection.openRequests = isBusy ? 1 : 0;
  clients.add(connection);
  clock.advance(1);
  return connection;
}

test('[R10.9] a client without a valid address is refused', () => {
  const clients = new RelayClients(false);
  for (const address of ['', 'UNKNOWN', '192.0.2.7, 10.0.0.1'])
    assert.equal(clients.makeRoom(address), false);
  assert.equal(clients.makeRoom('192.0.2.7'), true);
});

test('[R10.9] the 65th connection of a network displaces the longest idle one of it, or is refused', async () => {
  const clients = new RelayClients(false);
  const other = connect(clients, '192.0.2.9');
  const busy = connect(clients, '2001:db8::1', true);
  const idle = Array.from({ length: 63 }, () => connect(clients, '2001:db8::2'));
  assert.equal(clients.makeRoom('2001:db8::3'), true);
  assert.deepEqual([other.destroyed, busy.destroyed], [false, false]);
  const [longest, ...rest] = idle;
  assert.equal(longest?.destroyed, true);
  for (const connection of rest) {
    assert.equal(connection.destroyed, false);
    connection.openRequests = 1;
  }
  await once(longest, 'close');
  connect(clients, '2001:db8::3', true);
  assert.equal(clients.makeRoom('2001:db8::4'), false);
  assert.equal(clients.makeRoom('192.0.2.10'), true);
});

test('[R10.9] behind a proxy, whose address all clients have, there is no limit per network', () => {
  const clients = new RelayClients(true);
  for (let count = 0; count < 100; count++) connect(clients, '192.0.2.7', true);
  assert.equal(clients.makeRoom('192.0.2.7'), true);
  assert.equal(clients.size, 100);
});

test('[R10.9] a channel counts until the relay closes it, and one with too much unread is an overrun', async () => {
  const clients = new RelayClients(true);
  const channel = channelOf();
  clients.addChannel(channel);
  for (let count = 1; count < 512; count++) clients.addChannel(channelOf());
  assert.equal(clients.makeRoom('192.0.2.7'), false);
  assert.equal(clients.isOverrun, false);
  (channel as unknown as PassThrough).push(Buffer.alloc(4 * 1_048_576 + 1));
  assert.equal(clients.isOverrun, true);
  channel.destroy();
  await once(channel, 'close');
  assert.equal(clients.isOverrun, false);
  assert.equal(clients.makeRoom('192.0.2.7'), true);
});
