import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { test, type TestContext } from 'node:test';
import type { ServerChannel } from 'ssh2';
import { systemClock } from '../base/clock.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { eventually, settled, until } from '../base/until-fixture.ts';
import { bindPort, dial, openTestRelay, tryChannel, type TestRelay } from './relay-fixture.ts';

const window = 2 ** 31;
const packetBytes = 32_768;
const way = { boundAddr: 'localhost', boundPort: bindPort, remoteAddr: '192.0.2.7', remotePort: 4711 };

/** A client of the requested port, announced as an honest relay does. */
function visit({ connection }: TestRelay, from = '192.0.2.7'): Promise<ServerChannel> {
  return new Promise((resolve, reject) => {
    connection.forwardOut('localhost', bindPort, from, 4711, (error, channel) => {
      if (error) reject(error);
      else resolve(channel);
    });
  });
}

test('[R10.9] a client connects with its own address, and bytes pass intact in both directions', async (t) => {
  const relay = await openTestRelay(t);
  const remote = await visit(relay);
  const [local] = relay.clients;
  assert.ok(local);
  assert.deepEqual([local.remoteAddress, local.remotePort, local.remoteFamily], ['192.0.2.7', 4711, 'IPv4']);
  local.pipe(local);
  const sent = Buffer.alloc(3_000_000, 'abcdefg');
  const back: Buffer[] = [];
  let backBytes = 0;
  remote.on('data', (chunk: Buffer) => {
    back.push(chunk);
    backBytes += chunk.length;
  });
  remote.write(sent);
  await until(() => backBytes >= sent.length);
  assert.ok(Buffer.concat(back).equals(sent));
  assert.deepEqual(relay.traffic, {
    receivedBytes: sent.length,
    sentBytes: sent.length,
    connectionsTotal: 1,
  });
  remote.end();
  await until(() => relay.relay.connections === 0);
});

test('[R10.9] a relay can open only connections to the requested port', async (t) => {
  const relay = await openTestRelay(t);
  const { raw } = relay;
  const asClient = (open: (channel: number) => void) => (channel: number) => {
    raw._protocol._server = false;
    open(channel);
    raw._protocol._server = true;
  };
  const onward = { srcIP: '127.0.0.1', srcPort: 1, dstIP: '127.0.0.1', dstPort: 22 };
  const attempts: [string, (channel: number) => void][] = [
    ['session', asClient((channel) => raw._protocol.session(channel, window, packetBytes))],
    ['direct-tcpip', asClient((channel) => raw._protocol.directTcpip(channel, window, packetBytes, onward))],
    ['auth-agent', (channel) => raw._protocol.openssh_authAgent(channel, window, packetBytes)],
  ];
  for (const other of [{ boundPort: 22 }, { boundAddr: '127.0.0.1' }, { boundAddr: '' }]) {
    const elsewhere = { ...way, ...other };
    attempts.push([
      'forwarded-tcpip',
      (channel) => raw._protocol.forwardedTcpip(channel, window, packetBytes, elsewhere),
    ]);
  }
  for (const [type, open] of attempts) assert.equal(await tryChannel(relay, type, open), 'refused', type);
  await assert.rejects(new Promise((_, reject) => relay.connection.x11('192.0.2.7', 1, reject)));
  await assert.rejects(
    new Promise((_, reject) => relay.connection.openssh_forwardOutStreamLocal('/run/secret', reject)),
  );
  assert.equal(relay.clients.length, 0);
  await visit(relay);
  assert.equal(relay.clients.length, 1);
});

/** An address in a separate network. */
const addressOf = (index: number) => `2001:db8:0:${index.toString(16)}::7`;

test('[R10.9] a client without an address is refused, and so are clients beyond 512', async (t) => {
  const relay = await openTestRelay(t);
  for (const from of ['UNKNOWN', '', '192.0.2.7, 10.0.0.1', '127.0.0.1.evil']) {
    await assert.rejects(visit(relay, from));
  }
  const channels: ServerChannel[] = [];
  for (let open = 0; open < 512; open++) {
    channels.push(await visit(relay, addressOf(open)));
    const client = relay.clients.at(-1);
    if (client) client.openRequests = 1;
  }
  assert.equal(relay.clients[0]?.remoteFamily, 'IPv6');
  await assert.rejects(visit(relay));
  assert.equal(relay.relay.connections, 512);
  for (const client of relay.clients.slice(0, 5)) client.destroy();
  for (const channel of channels.slice(0, 5)) channel.close();
  await until(() => relay.relay.connections === 507);
  // The relay's own message that a channel is closed follows later.
  await eventually(
    () => visit(relay),
    () => true,
  );
});

test('[R10.9] clients that send no request lock no other client out, neither all together nor those of one network', async (t) => {
  const relay = await openTestRelay(t);
  await visit(relay, addressOf(0));
  const [asking] = relay.clients;
  assert.ok(asking);
  asking.openRequests = 1;
  for (let open = 1; open < 600; open++) {
    const channel = await visit(relay, addressOf(open));
    channel.on('close', () => channel.close());
  }
  assert.equal(asking.destroyed, false);
  assert.equal(relay.clients[1]?.destroyed, true, 'the one that was idle longest has been closed');
  assert.equal(relay.clients.at(-1)?.destroyed, false);
  assert.ok(relay.relay.connections <= 481, `${relay.relay.connections} connections`);
});

test('[R10.9] each network has a limit on its connections: its own idle ones are closed first, and none of another network', async (t) => {
  const relay = await openTestRelay(t);
  await visit(relay, '192.0.2.9');
  for (let open = 0; open < 70; open++) await visit(relay, `2001:db8::${open.toString(16)}`);
  await until(() => relay.relay.connections === 65);
  assert.equal(relay.clients[0]?.destroyed, false);
  assert.equal(relay.clients[1]?.destroyed, true);
  for (const client of relay.clients) client.openRequests = 1;
  await assert.rejects(visit(relay, '2001:db8::ffff'));
  await visit(relay, '2001:db8:1::1');
});

for (const tiny of [0, 1]) {
  test(`[R10.9] a packet size of ${tiny} bytes, with which a write would never end, ends the connection`, async (t) => {
    const relay = await openTestRelay(t);
    void tryChannel(relay, 'forwarded-tcpip', (channel) =>
      relay.raw._protocol.forwardedTcpip(channel, window, tiny, way),
    );
    assert.equal((await relay.relay.ended).code, 'relay-misbehaves');
    assert.equal(relay.clients.length, 0);
  });
}

test('[R10.9] a relay that sends beyond the window of a waiting reader is disconnected', async (t) => {
  const relay = await openTestRelay(t);
  const remote = await visit(relay);
  const id = (remote as unknown as { outgoing: { id: number } }).outgoing.id;
  // Not a divisor of the window: the library detects a window that is used up, but not one that is exceeded.
  const packet = Buffer.alloc(30_000);
  // The client's data is never read.
  for (let sent = 0; sent < 8 * 1_048_576; sent += packet.length) relay.raw._protocol.channelData(id, packet);
  assert.equal((await relay.relay.ended).code, 'relay-misbehaves');
  assert.equal(relay.clients[0]?.destroyed, true);
});

test('[R10.9] a relay that does not read delays the writer, whatever window it announced', async (t) => {
  const relay = await openTestRelay(t);
  void tryChannel(relay, 'forwarded-tcpip', (channel) =>
    relay.raw._protocol.forwardedTcpip(channel, window, packetBytes, way),
  );
  await until(() => relay.clients.length === 1);
  relay.socket.pause();
  const whole = 96 * 1_048_576;
  let isDone = false;
  relay.clients[0]?.write(Buffer.alloc(whole), () => (isDone = true));
  await until(() => relay.traffic.sentBytes > 0);
  const sentBytes = await settled(() => relay.traffic.sentBytes);
  assert.equal(isDone, false);
  assert.ok(sentBytes < whole / 2, `${sentBytes} bytes are in transit`);
});

test('[R10.9] a relay that does not answer is disconnected, and so is one that renews its keys endlessly', async (t) => {
  const clock = new ManualClock();
  const silent = await openTestRelay(t, { clock, answersPings: false });
  await visit(silent);
  clock.advance(20_000);
  assert.equal((await silent.relay.ended).code, 'relay-silent');
  assert.equal(silent.clients[0]?.destroyed, true);

  const renewing = await openTestRelay(t, { clock });
  const renew = () => renewing.connection.rekey(renew);
  renew();
  assert.equal((await renewing.relay.ended).code, 'relay-misbehaves');
});

test('[R10.9] while the relay answers, keep-alive requests continue', async (t) => {
  const clock = new ManualClock();
  const relay = await openTestRelay(t, { clock });
  for (let asked = 1; asked <= 5; asked++) {
    await until(() => relay.questions() === asked);
    // A message that the relay sent after its answer has arrived, and so has the answer.
    await visit(relay);
    clock.advance(15_000);
  }
  assert.equal(relay.relay.connections, 5);
});

/** A machine that answers on TCP but is not a relay. */
async function dialStranger(t: TestContext, talk: (socket: Socket) => void) {
  const clock = new ManualClock();
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => {});
    talk(socket);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const traffic = { receivedBytes: 0, sentBytes: 0, connectionsTotal: 0 };
  const { relay } = dial((server.address() as AddressInfo).port, clock, traffic, () =>
    assert.fail('a client'),
  );
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return { relay, clock, sockets };
}

test('[R10.9] endless greetings, invalid data and silence all end the attempt', async (t) => {
  const greeting = await dialStranger(t, (socket) => {
    const line = Buffer.from(`${'x'.repeat(8_000)}\r\n`);
    const talk = () => {
      while (!socket.destroyed && socket.write(line));
      if (!socket.destroyed) socket.once('drain', talk);
    };
    talk();
  });
  const advance = setInterval(() => greeting.clock.advance(1_000), 20);
  t.after(() => clearInterval(advance));
  const chatty = await greeting.relay.ended;
  assert.ok(['connection-lost', 'unreachable'].includes(chatty.code), chatty.code);
  assert.ok((chatty.causeWords ?? '').length < 400, 'its text is truncated');

  const nonsense = await dialStranger(t, (socket) =>
    socket.write(`SSH-2.0-x\r\n${'\u0001\u00ff'.repeat(40_000)}`),
  );
  assert.equal((await nonsense.relay.ended).code, 'connection-lost');

  const silent = await dialStranger(t, () => {});
  await until(() => silent.sockets.length === 1);
  silent.clock.advance(20_000);
  assert.equal((await silent.relay.ended).code, 'unreachable');
});

test('[R10.9] no relay at the address', async () => {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const traffic = { receivedBytes: 0, sentBytes: 0, connectionsTotal: 0 };
  const { relay } = dial(port, systemClock, traffic, () => {});
  const failure = await relay.ended;
  assert.equal(failure.code, 'unreachable');
  assert.equal(failure.message, `127.0.0.1 refused the connection on port ${port}.`);
  assert.match(failure.causeWords ?? '', /ECONNREFUSED/);
});
