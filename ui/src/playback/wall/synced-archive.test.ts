import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ArchiveAccess } from '../archive-access.ts';
import type { ArchiveFragment } from '../archive-playlist.ts';
import { MediaSink } from '../media-sink.ts';
import type { PlayerState } from '../state.ts';
import { settle, TestClock } from '../test-clock.ts';
import { mediaBytes, TestMse, TestVideo } from '../test-media.ts';
import type { IntervalKind } from '../../timeline/intervals.ts';
import { SharedClock } from './shared-clock.ts';
import { SyncedArchive } from './synced-archive.ts';

const MIME = 'video/mp4; codecs="avc1.640028"';
const PIECE_MS = 2000;

/**
 * A tile of a wall, a minute behind the present, on a stream that is recorded up to certain moments after its
 * beginning.
 */
function setUp(
  options: { untilMs?: number; kind?: IntervalKind; isConverted?: boolean; isSlow?: boolean } = {},
) {
  const clock = new TestClock();
  const beginMs = clock.wallMs() - 60_000;
  const shared = new SharedClock(clock, beginMs);
  const server = { untilMs: options.untilMs ?? 600_000, kind: options.kind };
  const piecesIn = (startMs: number, endMs: number): ArchiveFragment[] => {
    const pieces: ArchiveFragment[] = [];
    for (let at = beginMs - 10_000; at < beginMs + server.untilMs; at += PIECE_MS) {
      if (at + PIECE_MS <= startMs || at >= endMs) continue;
      const span = { offset: 0, length: undefined };
      pieces.push({
        ...span,
        url: String(at),
        startMs: at,
        endMs: at + PIECE_MS,
        init: { ...span, url: 'init' },
      });
    }
    return pieces;
  };
  const never = new Promise<Uint8Array>(() => {});
  const reader = new ArchiveAccess(
    {
      playlist: (startMs, endMs) => Promise.resolve(piecesIn(startMs, endMs)),
      bytes: ({ url }) => {
        const startS = Number(url) / 1000;
        return options.isSlow ? never : Promise.resolve(mediaBytes(`${startS}-${startS + PIECE_MS / 1000}`));
      },
      nextPlayable: () =>
        Promise.resolve({ kind: 'live', startMs: clock.wallMs(), endMs: clock.wallMs() + 1 }),
      previousPlayable: () => Promise.resolve(undefined),
    },
    clock,
  );
  // The content of the init segment does not matter here.
  reader.inits.of = () => Promise.resolve({ mimeType: MIME, bytes: mediaBytes('init') });
  const video = new TestVideo();
  const states: PlayerState['name'][] = [];
  const seen = { isInGap: false };
  const sink = new MediaSink(video, new TestMse(video), { onBroken() {}, onBuffered: () => feed.tick() });
  const feed = new SyncedArchive({
    video,
    sink,
    clock,
    source: {
      reader,
      converted: options.isConverted ? reader : undefined,
      intervalAt: (utcMs) => {
        const kind = server.kind;
        return kind && { kind, startMs: utcMs - 1, endMs: utcMs + 1 };
      },
    },
    shared,
    isConverted: options.isConverted ?? false,
    onState: ({ name }) => states.push(name),
    onGap: (isInGap) => {
      seen.isInGap = isInGap;
    },
  });
  const run = async (seconds: number) => {
    for (let at = 0; at < seconds * 10; at++) {
      clock.advance(100);
      await settle(60);
      // A real element does not seek because nothing is buffered at its position.
      if (video.seeking && video.spans[0]) video.currentTime = video.spans[0].start;
      feed.tick();
      if (feed.playsElement) void video.play();
      else video.pause();
      await settle();
      video.run(0.1);
    }
  };
  const behindMs = () => shared.utcMs - beginMs;
  return { feed, run, shared, video, states, seen, server, behindMs };
}

test('it plays at the shared moment, and holds the other tiles only until it has its frame', async () => {
  const { run, shared, video, states } = setUp();
  await run(10);
  assert.equal(states.at(-1), 'playing');
  assert.equal(shared.isRunning, true);
  const errorMs = Math.abs(video.currentTime * 1000 - shared.utcMs);
  // A step of this test is 100 ms.
  assert.ok(errorMs < 120, `${errorMs} ms`);
});

test('in a gap it shows nothing and holds no other tile', async () => {
  const { run, seen, behindMs } = setUp({ kind: 'gap', untilMs: -20_000 });
  await run(5);
  assert.equal(seen.isInGap, true);
  assert.ok(behindMs() >= 4_900, `${behindMs()} ms`);
});

test('a tile whose recording had ended continues when there is more', async () => {
  const { run, server, states, behindMs } = setUp({ untilMs: 4_000 });
  await run(8);
  assert.notEqual(states.at(-1), 'playing');
  assert.ok(behindMs() > 4_000, 'the others go on');
  server.untilMs = 600_000;
  await run(6);
  assert.equal(states.at(-1), 'playing');
});

test('transcoding slower than the clock holds no other tile, and is replaced by snapshots', async () => {
  const { run, states, behindMs } = setUp({ isConverted: true, isSlow: true });
  await run(5);
  assert.ok(behindMs() >= 4_900, `${behindMs()} ms`);
  await run(10);
  assert.equal(states.at(-1), 'failed');
});

test('the others wait for a slow tile, but no longer than a few seconds', async () => {
  const { run, shared, behindMs } = setUp({ isSlow: true });
  await run(3);
  assert.equal(shared.isRunning, false);
  await run(7);
  assert.ok(behindMs() > 3_000, `${behindMs()} ms`);
});
