import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { test } from 'node:test';
import { systemClock } from '../../base/clock.ts';
import { ManualClock } from '../../base/manual-clock.ts';
import type { Fault } from '../../base/fault.ts';
import { Authorization } from '../../dial/authorization.ts';
import { until } from '../../base/until-fixture.ts';
import { RtspConnection } from './connection.ts';

test('a server that sends requests endlessly and reads no reply is disconnected', () => {
  let written = 0;
  // Nothing that is written here is ever sent.
  const socket = new Duplex({
    read() {},
    write(chunk: Buffer) {
      written += chunk.length;
    },
  });
  const connection = new RtspConnection({ socket: socket as Socket, clock: new ManualClock() } as never);
  const faults: Fault[] = [];
  connection.onClosed = (fault) => faults.push(fault);
  const questions = Buffer.from('OPTIONS * RTSP/1.0\r\nCSeq: 1\r\n\r\n'.repeat(1_000));
  for (let round = 0; round < 50 && faults.length === 0; round++)
    connection.receive(questions, questions.length);
  assert.deepEqual(
    faults.map(({ code }) => code),
    ['ProbeError'],
  );
  assert.ok(written + socket.writableLength < 512 * 1024);
  assert.equal(socket.destroyed, true);
});

test('[R10.1] a camera that still sends video reads the TEARDOWN, and its connection is not reset', async () => {
  const packet = Buffer.concat([Buffer.of(0x24, 0, 0x80, 0), Buffer.alloc(0x8000)]);
  let request = '';
  let failure: Error | undefined;
  const server = createServer((camera) => {
    const send = () => {
      while (!request.includes('TEARDOWN') && camera.write(packet));
    };
    camera.on('error', (error) => (failure = error));
    camera.on('drain', send);
    camera.on('data', (bytes: Buffer) => {
      request += bytes.toString('latin1');
      if (!request.includes('TEARDOWN')) return;
      const cseq = /CSeq: \d+/.exec(request)?.[0] ?? '';
      camera.write(`RTSP/1.0 200 OK\r\n${cseq}\r\n\r\n`);
    });
    send();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  const connection = new RtspConnection({
    socket,
    clock: systemClock,
    authorization: new Authorization({ credentials: undefined, allowBasic: true }),
    replyTimeoutMs: 5_000,
  });
  connection.nameChannel(0);
  connection.wantsMore = () => false;
  socket.on('data', (bytes: Buffer) => {
    if (!connection.receive(bytes, bytes.length)) socket.pause();
  });
  await until(() => connection.receivedBytes > 0);
  await connection.close('rtsp://127.0.0.1/live');
  server.close();
  await once(server, 'close');
  assert.match(request, /^TEARDOWN rtsp:\/\/127\.0\.0\.1\/live RTSP\/1\.0\r\n/);
  assert.equal(failure, undefined);
});
