import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readClip } from '../../fixtures/clip.ts';
import { livePlaylist, skippableSegments } from './live-playlist.ts';
import type { LivePlaylist, LiveSegment } from './live-playlist.ts';
import { multivariantPlaylist } from './multivariant.ts';
import { vodPlaylist } from './playlist.ts';
import type { PlaylistSegment } from './playlist.ts';

const START_MS = Date.UTC(2026, 10, 21, 10, 0, 0, 40);
const map = { uri: 'a.mp4?x=1', byteRange: { offset: 0, length: 700 } };
const recorded: PlaylistSegment = {
  uri: 'a.mp4?x=1',
  byteRange: { offset: 700, length: 5000 },
  map,
  durationSeconds: 2.04,
  startMs: START_MS,
  isDiscontinuity: false,
};

test('[R7.17] a recording has one map and date for contiguous segments, new ones after a gap', () => {
  const after = { uri: 'b.mp4', byteRange: { offset: 0, length: 710 } };
  const playlist = vodPlaylist([
    recorded,
    {
      ...recorded,
      byteRange: { offset: 5700, length: 4000 },
      durationSeconds: 1 / 3,
      startMs: START_MS + 2040,
    },
    {
      uri: 'b.mp4',
      byteRange: { offset: 710, length: 9 },
      map: after,
      durationSeconds: 2,
      startMs: START_MS + 60000,
      isDiscontinuity: true,
    },
  ]);
  assert.equal(
    playlist,
    [
      '#EXTM3U',
      '#EXT-X-VERSION:7',
      '#EXT-X-TARGETDURATION:3',
      '#EXT-X-MEDIA-SEQUENCE:0',
      '#EXT-X-PLAYLIST-TYPE:VOD',
      '#EXT-X-INDEPENDENT-SEGMENTS',
      '#EXT-X-MAP:URI="a.mp4?x=1",BYTERANGE="700@0"',
      '#EXT-X-PROGRAM-DATE-TIME:2026-11-21T10:00:00.040Z',
      '#EXTINF:2.040,',
      '#EXT-X-BYTERANGE:5000@700',
      'a.mp4?x=1',
      '#EXTINF:0.333333,',
      '#EXT-X-BYTERANGE:4000@5700',
      'a.mp4?x=1',
      '#EXT-X-DISCONTINUITY',
      '#EXT-X-MAP:URI="b.mp4",BYTERANGE="710@0"',
      '#EXT-X-PROGRAM-DATE-TIME:2026-11-21T10:01:00.040Z',
      '#EXTINF:2.000,',
      '#EXT-X-BYTERANGE:9@710',
      'b.mp4',
      '#EXT-X-ENDLIST',
      '',
    ].join('\n'),
  );
});

test('[R7.17] without recorded footage the playlist is empty and has ended', () => {
  assert.match(vodPlaylist([]), /^#EXTM3U\n[^]*#EXT-X-TARGETDURATION:1\n[^]*#EXT-X-ENDLIST\n$/);
});

test('a URI cannot smuggle in lines or attributes', () => {
  for (const uri of ['', '#EXT-X-ENDLIST', 'a\nb', 'a\rb']) {
    assert.throws(() => vodPlaylist([{ ...recorded, uri }]), RangeError);
  }
  assert.throws(() => vodPlaylist([{ ...recorded, map: { uri: 'a",X="' } }]), RangeError);
});

const segment = (index: number): LiveSegment => ({
  uri: `s${index}.mp4`,
  map: { uri: 'init.mp4' },
  durationSeconds: 2,
  startMs: START_MS + index * 2000,
  isDiscontinuity: false,
  parts: index < 2 ? [] : [{ uri: `s${index}.0.mp4`, durationSeconds: 2, isIndependent: true }],
});

const live: LivePlaylist = {
  targetDurationSeconds: 2,
  partTargetSeconds: 0.5,
  mediaSequence: 40,
  discontinuitySequence: 1,
  segments: [0, 1, 2].map(segment),
  open: {
    map: { uri: 'init2.mp4' },
    startMs: START_MS + 6000,
    isDiscontinuity: true,
    parts: [
      { uri: 'p0.mp4', durationSeconds: 0.5, isIndependent: true },
      { uri: 'p.mp4', byteRange: { offset: 9, length: 8 }, durationSeconds: 0.48, isIndependent: false },
    ],
  },
  preloadHint: { uri: 'p2.mp4' },
  hasEnded: false,
};

test('[R7.12] a live playlist announces parts, hold-back, and the next part', () => {
  assert.equal(
    livePlaylist(live),
    [
      '#EXTM3U',
      '#EXT-X-VERSION:9',
      '#EXT-X-TARGETDURATION:2',
      '#EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,CAN-SKIP-UNTIL=12.000,HOLD-BACK=6.000,PART-HOLD-BACK=1.500',
      '#EXT-X-PART-INF:PART-TARGET=0.500',
      '#EXT-X-MEDIA-SEQUENCE:40',
      '#EXT-X-DISCONTINUITY-SEQUENCE:1',
      '#EXT-X-INDEPENDENT-SEGMENTS',
      '#EXT-X-MAP:URI="init.mp4"',
      '#EXT-X-PROGRAM-DATE-TIME:2026-11-21T10:00:00.040Z',
      '#EXTINF:2.000,',
      's0.mp4',
      '#EXT-X-PROGRAM-DATE-TIME:2026-11-21T10:00:02.040Z',
      '#EXTINF:2.000,',
      's1.mp4',
      '#EXT-X-PROGRAM-DATE-TIME:2026-11-21T10:00:04.040Z',
      '#EXT-X-PART:DURATION=2.000,URI="s2.0.mp4",INDEPENDENT=YES',
      '#EXTINF:2.000,',
      's2.mp4',
      '#EXT-X-DISCONTINUITY',
      '#EXT-X-MAP:URI="init2.mp4"',
      '#EXT-X-PROGRAM-DATE-TIME:2026-11-21T10:00:06.040Z',
      '#EXT-X-PART:DURATION=0.500,URI="p0.mp4",INDEPENDENT=YES',
      '#EXT-X-PART:DURATION=0.480,URI="p.mp4",BYTERANGE="8@9"',
      '#EXT-X-PRELOAD-HINT:TYPE=PART,URI="p2.mp4"',
      '',
    ].join('\n'),
  );
});

test('[R7.12] a stream that has ended closes its playlist and has no preload hint', () => {
  const text = livePlaylist({ ...live, hasEnded: true });
  assert.match(text, /\n#EXT-X-ENDLIST\n$/);
  assert.doesNotMatch(text, /PRELOAD-HINT/);
});

test('[R7.12] a delta update omits the segments before the skip boundary, and no more', () => {
  const segments = Array.from({ length: 10 }, (_, index) => segment(index));
  // Six targets of two seconds are the last six segments.
  assert.equal(skippableSegments(segments, 2), 4);
  assert.equal(skippableSegments(segments.slice(0, 5), 2), 0);
  const text = livePlaylist({ ...live, segments, skippedSegments: 4 });
  assert.match(text, /#EXT-X-SKIP:SKIPPED-SEGMENTS=4\n#EXT-X-PROGRAM-DATE-TIME:2026-11-21T10:00:08/);
  assert.doesNotMatch(text, /s3\.mp4/);
  assert.match(text, /s4\.mp4/);
  assert.match(text, /#EXT-X-MEDIA-SEQUENCE:40\n/);
});

test('[R7.12] the multivariant playlist lists codecs and resolution', () => {
  const tracks = [readClip('h264-no-b.mp4').track, readClip('aac.mp4').track];
  assert.equal(
    multivariantPlaylist([{ uri: 'media.m3u8', peakBitsPerSecond: 4e6, tracks, framesPerSecond: 25 }]),
    [
      '#EXTM3U',
      '#EXT-X-VERSION:7',
      '#EXT-X-INDEPENDENT-SEGMENTS',
      '#EXT-X-STREAM-INF:BANDWIDTH=4000000,CODECS="avc1.64000b,mp4a.40.2",RESOLUTION=160x120,FRAME-RATE=25.000',
      'media.m3u8',
      '',
    ].join('\n'),
  );
});
