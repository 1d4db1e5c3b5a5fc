import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { MalformedError } from '../malformed.ts';
import { parseSessionDescription } from './session-description.ts';

const camera = [
  'v=0',
  'o=- 1 1 IN IP4 0.0.0.0',
  's=Camera',
  'a=control:rtsp://cam/live/',
  'm=video 0 RTP/AVP 96',
  'a=rtpmap:96 H264/90000',
  'a=fmtp:96 packetization-mode=1; profile-level-id=4D0029; sprop-parameter-sets=Z00AKZpkA8ARPyzUBAQFAAADA+gAAOpg,aO48gA==',
  'a=control:trackID=1',
  'm=audio 0 RTP/AVP 8 0',
  'a=control:trackID=2',
  'm=audio 0 RTP/AVP 97',
  'a=rtpmap:97 MPEG4-GENERIC/48000/2',
  'a=fmtp:97 streamtype=5;mode=AAC-hbr;config=1190;SizeLength=13',
].join('\r\n');

test('[R10.1] media, formats, parameters and controls', () => {
  const { control, media } = parseSessionDescription(camera);
  assert.equal(control, 'rtsp://cam/live/');
  assert.deepEqual(
    media.map(({ kind, control: at, formats }) => [
      kind,
      at,
      formats.map(({ encoding, clockRate }) => [encoding, clockRate]),
    ]),
    [
      ['video', 'trackID=1', [['h264', 90000]]],
      [
        'audio',
        'trackID=2',
        [
          ['pcma', 8000],
          ['pcmu', 8000],
        ],
      ],
      ['audio', undefined, [['mpeg4-generic', 48000]]],
    ],
  );
  assert.match(media[0]?.formats[0]?.parameters.get('sprop-parameter-sets') ?? '', /,aO48gA==$/);
  assert.equal(media[2]?.formats[0]?.channels, 2);
  assert.equal(media[2]?.formats[0]?.parameters.get('sizelength'), '13');
});

test('line ends of every kind, and meaningless lines', () => {
  for (const end of ['\n', '\r', '\r\n']) {
    assert.equal(
      parseSessionDescription(['', 'nonsense', camera.replaceAll('\r\n', end)].join(end)).media.length,
      3,
    );
  }
});

test('an invalid or oversized description is rejected', () => {
  assert.throws(() => parseSessionDescription('<html></html>'), MalformedError);
  assert.throws(() => parseSessionDescription('m=video 0 RTP/AVP 96\n'.repeat(33)), MalformedError);
  assert.throws(() => parseSessionDescription(`a=${'x'.repeat(70_000)}`), MalformedError);
  assert.throws(() => parseSessionDescription('v=0\n'.repeat(70_000)), MalformedError);
});

test('any text yields a description or a MalformedError', () => {
  const piece = fc.oneof(
    fc.constantFrom(
      'm=video 0 RTP/AVP',
      'a=rtpmap:96 ',
      'a=fmtp:',
      'a=control:',
      '96',
      '/',
      ';',
      '=',
      ' ',
      '\n',
      '\r\n',
    ),
    fc.string({ maxLength: 8 }),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 80 }), (pieces) => {
      try {
        const { media } = parseSessionDescription(pieces.join(''));
        for (const { formats } of media) {
          for (const format of formats)
            assert.ok(Number.isInteger(format.clockRate) && format.payloadType < 128);
        }
      } catch (error) {
        assert.ok(error instanceof MalformedError, String(error));
      }
    }),
  );
});

test('descriptions like those of real cameras, complete and truncated anywhere', () => {
  const folder = new URL('fixtures/', import.meta.url);
  const seen = readdirSync(folder).map((name) => {
    const text = readFileSync(new URL(name, folder), 'latin1');
    for (let length = 3; length < text.length; length++) parseSessionDescription(text.slice(0, length));
    const { media } = parseSessionDescription(text);
    return [name, media.map(({ formats }) => formats.map(({ encoding }) => encoding).join())];
  });
  assert.deepEqual(Object.fromEntries(seen), {
    'absolute-controls.sdp': ['h264', 'pcma', 'vnd.onvif.metadata'],
    'bare.sdp': ['h264'],
    'h265-aac.sdp': ['h265', 'mpeg4-generic'],
    'oddities.sdp': ['jpeg,', 'pcmu,pcma,opus', '', ''],
  });
});
