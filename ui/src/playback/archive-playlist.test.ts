import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { vodPlaylist } from '@vidette/media/hls/playlist';
import { joinable, parseArchivePlaylist, fragmentIndexAt } from './archive-playlist.ts';

const BASE = 'http://127.0.0.1/v1/stream/gate/archive/index.m3u8';
const startMs = Date.UTC(2026, 10, 21, 12);

const text = vodPlaylist([
  {
    uri: 'segment/1.mp4',
    map: { uri: 'segment/1.mp4', byteRange: { offset: 0, length: 900 } },
    byteRange: { offset: 900, length: 100 },
    durationSeconds: 2,
    startMs,
    isDiscontinuity: false,
  },
  {
    uri: 'segment/1.mp4',
    map: { uri: 'segment/1.mp4', byteRange: { offset: 0, length: 900 } },
    byteRange: { offset: 1000, length: 50 },
    durationSeconds: 1.5,
    startMs: startMs + 2000,
    isDiscontinuity: false,
  },
  {
    uri: 'segment/9.mp4',
    map: { uri: 'segment/9.mp4', byteRange: { offset: 0, length: 901 } },
    byteRange: { offset: 901, length: 70 },
    durationSeconds: 2,
    startMs: startMs + 60_000,
    isDiscontinuity: true,
  },
]);

test('reads the server’s playlists: times, byte ranges, init segments', () => {
  const fragments = parseArchivePlaylist(text, BASE);
  const folder = 'http://127.0.0.1/v1/stream/gate/archive/segment';
  const init = { url: `${folder}/1.mp4`, offset: 0, length: 900 };
  assert.deepEqual(fragments, [
    { url: `${folder}/1.mp4`, offset: 900, length: 100, startMs, endMs: startMs + 2000, init },
    {
      url: `${folder}/1.mp4`,
      offset: 1000,
      length: 50,
      startMs: startMs + 2000,
      endMs: startMs + 3500,
      init,
    },
    {
      url: `${folder}/9.mp4`,
      offset: 901,
      length: 70,
      startMs: startMs + 60_000,
      endMs: startMs + 62_000,
      init: { url: `${folder}/9.mp4`, offset: 0, length: 901 },
    },
  ]);
  assert.deepEqual(parseArchivePlaylist(vodPlaylist([]), BASE), []);
});

test('finds the fragment of a moment, in a gap the next one', () => {
  const fragments = parseArchivePlaylist(text, BASE);
  const at = (afterMs: number) => fragmentIndexAt(fragments, startMs + afterMs);
  assert.deepEqual(
    [at(-5), at(0), at(1999), at(2000), at(30_000), at(61_000), at(70_000)],
    [0, 0, 0, 1, 2, 2, 3],
  );
});

test('joins adjacent fragments of one file into one request, up to its limit', () => {
  const fragments = parseArchivePlaylist(text, BASE);
  assert.equal(joinable(fragments, 0, { durationMs: 60_000, bytes: 1000 }).length, 2);
  assert.equal(joinable(fragments, 0, { durationMs: 60_000, bytes: 149 }).length, 1);
  assert.equal(joinable(fragments, 0, { durationMs: 3000, bytes: 1000 }).length, 1);
  assert.equal(joinable(fragments, 3, { durationMs: 3000, bytes: 1000 }).length, 0);
});

test('an invalid playlist is a SyntaxError and nothing else', () => {
  const lines = fc.array(
    fc.constantFrom(
      '#EXTM3U',
      '#EXTINF:2,',
      '#EXTINF:x,',
      '#EXT-X-BYTERANGE:5@7',
      '#EXT-X-BYTERANGE:-1',
      '#EXT-X-MAP:URI="a.mp4",BYTERANGE="7@0"',
      '#EXT-X-MAP:',
      '#EXT-X-PROGRAM-DATE-TIME:2026-11-21T12:00:00.000Z',
      '#EXT-X-PROGRAM-DATE-TIME:never',
      'a.mp4',
      'http://[',
      '',
    ),
  );
  fc.assert(
    fc.property(lines, (body) => {
      try {
        for (const fragment of parseArchivePlaylist(['#EXTM3U', ...body].join('\n'), BASE)) {
          assert.ok(fragment.endMs >= fragment.startMs && fragment.offset >= 0);
        }
      } catch (error) {
        assert.ok(error instanceof SyntaxError, String(error));
      }
    }),
  );
  assert.throws(() => parseArchivePlaylist('<html>', BASE), SyntaxError);
});
