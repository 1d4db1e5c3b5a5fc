import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { catalogue, type ErrorCode } from './errors.ts';
import {
  encodeLiveMessage,
  encodeWallMessage,
  parseLiveMessage,
  parseWallMessage,
  type LiveMessage,
  type WaitingReason,
} from './live.ts';

const plain = { noNullPrototype: true } as const;
const track = fc.record(
  {
    id: fc.nat(),
    kind: fc.constantFrom('video' as const, 'audio' as const),
    codec: fc.string(),
    codecString: fc.string(),
    timescale: fc.nat(),
  },
  plain,
);
const reasons: WaitingReason[] = ['connecting', 'no-frames', 'clock-set', 'moved'];
const messages: fc.Arbitrary<LiveMessage> = fc.oneof(
  fc.record(
    {
      type: fc.constant('init' as const),
      mimeType: fc.string(),
      generation: fc.nat(),
      tracks: fc.array(track),
      startMs: fc.nat(),
    },
    plain,
  ),
  fc.record({ type: fc.constant('skipped' as const), samples: fc.nat() }, plain),
  fc.record({ type: fc.constant('reduced' as const), isReduced: fc.boolean() }, plain),
  fc.record({ type: fc.constant('waiting' as const), reason: fc.constantFrom(...reasons) }, plain),
  fc.record(
    { type: fc.constant('end' as const), code: fc.constantFrom(...(Object.keys(catalogue) as ErrorCode[])) },
    plain,
  ),
);

test('[R7.12] a viewer can read the server’s messages, on its own socket and on that of a wall', () => {
  fc.assert(
    fc.property(messages, fc.nat(0xffff_ffff), (message, channel) => {
      const expected = message.type === 'init' ? { type: 'init', mimeType: message.mimeType } : message;
      assert.deepEqual(parseLiveMessage(encodeLiveMessage(message)), expected);
      assert.deepEqual(parseWallMessage(encodeWallMessage(channel, message)), { channel, message: expected });
    }),
  );
});

test('the text is the same as in the released versions', () => {
  const track = {
    id: 1,
    kind: 'video',
    codec: 'H264',
    codecString: 'avc1.640028',
    timescale: 90000,
  } as const;
  const init = {
    type: 'init',
    mimeType: 'video/mp4; codecs="avc1.640028"',
    generation: 3,
    tracks: [{ ...track, width: 640, height: 360 }],
    startMs: 1_795_383_260_200,
  } as const;
  assert.equal(
    encodeLiveMessage(init),
    '{"type":"init","mimeType":"video/mp4; codecs=\\"avc1.640028\\"","generation":3,"tracks":[{"id":1,"kind":"video",' +
      '"codec":"H264","codecString":"avc1.640028","timescale":90000,"width":640,"height":360}],"startMs":1795383260200}',
  );
  assert.equal(encodeLiveMessage({ type: 'skipped', samples: 12 }), '{"type":"skipped","samples":12}');
  assert.equal(
    encodeWallMessage(7, { type: 'waiting', reason: 'unreachable' }),
    '{"channel":7,"type":"waiting","reason":"unreachable"}',
  );
  assert.equal(
    encodeWallMessage(7, { type: 'end', code: 'Forbidden' }),
    '{"channel":7,"type":"end","code":"Forbidden"}',
  );
});

test('messages of other versions are parsed as far as they are known', () => {
  assert.deepEqual(parseLiveMessage('{"type":"init","mimeType":"video/mp4","hdr":true}'), {
    type: 'init',
    mimeType: 'video/mp4',
  });
  assert.deepEqual(parseLiveMessage('{"type":"waiting"}'), { type: 'waiting' });
  assert.deepEqual(parseLiveMessage('{"type":"end","code":5}'), { type: 'end', code: undefined });
  assert.deepEqual(parseLiveMessage('{"type":"skipped","samples":"many"}'), { type: 'skipped', samples: 0 });
  assert.equal(parseLiveMessage('{"type":"chapter"}'), undefined);
  assert.deepEqual(parseWallMessage('{"type":"alive"}'), { channel: undefined, message: undefined });
});

test('any bytes result in a message, nothing, or a SyntaxError', () => {
  const anyBytes = fc.uint8Array({ maxLength: 200 }).map((bytes) => new TextDecoder().decode(bytes));
  const type = fc.constantFrom('init', 'skipped', 'waiting', 'end', 'alive', '__proto__', 5, null);
  const members = fc.constantFrom('channel', 'mimeType', 'samples', 'reason', 'code', 'tracks', '__proto__');
  const nearly = fc
    .tuple(type, fc.dictionary(members, fc.jsonValue()), fc.boolean())
    .map(([type, rest, isFirst]) => JSON.stringify(isFirst ? { type, ...rest } : { ...rest, type }));
  const cut = fc.tuple(nearly, fc.nat(200)).map(([text, length]) => text.slice(0, length));
  fc.assert(
    fc.property(fc.oneof(anyBytes, fc.json(), nearly, cut), (text) => {
      for (const parse of [parseLiveMessage, (wall: string) => parseWallMessage(wall).message]) {
        try {
          const message = parse(text);
          if (message?.type === 'init') assert.equal(typeof message.mimeType, 'string');
          if (message?.type === 'skipped') assert.ok(Number.isFinite(message.samples));
        } catch (error) {
          assert.ok(error instanceof SyntaxError, String(error));
        }
      }
    }),
    { numRuns: 2000 },
  );
  const deep = '['.repeat(200_000);
  assert.throws(() => parseLiveMessage(deep), SyntaxError);
});
