import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@vidette/contract/client';
import { h264Track } from '@vidette/media/codec/avcc';
import { initSegment } from '@vidette/media/fmp4/init';
import type { Interval } from '../timeline/intervals.ts';
import type { ArchiveFragment } from './archive-playlist.ts';
import type { PlayerSource } from './player-source.ts';
import { Player } from './player.ts';
import { settle, TestClock } from './test-clock.ts';
import { mediaBytes, TestMse, TestSocket, TestVideo } from './test-media.ts';

const START_MS = Date.UTC(2026, 0, 1);
const START_S = START_MS / 1000;
const FRAGMENT_MS = 2000;
const INIT = initSegment([
  h264Track(
    1,
    [Buffer.from('6764001eacd940b424dff8008000788000000300800000190f8a14cb', 'hex')],
    [Uint8Array.of(0x68, 0xeb)],
  ),
]);

interface Recorded {
  readonly fromS: number;
  readonly toS: number;
}

/** An archive recorded in several stretches, seconds after START_S; the test begins at `nowS`. */
function setUp(
  recorded: Recorded[],
  nowS: number,
  options: { isLive?: boolean; fragmentMs?: number; initUrl?: (startMs: number) => string } = {},
) {
  const { fragmentMs = FRAGMENT_MS } = options;
  const clock = new TestClock(START_MS + nowS * 1000);
  const video = new TestVideo();
  const mse = new TestMse(video);
  const sockets: TestSocket[] = [];
  const asked: { playlists: number; bytes: string[] } = { playlists: 0, bytes: [] };
  const fault: { next: ApiError | undefined } = { next: undefined };
  const initUrl = options.initUrl ?? (() => 'init');
  const all = (): ArchiveFragment[] =>
    recorded.flatMap(({ fromS, toS }) => {
      const fragments: ArchiveFragment[] = [];
      const endMs = Math.min(START_MS + toS * 1000, clock.wallMs() - 1000);
      for (let startMs = START_MS + fromS * 1000; startMs + fragmentMs <= endMs; startMs += fragmentMs) {
        fragments.push({
          url: 'file',
          offset: startMs - START_MS,
          length: fragmentMs,
          startMs,
          endMs: startMs + fragmentMs,
          init: { url: initUrl(startMs), offset: 0, length: 10 },
        });
      }
      return fragments;
    });
  const source: PlayerSource = {
    openLive: ({ audio, convert }) => {
      const socket = new TestSocket(audio, convert);
      sockets.push(socket);
      return socket as unknown as WebSocket;
    },
    playlist: (startMs, endMs) => {
      asked.playlists += 1;
      return Promise.resolve(
        all().filter((fragment) => fragment.endMs > startMs && fragment.startMs < endMs),
      );
    },
    bytes: ({ url, offset, length }) => {
      if (fault.next) return Promise.reject(fault.next);
      if (url !== 'file') return Promise.resolve(INIT);
      const startS = START_S + offset / 1000;
      asked.bytes.push(`${offset / 1000}+${(length ?? 0) / 1000}`);
      return Promise.resolve(mediaBytes(`${startS}-${startS + (length ?? 0) / 1000}`));
    },
    previousPlayable: (beforeMs) => {
      const fragment = all().findLast(({ startMs }) => startMs < beforeMs);
      return Promise.resolve(
        fragment && { kind: 'fragment' as const, startMs: fragment.startMs, endMs: fragment.endMs },
      );
    },
    nextPlayable: (fromMs) => {
      const fragments = all();
      const first = fragments.findIndex(({ endMs }) => endMs > fromMs + 5);
      const last = fragments.findIndex(
        ({ endMs }, at) => at >= first && fragments[at + 1]?.startMs !== endMs,
      );
      const [fragment, end] = [fragments[first], fragments[last]];
      const found: Interval | undefined = fragment &&
        end && { kind: 'fragment', startMs: fragment.startMs, endMs: end.endMs };
      const live: Interval = { kind: 'live', startMs: clock.wallMs() - 1000, endMs: clock.wallMs() };
      return Promise.resolve(found ?? (options.isLive ? live : undefined));
    },
  };
  const player = new Player({ video, environment: mse, clock, source });
  /** The moment that the player shows, seconds after START_S. */
  const shownS = () => Math.round(((player.utcMs ?? 0) - START_MS) / 10) / 100;
  const run = async (seconds: number) => {
    for (let at = 0; at < seconds; at += 0.1) {
      await settle(40);
      video.run(0.1);
      clock.advance(100);
    }
    await settle(40);
  };
  const state = () => player.getSnapshot().state;
  return { clock, video, mse, sockets, player, asked, fault, shownS, run, state };
}

test('plays from the exact moment, not from its key frame', async () => {
  const { player, run, shownS, state, asked } = setUp([{ fromS: 0, toS: 1000 }], 2000);
  player.seek(START_MS + 101_500);
  assert.equal(shownS(), 101.5);
  assert.deepEqual(state(), { name: 'connecting' });
  await run(0.1);
  assert.equal(asked.bytes[0], '100+2');
  assert.ok(shownS() >= 101.5 && shownS() < 101.8, String(shownS()));
  await run(3);
  assert.deepEqual(state(), { name: 'playing' });
  assert.equal(player.getSnapshot().mode, 'archive');
  player.dispose();
});

test('[R4.8] at the end of a fragment the next one starts; the gap is skipped, and reported with its length', async () => {
  const { player, run, shownS } = setUp(
    [
      { fromS: 0, toS: 10 },
      { fromS: 202, toS: 300 },
    ],
    2000,
  );
  player.seek(START_MS + 7000);
  await run(4);
  assert.ok(shownS() >= 202 && shownS() < 204, String(shownS()));
  assert.deepEqual(player.getSnapshot().notice?.notice, {
    type: 'gap',
    startMs: START_MS + 10_000,
    endMs: START_MS + 202_000,
  });
  // Elsewhere it would seem to have been skipped there.
  player.seek(START_MS + 1000);
  await run(1);
  assert.equal(player.getSnapshot().notice, undefined);
  player.dispose();
});

test('[R4.8] a gap longer than a single request covers is skipped as well', async () => {
  const { player, run, shownS } = setUp(
    [
      { fromS: 0, toS: 10 },
      { fromS: 50_000, toS: 50_100 },
    ],
    100_000,
  );
  player.seek(START_MS + 7000);
  await run(5);
  assert.ok(shownS() >= 50_000 && shownS() < 50_003, String(shownS()));
  player.dispose();
});

test('[R4.8] [R4.7] when the next interval is live, live video follows, at speed 1', async () => {
  const { player, run, sockets } = setUp([{ fromS: 0, toS: 60 }], 62, { isLive: true });
  player.seek(START_MS + 50_000);
  await run(1);
  player.setSpeed(4);
  assert.equal(player.getSnapshot().speed, 4);
  await run(20);
  assert.equal(player.getSnapshot().mode, 'live');
  assert.equal(player.getSnapshot().speed, 1);
  assert.equal(sockets.length, 1);
  player.dispose();
});

for (const speed of [2, 4, 8, 16] as const) {
  for (const fragmentMs of [250, 1000, 2000, 5000])
    test(`[R4.7] [R4.8] at speed ${speed} the edge of an archive that grows by ${fragmentMs} ms leads to the live video, at speed 1`, async () => {
      const { player, run, sockets, shownS, clock } = setUp([{ fromS: 0, toS: 1e6 }], 600, {
        isLive: true,
        fragmentMs,
      });
      player.seek(START_MS + 500_000);
      await run(1);
      player.setSpeed(speed);
      let behindS = Infinity;
      for (let at = 0; at < 150 && player.getSnapshot().mode === 'archive'; at++) {
        behindS = (clock.wallMs() - START_MS) / 1000 - shownS();
        await run(1);
      }
      assert.equal(player.getSnapshot().mode, 'live');
      assert.equal(player.getSnapshot().speed, 1);
      assert.equal(sockets.length, 1);
      // At the last check, a second before: it did not jump at the edge, and skipped almost nothing.
      assert.ok(behindS < 4 + fragmentMs / 1000 + 2.5 * speed, `${behindS} s behind`);
      player.dispose();
    });
}

test('[R4.8] a viewer who pauses right before the edge of a growing archive continues with the recording, not with the live video', async () => {
  const { player, run, shownS } = setUp([{ fromS: 0, toS: 1e6 }], 600, { isLive: true });
  player.seek(START_MS + 590_000);
  await run(1);
  player.pause();
  await run(60);
  const stoodS = shownS();
  player.play();
  await run(3);
  assert.equal(player.getSnapshot().mode, 'archive');
  assert.ok(Math.abs(shownS() - stoodS - 3) < 0.5, `${shownS() - stoodS}`);
  player.dispose();
});

test('[R4.8] where the camera has stopped, the edge at speed 8 is the end and not the live video', async () => {
  const { player, run, state } = setUp([{ fromS: 0, toS: 595 }], 600);
  player.seek(START_MS + 500_000);
  await run(1);
  player.setSpeed(8);
  await run(30);
  assert.deepEqual(state(), { name: 'ended' });
  player.dispose();
});

test('[R4.8] a growing archive is followed at a distance: nothing is skipped to go live', async () => {
  const { player, run, shownS, clock } = setUp([{ fromS: 0, toS: 1e6 }], 600, { isLive: true });
  player.seek(START_MS + 570_000);
  await run(60);
  assert.equal(player.getSnapshot().mode, 'archive');
  assert.equal(player.getSnapshot().notice, undefined);
  const behindS = (clock.wallMs() - START_MS) / 1000 - shownS();
  assert.ok(behindS > 28 && behindS < 32, String(behindS));
  player.dispose();
});

test('if nothing follows, the archive ends, and playing again restarts it', async () => {
  const { player, run, state } = setUp([{ fromS: 0, toS: 10 }], 2000);
  player.seek(START_MS + 7000);
  await run(5);
  assert.deepEqual(state(), { name: 'ended' });
  player.seek(START_MS + 2000);
  await run(1);
  assert.deepEqual(state(), { name: 'playing' });
  player.dispose();
});

test('[R4.8] at its end the archive is polled: recordings made after the camera has returned are played, over the gap', async () => {
  const recorded = [{ fromS: 0, toS: 10 }];
  const { player, run, state, shownS } = setUp(recorded, 2000);
  player.seek(START_MS + 7000);
  await run(5);
  assert.deepEqual(state(), { name: 'ended' });
  recorded.push({ fromS: 2020, toS: 2100 });
  await run(120);
  assert.equal(player.getSnapshot().mode, 'archive');
  assert.ok(shownS() > 2050 && shownS() <= 2100, String(shownS()));
  assert.deepEqual(player.getSnapshot().notice?.notice, {
    type: 'gap',
    startMs: START_MS + 10_000,
    endMs: START_MS + 2020_000,
  });
  player.dispose();
});

test('[R4.8] at its end the archive continues with the live video once that is back, but not for a viewer who has paused', async () => {
  const options = { isLive: false };
  const { player, run, state } = setUp([{ fromS: 0, toS: 10 }], 2000, options);
  player.seek(START_MS + 7000);
  await run(5);
  player.pause();
  options.isLive = true;
  await run(60);
  assert.equal(player.getSnapshot().mode, 'archive');
  player.play();
  await run(5);
  assert.equal(player.getSnapshot().mode, 'live', JSON.stringify(state()));
  player.dispose();
});

test('a moment after all recordings is the end, and is not searched for endlessly', async () => {
  const { player, run, state } = setUp([{ fromS: 0, toS: 10 }], 2000);
  player.seek(START_MS + 20_000);
  await run(5);
  assert.deepEqual(state(), { name: 'ended' });
  player.dispose();
});

test('a moment in a gap means the next recorded one', async () => {
  const { player, run, shownS } = setUp([{ fromS: 500, toS: 600 }], 2000);
  player.seek(START_MS + 100_000);
  await run(1);
  assert.ok(shownS() >= 500 && shownS() < 502);
  player.dispose();
});

test('[R9.5] the archive plays at every speed of the list, and a new seek keeps it', async () => {
  const { player, run, shownS, video } = setUp([{ fromS: 0, toS: 1900 }], 2000);
  player.seek(START_MS + 100_000);
  await run(0.5);
  for (const speed of [0.25, 0.5, 1, 2, 4, 8, 16] as const) {
    player.setSpeed(speed);
    const before = shownS();
    await run(2);
    assert.ok(Math.abs(shownS() - before - 2 * speed) < 0.3 * speed + 0.1, `${speed}: ${shownS() - before}`);
  }
  player.seek(START_MS + 10_000);
  await run(1);
  assert.equal(video.playbackRate, 16);
  player.dispose();
});

test('the latest seek wins, and a seek within the buffer sends no request', async () => {
  const { player, run, shownS, asked } = setUp([{ fromS: 0, toS: 1900 }], 2000);
  for (let moment = 0; moment < 20; moment++) player.seek(START_MS + moment * 50_000);
  await run(1);
  assert.ok(shownS() >= 950 && shownS() < 952, String(shownS()));
  const before = { ...asked, bytes: asked.bytes.length };
  player.seek(START_MS + 955_000);
  assert.equal(shownS(), 955);
  await run(0.3);
  assert.equal(asked.playlists, before.playlists);
  player.dispose();
});

test('the buffer ahead is bounded, however long playback is paused', async () => {
  const { player, run, video, state } = setUp([{ fromS: 0, toS: 1900 }], 2000);
  player.seek(START_MS + 100_000);
  await run(1);
  player.pause();
  assert.deepEqual(state(), { name: 'paused' });
  await run(30);
  const aheadS = (video.spans.at(-1)?.end ?? 0) - video.currentTime;
  assert.ok(aheadS < 20, `${aheadS} s ahead`);
  player.play();
  await run(1);
  assert.deepEqual(state(), { name: 'playing' });
  player.dispose();
});

test('the clock stops while the server is unreachable, and continues from there', async () => {
  const { player, run, shownS, fault, state } = setUp([{ fromS: 0, toS: 1900 }], 2000);
  fault.next = new ApiError('SERVER_NOT_RESPONSE_ERR', 'gone', 0);
  player.seek(START_MS + 100_000);
  await run(3);
  assert.equal(shownS(), 100);
  assert.deepEqual(state(), { name: 'waiting', reason: 'network' });
  fault.next = undefined;
  await run(6);
  assert.deepEqual(state(), { name: 'playing' });
  assert.ok(shownS() > 100 && shownS() < 107);
  player.dispose();
});

test('a refusal is final and reported', async () => {
  const { player, run, fault, state } = setUp([{ fromS: 0, toS: 1900 }], 2000);
  fault.next = new ApiError('LicenseExpired', 'no', 403);
  player.seek(START_MS + 100_000);
  await run(1);
  assert.deepEqual(state(), { name: 'failed', code: 'LicenseExpired' });
  player.dispose();
});

test('parameters that change midway bring their own init segment', async () => {
  const { player, run, mse, shownS } = setUp([{ fromS: 0, toS: 1900 }], 2000, {
    initUrl: (startMs) => (startMs < START_MS + 104_000 ? 'first' : 'second'),
  });
  player.seek(START_MS + 100_000);
  await run(8);
  assert.ok(shownS() > 107);
  assert.equal(mse.buffer.appended.filter((line) => line.includes('ftyp')).length, 2);
  player.dispose();
});

test('after a decoder failure playback restarts at the same moment', async () => {
  const { player, run, video, shownS, state } = setUp([{ fromS: 0, toS: 1900 }], 2000);
  player.seek(START_MS + 100_000);
  await run(2);
  const before = shownS();
  video.error = { code: 3 } as MediaError;
  video.dispatchEvent(new Event('error'));
  video.error = null;
  await run(2);
  assert.deepEqual(state(), { name: 'playing' });
  assert.ok(shownS() >= before && shownS() < before + 3);
  player.dispose();
});

test('returning to live from the archive clears the buffer', async () => {
  const { player, run, sockets, video, clock } = setUp([{ fromS: 0, toS: 1900 }], 2000);
  player.seek(START_MS + 100_000);
  await run(2);
  player.goLive();
  await settle(40);
  const nowS = clock.wallMs() / 1000;
  sockets[0]?.message({ type: 'init', mimeType: 'video/mp4; codecs="avc1.640028"' });
  sockets[0]?.media('init', `${nowS - 2}-${nowS}`);
  await run(1);
  assert.equal(video.spans.length, 1);
  assert.ok(Math.abs((player.utcMs ?? 0) / 1000 - nowS) < 1);
  player.dispose();
  assert.equal(clock.pendingTimers, 0);
});

test('J plays backwards over a gap, reports what it skipped, and ends at the beginning of the archive', async () => {
  const { player, run, shownS, state } = setUp(
    [
      { fromS: 0, toS: 6 },
      { fromS: 100, toS: 110 },
    ],
    2000,
  );
  player.seek(START_MS + 104_000);
  await run(1);
  player.shuttle(-1);
  await run(2);
  assert.equal(player.getSnapshot().isReverse, true);
  assert.deepEqual(state(), { name: 'playing' });
  const early = shownS();
  assert.ok(early > 101.5 && early < 104.5, String(early));
  await run(6);
  assert.ok(shownS() < 6, String(shownS()));
  assert.deepEqual(player.getSnapshot().notice?.notice, {
    type: 'gap',
    startMs: START_MS + 6_000,
    endMs: START_MS + 100_000,
  });
  await run(8);
  assert.deepEqual(state(), { name: 'ended' });
  player.dispose();
});

test('backwards it stops when it is paused, plays at the requested speed, and reverses where it is', async () => {
  const { player, run, shownS, state } = setUp([{ fromS: 0, toS: 1900 }], 2000);
  player.seek(START_MS + 1000_000);
  await run(1);
  player.shuttle(-1);
  player.shuttle(-1);
  await run(1);
  const from = shownS();
  await run(3);
  assert.ok(Math.abs(from - shownS() - 6) < 1, `${from - shownS()} s in 3 s`);
  player.pause();
  await run(0.5);
  assert.deepEqual(state(), { name: 'paused' });
  const stood = shownS();
  await run(2);
  assert.equal(shownS(), stood);
  player.shuttle(1);
  await run(2);
  assert.equal(player.getSnapshot().isReverse, false);
  assert.ok(shownS() > stood, `${shownS()} after ${stood}`);
  player.dispose();
});
