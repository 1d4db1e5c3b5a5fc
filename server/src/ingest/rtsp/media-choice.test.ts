import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseSessionDescription } from '@vidette/media/sdp/session-description';
import { Fault } from '../../base/fault.ts';
import { chooseMedia } from './media-choice.ts';

const h264 = ['m=video 0 RTP/AVP 96', 'a=rtpmap:96 H264/90000'];
const jpeg = ['m=video 0 RTP/AVP 26'];
const pcmu = ['m=audio 0 RTP/AVP 0'];
const aac = [
  'm=audio 0 RTP/AVP 97',
  'a=rtpmap:97 mpeg4-generic/48000/2',
  'a=fmtp:97 mode=AAC-hbr;config=1190',
];
const metadata = ['m=application 0 RTP/AVP 107', 'a=rtpmap:107 vnd.onvif.metadata/90000'];

function choose(lines: readonly string[][], canConvert = true) {
  return chooseMedia(
    parseSessionDescription(['v=0', ...lines.flat()].join('\n')),
    'rtsp://cam/x',
    canConvert,
  );
}

test('[R10.1] the first video and the first audio are used, video first; the rest is reported', () => {
  const { media, ignored } = choose([metadata, aac, pcmu, jpeg, h264, h264]);
  assert.deepEqual(
    media.map(({ encoding }) => encoding),
    ['h264', 'mpeg4-generic'],
  );
  assert.equal(ignored.length, 4);
});

test('G.711 is used only if the server transcodes it', () => {
  assert.equal(choose([h264, pcmu]).media.length, 2);
  assert.equal(choose([h264, pcmu], false).media.length, 1);
});

test('[R8.11] no supported track, or unsupported video, is a ProbeError that lists what the camera offers', () => {
  for (const lines of [[], [metadata], [jpeg, aac]]) {
    assert.throws(
      () => choose(lines),
      (error) => error instanceof Fault && error.code === 'ProbeError',
    );
  }
  assert.throws(() => choose([jpeg]), /video jpeg/);
});

test('media that the camera would receive is not used: an ONVIF back channel, with either naming of its direction', () => {
  const uris = (lines: readonly string[][]) => choose(lines).media.map(({ uri }) => uri);
  const marked = (lines: readonly string[], direction: string, name: string) => [
    ...lines,
    `a=${direction}`,
    `a=control:${name}`,
  ];
  const [camera, back] = [marked(pcmu, 'recvonly', 'mic'), marked(pcmu, 'sendonly', 'speaker')];
  assert.deepEqual(uris([back, marked(h264, 'recvonly', 'cam'), camera]), [
    'rtsp://cam/x/cam',
    'rtsp://cam/x/mic',
  ]);
  assert.deepEqual(uris([marked(h264, 'recvonly', 'cam'), back]), ['rtsp://cam/x/cam']);
  assert.deepEqual(uris([[...h264, 'a=control:cam'], back]), ['rtsp://cam/x/cam']);
  assert.deepEqual(uris([marked(h264, 'sendonly', 'cam'), camera, back]), [
    'rtsp://cam/x/cam',
    'rtsp://cam/x/speaker',
  ]);
  assert.deepEqual(uris([['a=sendonly'], h264, pcmu]).length, 2);
});

test('with several videos each attempt picks the next one, in rotation', () => {
  const [main, sub] = ['main', 'sub'].map((name) => [...h264, `a=control:${name}`]);
  const picked = [0, 1, 2].map((turn) => {
    const description = parseSessionDescription(['v=0', jpeg, main, pcmu, sub].flat().join('\n'));
    return chooseMedia(description, 'rtsp://cam/x', true, turn);
  });
  assert.deepEqual(
    picked.map(({ media }) => media[0]?.uri),
    ['rtsp://cam/x/main', 'rtsp://cam/x/sub', 'rtsp://cam/x/main'],
  );
  assert.ok(picked.every(({ videoTracks }) => videoTracks === 2));
});

test('a single medium without a control attribute uses the session’s', () => {
  assert.equal(choose([h264]).media[0]?.uri, 'rtsp://cam/x');
});
