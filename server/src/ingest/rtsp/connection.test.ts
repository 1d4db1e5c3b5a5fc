import assert from 'node:assert/strict';
import { Duplex } from 'node:stream';
import type { Socket } from 'node:net';
import { test } from 'node:test';
import { ManualClock } from '../../base/manual-clock.ts';
import type { Fault } from '../../base/fault.ts';
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
