import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError } from '@vidette/contract/client';
import { ArchiveAccess } from '../archive-access.ts';
import type { LiveLinkEvents } from '../live-link.ts';
import { settle, TestClock } from '../test-clock.ts';
import { mediaBytes, TestMse, TestVideo } from '../test-media.ts';
import type { IntervalKind } from '../../timeline/intervals.ts';
import { SharedClock } from './shared-clock.ts';
import type { WallConnection, WallWatch } from './wall-connection.ts';
import { WallTile } from './wall-tile.ts';

const H264 = 'video/mp4; codecs="avc1.640028"';
const H265 = 'video/mp4; codecs="hvc1.1.6.L93.B0"';

interface Asked {
  readonly watch: WallWatch;
  readonly events: LiveLinkEvents;
  isClosed: boolean;
}

/** A visible tile, on a browser that plays H.264 only, and its requests to the connection. */
function setUp(widthPx = 400) {
  const clock = new TestClock();
  const video = new TestVideo();
  const environment = new TestMse(video);
  environment.supports = (mimeType) => mimeType.includes('avc1');
  const asked: Asked[] = [];
  const connection: Pick<WallConnection, 'watch' | 'replace'> = {
    replace: (swap) => swap(),
    watch: (watch, events) => {
      const one: Asked = { watch, events, isClosed: false };
      asked.push(one);
      return {
        wake() {},
        restart() {},
        close() {
          one.isClosed = true;
        },
      };
    },
  };
  const tile = new WallTile({
    id: 'a',
    uid: 'gate',
    video,
    environment,
    clock,
    connection: connection as WallConnection,
  });
  const open = () => asked.filter(({ isClosed }) => !isClosed);
  const newest = () => {
    const one = asked.at(-1);
    assert.ok(one);
    return one;
  };
  const sight = (isInSight: boolean) => tile.setSight({ isInSight, widthPx, heightPx: (widthPx * 9) / 16 });
  sight(true);
  tile.setMoving(true);
  return { tile, clock, video, asked, open, newest, sight };
}

/** The camera starts with a codec. */
async function begin({ events }: Asked, mimeType: string): Promise<void> {
  await settle();
  events.onMessage({ type: 'init', mimeType });
  await settle();
}

test('a small tile requests the sub-stream, the enlarged one the main stream, and one that is covered or out of view none', () => {
  const { tile, open, sight } = setUp();
  assert.deepEqual(
    open().map(({ watch }) => watch),
    [{ uid: 'gate', picture: 'sub', audio: false, keyFrames: false, convert: false }],
  );
  tile.setPlace('enlarged');
  assert.deepEqual(
    open().map(({ watch }) => watch.picture),
    ['main'],
  );
  tile.setPlace('covered');
  assert.deepEqual(open(), []);
  tile.setPlace('among others');
  sight(false);
  assert.deepEqual(open(), []);
  tile.setAwake(false);
  sight(true);
  assert.deepEqual(open(), []);
  tile.setAwake(true);
  assert.equal(open().length, 1);
  tile.dispose();
  assert.deepEqual(open(), []);
});

test('a tile that the budget does not allow to move requests key frames', () => {
  const { tile, open } = setUp(1000);
  assert.deepEqual(
    open().map(({ watch }) => [watch.picture, watch.keyFrames]),
    [['main', false]],
  );
  tile.setMoving(false);
  assert.deepEqual(
    open().map(({ watch }) => watch.keyFrames),
    [true],
  );
  assert.equal(tile.getSnapshot().isKeyFrames, true);
});

test('if the sub-stream sends nothing, the main stream is requested', async () => {
  const { tile, clock, open, newest } = setUp();
  newest().events.onMessage({ type: 'waiting' });
  for (let at = 0; at < 90; at++) {
    clock.advance(100);
    tile.tick();
  }
  await settle();
  assert.deepEqual(
    open().map(({ watch }) => watch.picture),
    ['main'],
  );
});

test('[R2.8] a stream whose codec this browser lacks is requested transcoded, and the tile names the original codec', async () => {
  const { tile, clock, video, open, newest } = setUp();
  await begin(newest(), H265);
  assert.deepEqual(
    open().map(({ watch }) => [watch.picture, watch.convert]),
    [['sub', true]],
  );
  await begin(newest(), H264);
  newest().events.onMedia(mediaBytes('init'));
  for (let at = 0; at < 20; at++) {
    const startS = clock.wallMs() / 1000;
    newest().events.onMedia(mediaBytes(`${startS}-${startS + 0.1}`));
    clock.advance(100);
    await settle();
    tile.tick();
    video.run(0.1);
  }
  assert.equal(tile.getSnapshot().state.name, 'playing');
  assert.equal(tile.getSnapshot().converted, 'H.265');
});

test('after refused transcoding, snapshots and the reason are shown; if all slots were in use, it is retried silently', async () => {
  const { tile, clock, asked, open, newest } = setUp();
  await begin(newest(), H265);
  newest().events.onMessage({ type: 'end', code: 'QuotaReached' });
  const refused = { name: 'unsupported', codec: 'H.265', refusal: 'QuotaReached' } as const;
  assert.deepEqual(tile.getSnapshot().state, refused);
  assert.deepEqual(open(), []);
  const before = asked.length;
  clock.advance(1000);
  assert.equal(asked.length, before + 1);
  assert.equal(newest().watch.convert, true);
  assert.deepEqual(tile.getSnapshot().state, refused);
  newest().events.onMessage({ type: 'end', code: 'ActionNotAcceptable' });
  assert.deepEqual(tile.getSnapshot().state, { ...refused, refusal: 'ActionNotAcceptable' });
  clock.advance(60_000);
  assert.equal(asked.length, before + 1);
  tile.dispose();
  assert.equal(clock.pendingTimers, 0);
});

test('a tile that would show only key frames is not transcoded: snapshots suffice', async () => {
  const { tile, open, newest } = setUp();
  tile.setMoving(false);
  await begin(newest(), H265);
  assert.deepEqual(open(), []);
  assert.deepEqual(tile.getSnapshot().state, { name: 'unsupported', codec: 'H.265' });
  tile.setMoving(true);
  assert.deepEqual(
    open().map(({ watch }) => watch.convert),
    [true],
  );
});

test('[R2.8] an archive that can neither be played nor transcoded shows snapshots of its moment, and its gaps; the clock continues', async () => {
  const { tile, clock, open } = setUp();
  const shared = new SharedClock(clock, clock.wallMs() - 60_000);
  let kind: IntervalKind = 'fragment';
  const source = (isConverted: boolean) => ({
    playlist: () =>
      Promise.resolve([
        {
          url: 'one',
          offset: 0,
          length: undefined,
          startMs: shared.utcMs - 1000,
          endMs: shared.utcMs + 30_000,
          init: { url: 'init', offset: 0, length: undefined },
        },
      ]),
    bytes: () =>
      isConverted
        ? Promise.reject(new ApiError('QuotaReached', 'All are in use.', 409))
        : Promise.resolve(new Uint8Array()),
    nextPlayable: () => Promise.resolve(undefined),
    previousPlayable: () => Promise.resolve(undefined),
  });
  const reader = new ArchiveAccess(source(false), clock);
  // The content of the init segment does not matter here.
  reader.inits.of = () => Promise.resolve({ mimeType: H265, bytes: new Uint8Array() });
  tile.setArchive({
    shared,
    source: {
      reader,
      converted: new ArchiveAccess(source(true), clock),
      intervalAt: (utcMs) => ({ kind, startMs: utcMs - 1, endMs: utcMs + 1 }),
    },
  });
  for (let at = 0; at < 10; at++) {
    await settle(60);
    clock.advance(100);
    tile.tick();
  }
  assert.deepEqual(open(), []);
  assert.deepEqual(tile.getSnapshot().state, {
    name: 'unsupported',
    codec: 'H.265',
    refusal: 'QuotaReached',
  });
  assert.equal(tile.momentMs, shared.utcMs);
  assert.equal(shared.isRunning, true);
  kind = 'gap';
  tile.tick();
  assert.equal(tile.getSnapshot().isInGap, true);
});
