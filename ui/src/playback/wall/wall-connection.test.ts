import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '@vidette/contract/constants';
import type { ReceivedLiveMessage } from '@vidette/contract/live';
import { TestClock } from '../test-clock.ts';
import { WallConnection } from './wall-connection.ts';

/** A socket whose other side is the test. */
class WallSocketDouble extends EventTarget {
  binaryType = 'blob';
  readyState = 0;
  readonly sent: { type: string; channel: number; uid?: string }[] = [];

  send(text: string): void {
    this.sent.push(JSON.parse(text) as { type: string; channel: number });
  }

  close(): void {
    this.readyState = 3;
  }

  open(): void {
    this.readyState = 1;
    this.dispatchEvent(new Event('open'));
  }

  lose(): void {
    this.readyState = 3;
    this.dispatchEvent(new Event('close'));
  }

  text(message: object): void {
    this.dispatchEvent(new MessageEvent('message', { data: JSON.stringify(message) }));
  }

  media(channel: number, ...bytes: number[]): void {
    const data = new Uint8Array([0, 0, 0, channel, ...bytes]).buffer;
    this.dispatchEvent(new MessageEvent('message', { data }));
  }

  /** The number of the channel most recently opened for a stream. */
  channelOf(uid: string): number {
    return this.sent.findLast((one) => one.type === 'watch' && one.uid === uid)?.channel ?? -1;
  }
}

function setUp() {
  const clock = new TestClock();
  const sockets: WallSocketDouble[] = [];
  const connection = new WallConnection({
    clock,
    open: () => {
      const socket = new WallSocketDouble();
      sockets.push(socket);
      return socket as unknown as WebSocket;
    },
  });
  const watch = (uid: string) => {
    const heard: string[] = [];
    const link = connection.watch(
      { uid, picture: 'main', keyFrames: false, audio: false, convert: false },
      {
        onMessage: (message: ReceivedLiveMessage) => heard.push(message.type),
        onMedia: (bytes) => heard.push(`media ${[...bytes].join(' ')}`),
        onLost: () => heard.push('lost'),
      },
    );
    return { heard, link };
  };
  return { clock, sockets, connection, watch };
}

function newest(sockets: readonly WallSocketDouble[]): WallSocketDouble {
  const socket = sockets.at(-1);
  assert.ok(socket);
  return socket;
}

test('all tiles share one socket, each gets the stream it requested', () => {
  const { sockets, watch } = setUp();
  const gate = watch('gate');
  const yard = watch('yard');
  assert.equal(sockets.length, 1);
  const socket = newest(sockets);
  socket.open();
  assert.deepEqual(
    socket.sent.map(({ uid }) => uid),
    ['gate', 'yard'],
  );
  socket.text({ channel: socket.channelOf('yard'), type: 'init', mimeType: 'video/mp4' });
  socket.media(socket.channelOf('gate'), 7, 8);
  socket.text({ type: 'alive' });
  assert.deepEqual(gate.heard, ['media 7 8']);
  assert.deepEqual(yard.heard, ['init']);
  gate.link.close();
  const left = socket.channelOf('gate');
  assert.deepEqual(socket.sent.at(-1), { type: 'leave', channel: left });
  socket.media(left, 9);
  assert.deepEqual(gate.heard, ['media 7 8']);
  assert.equal(socket.readyState, 1);
  yard.link.close();
  assert.equal(socket.readyState, 3);
});

test('[R2.12] the only link is replaced by another on the same socket, which closes if none follows', () => {
  const { sockets, connection, watch } = setUp();
  const gate = watch('gate');
  const socket = newest(sockets);
  socket.open();
  connection.replace(() => {
    gate.link.close();
    watch('yard');
  });
  assert.deepEqual(
    socket.sent.map(({ type, uid }) => [type, uid]),
    [
      ['watch', 'gate'],
      ['leave', undefined],
      ['watch', 'yard'],
    ],
  );
  assert.deepEqual([sockets.length, socket.readyState], [1, 1]);
  const other = setUp();
  const only = other.watch('gate');
  newest(other.sockets).open();
  other.connection.replace(() => only.link.close());
  assert.equal(newest(other.sockets).readyState, 3);
});

test('a full page of 64 tiles is one socket, and they come back together after it was lost', () => {
  const { clock, sockets, watch } = setUp();
  const uids = Array.from({ length: limits.mosaicTilesPerPageMax }, (_, at) => `camera${at}`);
  const links = uids.map((uid) => watch(uid));
  assert.equal(uids.length, 64);
  assert.equal(sockets.length, 1);
  newest(sockets).open();
  newest(sockets).lose();
  clock.advance(2000);
  assert.equal(sockets.length, 2);
  newest(sockets).open();
  assert.deepEqual(
    newest(sockets).sent.map(({ uid }) => uid),
    uids,
  );
  for (const { link } of links) link.close();
  assert.equal(newest(sockets).readyState, 3);
});

test('a lost socket is reopened after a pause, and every channel is requested again', () => {
  const { clock, sockets, watch } = setUp();
  const gate = watch('gate');
  newest(sockets).open();
  newest(sockets).lose();
  assert.deepEqual(gate.heard, ['lost']);
  assert.equal(sockets.length, 1);
  clock.advance(1000);
  assert.equal(sockets.length, 2);
  newest(sockets).open();
  assert.ok(newest(sockets).channelOf('gate') > 0);
});

test('pauses grow while nothing is received, and end immediately when the network is back', () => {
  const { clock, sockets, connection, watch } = setUp();
  watch('gate');
  for (let tries = 0; tries < 6; tries++) {
    newest(sockets).lose();
    clock.advance(20_000);
  }
  const before = sockets.length;
  newest(sockets).lose();
  clock.advance(2000);
  assert.equal(sockets.length, before);
  connection.wake();
  assert.equal(sockets.length, before + 1);
});

test('a server that is silent for fifteen seconds counts as gone, as after a sleep', () => {
  const { clock, sockets, watch } = setUp();
  const gate = watch('gate');
  newest(sockets).open();
  for (let at = 0; at < 4; at++) {
    clock.advance(5000);
    newest(sockets).text({ type: 'alive' });
  }
  assert.deepEqual(gate.heard, []);
  clock.advance(18_000);
  assert.deepEqual(gate.heard, ['lost']);
  assert.ok(sockets.length > 1);
});

test('a channel that the server ended is retried by itself, unless its link was closed in response', () => {
  const { clock, sockets, watch } = setUp();
  const gate = watch('gate');
  watch('yard');
  const socket = newest(sockets);
  socket.open();
  const first = socket.channelOf('gate');
  socket.text({ channel: first, type: 'end', code: 'Unavailable' });
  assert.deepEqual(gate.heard, ['end']);
  clock.advance(1000);
  const second = socket.channelOf('gate');
  assert.ok(second > first);
  socket.text({ channel: second, type: 'end', code: 'Forbidden' });
  gate.link.close();
  clock.advance(10_000);
  assert.equal(socket.channelOf('gate'), second);
  assert.equal(sockets.length, 1);
});

test('an invalid message closes the socket and does not break the page', () => {
  const { clock, sockets, watch } = setUp();
  const gate = watch('gate');
  newest(sockets).open();
  newest(sockets).dispatchEvent(new MessageEvent('message', { data: '<html>' }));
  assert.deepEqual(gate.heard, ['lost']);
  clock.advance(1000);
  assert.equal(sockets.length, 2);
});
