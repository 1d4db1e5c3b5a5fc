/**
 * The child process that uses node-av. It is started by `../worker-process.ts` with a duplex pipe at descriptor
 * 3, speaks `../protocol.ts` there, and ends by sending itself SIGKILL: native threads that wait for a silent
 * camera would delay a normal exit, and there is nothing to flush.
 */
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { inspect } from 'node:util';
import { systemClock } from '../../base/clock.ts';
import type { DialReply } from '../dial-protocol.ts';
import { FrameReader } from '../../base/frame-reader.ts';
import { decodeMessage, encodeMessage, protocolVersion } from '../protocol.ts';
import { ServerDial } from './server-dial.ts';

const pipe = new Socket({ fd: 3, readable: true, writable: true });

function die(cause?: unknown): void {
  if (cause !== undefined) writeSync(2, `${inspect(cause)}\n`);
  process.kill(process.pid, 'SIGKILL');
}

pipe.on('close', () => die());
pipe.on('error', () => die());
process.on('uncaughtException', die);
process.on('unhandledRejection', die);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    // Ctrl-C in a terminal and systemd's SIGTERM reach the whole process group; the server closes the pipe when
    // it has finished.
  });
}

try {
  // Imported dynamically because node-av is optional: if it is missing, an error is returned instead of a
  // crash.
  const { JobDispatcher } = await import('./job-dispatcher.ts');
  const serverDial = new ServerDial((request) => process.send?.(request));
  process.on('message', (reply, socket) =>
    serverDial.take(reply as DialReply, socket instanceof Socket ? socket : undefined),
  );
  const dispatcher = new JobDispatcher(systemClock, {
    write: (message) => pipe.write(encodeMessage(message)),
    queuedBytes: () => pipe.writableLength,
    drained: () =>
      pipe.writableNeedDrain ? new Promise((resolve) => pipe.once('drain', resolve)) : Promise.resolve(),
    die,
    dialOf: (job) => serverDial.of(job),
  });
  const reader = new FrameReader((frame) => dispatcher.handle(decodeMessage(frame)));
  pipe.on('data', (chunk: Buffer) => reader.push(chunk));
  pipe.write(encodeMessage({ type: 'hello', job: 0, version: protocolVersion }));
} catch (error) {
  const failure = error instanceof Error ? error.message : String(error);
  pipe.write(encodeMessage({ type: 'hello', job: 0, version: protocolVersion, failure }), () => die());
}
