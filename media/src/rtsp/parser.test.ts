import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { MalformedError } from '../malformed.ts';
import { header, type RtspMessage } from './message.ts';
import { latin1, RtspParser } from './parser.ts';

interface Seen {
  packets: string[];
  messages: RtspMessage[];
}

function bytesOf(text: string): Uint8Array {
  return Uint8Array.from(text, (char) => char.charCodeAt(0));
}

function packet(channel: number, payload: string): string {
  const length = String.fromCharCode(payload.length >> 8, payload.length & 255);
  return `$${String.fromCharCode(channel)}${length}${payload}`;
}

/**
 * Feeds the text in pieces of the given lengths, the last one repeatedly, through one buffer as a connection
 * does.
 */
function feed(text: string, lengths: readonly number[]): Seen & { parser: RtspParser } {
  const seen: Seen = { packets: [], messages: [] };
  const parser = new RtspParser({
    packet: (channel, bytes, start, end) => seen.packets.push(`${channel}:${latin1(bytes, start, end)}`),
    message: (message) => seen.messages.push(message),
  });
  const buffer = new Uint8Array(text.length + 4);
  for (let at = 0, index = 0; at < text.length; index++) {
    const length = lengths[Math.min(index, lengths.length - 1)] ?? 1;
    const bytes = bytesOf(text.slice(at, at + length));
    // The bytes after the new ones look like the end of a message, and must not count.
    buffer.fill(0x0a);
    buffer.set(bytes);
    parser.push(buffer, bytes.length);
    at += length;
  }
  return { ...seen, parser };
}

const reply = 'RTSP/1.0 200 OK\r\nCSeq: 7\r\nContent-Length: 5\r\n\r\nhello';
const conversation =
  reply + packet(0, 'first') + packet(1, '') + reply + packet(3, 'x'.repeat(3000)) + '\r\n' + packet(0, '$R');

test('[R10.1] messages and packets are the same wherever the chunks are split', () => {
  const whole = feed(conversation, [conversation.length]);
  assert.deepEqual(whole.packets, ['0:first', '1:', `3:${'x'.repeat(3000)}`, '0:$R']);
  assert.equal(whole.messages.length, 2);
  const [first] = whole.messages;
  assert.ok(first && latin1(first.body) === 'hello' && header(first, 'cseq') === '7');
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 700 }), { minLength: 1, maxLength: 40 }), (lengths) => {
      const pieces = feed(conversation, lengths);
      assert.deepEqual(pieces.packets, whole.packets);
      assert.deepEqual(pieces.messages, whole.messages);
    }),
  );
});

test('garbage between packets is skipped and counted', () => {
  const { packets, parser } = feed(`${reply}\u0001\u0002zz$\u00ff\u0000\u0001${packet(0, 'after')}`, [9]);
  assert.deepEqual(packets, ['0:after']);
  assert.equal(parser.skippedBytes, 8);
});

test('[R10.1] packets on unannounced channels are skipped as a whole, whatever they contain', () => {
  const foreign = packet(200, `\x80${'$\x00\x00\x04fake'.repeat(50)}`);
  const text =
    reply + packet(0, 'one') + foreign + packet(1, 'two') + foreign + foreign + reply + packet(0, 'end');
  for (const length of [text.length, 1, 3, 7]) {
    const { packets, messages, parser } = feed(text, [length]);
    assert.deepEqual(
      packets.filter((one) => !one.startsWith('200:')),
      ['0:one', '1:two', '0:end'],
    );
    assert.equal(messages.length, 2);
    assert.equal(parser.skippedBytes, 0);
  }
});

test('lines may end in LF alone, and headers may be folded', () => {
  const { messages } = feed('RTSP/1.0 401 No\nWWW-Authenticate: Basic\n realm="x"\nCSeq: 1\n\n', [5]);
  const [message] = messages;
  assert.ok(message?.type === 'response' && message.status === 401);
  assert.equal(header(message, 'www-authenticate'), 'Basic realm="x"');
});

test('a server may send requests too', () => {
  const { messages } = feed('OPTIONS rtsp://host/ RTSP/1.0\r\nCSeq: 3\r\n\r\n', [4]);
  assert.ok(messages[0]?.type === 'request' && messages[0].method === 'OPTIONS');
});

test('bytes that are not RTSP are rejected immediately', () => {
  for (const text of [
    'HTTP/1.1 400 Bad Request\r\n\r\n',
    '<html>',
    'SSH-2.0-OpenSSH\r\n',
    '\u0016\u0003\u0001',
  ]) {
    assert.throws(() => feed(text, [100]), MalformedError);
  }
});

test('untrusted lengths have limits', () => {
  assert.throws(() => feed(`RTSP/1.0 200 OK\r\n${'X: y\r\n'.repeat(6000)}`, [4096]), MalformedError);
  assert.throws(() => feed(`RTSP/1.0 200 OK\r\n${'X: y\r\n'.repeat(65)}\r\n`, [4096]), MalformedError);
  assert.throws(() => feed('RTSP/1.0 200 OK\r\nContent-Length: 99999999\r\n\r\n', [4096]), MalformedError);
  assert.throws(() => feed('RTSP/1.0 200 OK\r\nContent-Length: -1\r\n\r\n', [4096]), MalformedError);
});

test('any bytes yield packets, messages or a MalformedError', () => {
  const alphabet = fc.constantFrom(...'$RTSP/1.0 2\r\n:\u0000\u0001\u00ff'.split(''), reply, packet(0, 'p'));
  fc.assert(
    fc.property(fc.array(alphabet, { maxLength: 60 }), fc.integer({ min: 1, max: 30 }), (parts, length) => {
      try {
        feed(reply + parts.join(''), [length]);
      } catch (error) {
        assert.ok(error instanceof MalformedError, String(error));
      }
    }),
  );
});

test('the cost of a body in tiny chunks is linear in its bytes, not quadratic', (t) => {
  const body = 'x'.repeat(100_000);
  const head = `RTSP/1.0 200 OK\r\nCSeq: 7\r\nX: ${'y'.repeat(30_000)}\r\nContent-Length: ${body.length}\r\n\r\n`;
  const bytes = Uint8Array.from(head + body, (char) => char.charCodeAt(0));
  let moved = 0;
  const prototype = Object.getPrototypeOf(Uint8Array.prototype) as Uint8Array;
  const set = Reflect.get(prototype, 'set') as (
    this: Uint8Array,
    source: ArrayLike<number>,
    at?: number,
  ) => void;
  t.mock.method(prototype, 'set', function (this: Uint8Array, source: ArrayLike<number>, at?: number) {
    moved += source.length;
    set.call(this, source, at);
  });
  let searched = 0;
  const indexOf = Reflect.get(prototype, 'indexOf') as (
    this: Uint8Array,
    value: number,
    from: number,
  ) => number;
  t.mock.method(prototype, 'indexOf', function (this: Uint8Array, value: number, from = 0) {
    const found = indexOf.call(this, value, from);
    searched += (found < 0 ? this.length : found) - from;
    return found;
  });
  for (const crumb of [1, 7, 100, 1_400]) {
    [moved, searched] = [0, 0];
    const messages: RtspMessage[] = [];
    const parser = new RtspParser({ packet: () => {}, message: (message) => messages.push(message) });
    for (let at = 0; at < bytes.length; at += crumb) parser.push(bytes.slice(at, at + crumb));
    assert.equal(messages.length, 1);
    assert.equal(messages[0]?.body.length, body.length);
    assert.ok(moved < 5 * bytes.length, `${moved} bytes moved in chunks of ${crumb}`);
    assert.ok(searched < 40 * bytes.length, `${searched} bytes searched in chunks of ${crumb}`);
  }
});
