import assert from 'node:assert/strict';
import { test } from 'node:test';
import { h264Track } from '@vidette/media/codec/avcc';
import { fragment } from '@vidette/media/fmp4/fragment';
import { initSegment } from '@vidette/media/fmp4/init';
import { ArchiveAccess } from '../archive-access.ts';
import { ArchivePlayback } from '../archive-playback.ts';
import type { ArchiveFragment } from '../archive-playlist.ts';
import { DecodingBudget } from '../decoding-budget.ts';
import type { LiveLinkEvents } from '../live-link.ts';
import { LivePlayback } from '../live-playback.ts';
import { MediaSink } from '../media-sink.ts';
import type { Playback, PlaybackParts } from '../playback.ts';
import { ReversePlayback } from '../reverse-playback.ts';
import type { PlayerState } from '../state.ts';
import { settle, TestClock } from '../test-clock.ts';
import { mediaBytes, TestMse, TestVideo } from '../test-media.ts';
import { KeyFramePlayback } from './key-frame-playback.ts';
import { SharedClock } from './shared-clock.ts';
import { SnapshotArchive } from './snapshot-archive.ts';
import { SyncedArchive } from './synced-archive.ts';

// The contract that every kind of playback fulfils towards the engine.

const MIME = 'video/mp4; codecs="avc1.640028"';
const FRAGMENT_MS = 2000;
const track = h264Track(
  1,
  [Buffer.from('6764001eacd940b424dff8008000788000000300800000190f8a14cb', 'hex')],
  [Uint8Array.of(0x68, 0xeb)],
);

/** The sources of a playback: a camera that sends from now on, and an archive of the last ten minutes. */
class World {
  readonly clock = new TestClock();
  readonly beginMs = this.clock.wallMs();
  readonly shared = new SharedClock(this.clock, this.beginMs - 60_000);
  readonly links: { readonly events: LiveLinkEvents; isClosed: boolean }[] = [];
  readonly video = new TestVideo();
  readonly reader = this.#archive();
  requests = 0;
  /** The reports of a playback other than its states. */
  notices = 0;
  readonly notice = () => {
    this.notices += 1;
  };

  connect = (events: LiveLinkEvents) => {
    const link = { events, isClosed: false };
    this.links.push(link);
    this.requests += 1;
    return {
      wake() {},
      restart: () => {
        this.requests += 1;
      },
      close() {
        link.isClosed = true;
      },
    };
  };

  #archive(): ArchiveAccess {
    const whole = { offset: 0, length: undefined };
    const fragments: ArchiveFragment[] = [];
    for (let startMs = this.beginMs - 600_000; startMs < this.beginMs; startMs += FRAGMENT_MS) {
      const init = { ...whole, url: 'init' };
      fragments.push({ ...whole, url: String(startMs), startMs, endMs: startMs + FRAGMENT_MS, init });
    }
    const all = { kind: 'fragment' as const, startMs: this.beginMs - 600_000, endMs: this.beginMs };
    const access = new ArchiveAccess(
      {
        playlist: (startMs, endMs) => {
          this.requests += 1;
          return Promise.resolve(fragments.filter((one) => one.endMs > startMs && one.startMs < endMs));
        },
        bytes: ({ url }) => {
          this.requests += 1;
          const startS = Number(url) / 1000;
          return Promise.resolve(mediaBytes(`${startS}-${startS + FRAGMENT_MS / 1000}`));
        },
        nextPlayable: () => Promise.resolve(all),
        previousPlayable: () => Promise.resolve(all),
      },
      this.clock,
    );
    access.inits.of = () => Promise.resolve({ mimeType: MIME, bytes: mediaBytes('init') });
    return access;
  }
}

interface Kind {
  readonly open: (parts: PlaybackParts, world: World) => Playback;
  /** Sends the media of the next 100 ms. */
  readonly send?: (world: World) => void;
  /** The playback only accompanies the server's snapshots: it reports no state, and the element is unused. */
  readonly hasElement?: false;
}

/** Sends to the newest link: an init segment first, then what `media` returns for the elapsed time. */
function sender(init: Uint8Array, media: (world: World) => Uint8Array | undefined) {
  const begun = new Set<LiveLinkEvents>();
  return (world: World) => {
    const link = world.links.at(-1);
    if (!link || link.isClosed) return;
    if (!begun.has(link.events)) {
      begun.add(link.events);
      link.events.onMessage({ type: 'init', mimeType: MIME });
      link.events.onMedia(init);
    }
    const bytes = media(world);
    if (bytes) link.events.onMedia(bytes);
  };
}

const kinds: Readonly<Record<string, Kind>> = {
  live: {
    open: (parts, { connect, notice }) =>
      new LivePlayback({ ...parts, connect, onNotice: notice, onReduced: notice }),
    send: sender(mediaBytes('init'), ({ clock }) => {
      const startS = clock.wallMs() / 1000;
      return mediaBytes(`${startS}-${startS + 0.1}`);
    }),
  },
  'key frames': {
    open: (parts, { connect, video }) => {
      // It reports seeking as soon as its position is set.
      Object.defineProperty(video, 'seeking', { value: false });
      return new KeyFramePlayback({ ...parts, connect });
    },
    send: sender(initSegment([track]), ({ clock, video }) => {
      if (clock.monotonicMs() % 1000 !== 0) return undefined;
      const startS = clock.wallMs() / 1000;
      const dts = startS * 90_000;
      const sample = { trackId: 1, dts, pts: dts, isKey: true, isDamaged: false, size: 1 };
      const samples = [{ ...sample, data: [Uint8Array.of(1)] }];
      const { slices } = fragment({ sequence: 1, tracks: [{ track, samples, endDts: dts + 90_000 }] });
      video.spans.push({ start: startS, end: startS + 1 });
      return new Uint8Array(Buffer.concat(slices));
    }),
  },
  archive: {
    open: (parts, { reader, beginMs, notice }) =>
      new ArchivePlayback({
        ...parts,
        reader,
        fromMs: beginMs - 60_000,
        speed: 1,
        budget: new DecodingBudget(),
        onNotice: notice,
        onKeyFramesOnly: notice,
        onReachedLive: notice,
      }),
  },
  backwards: {
    open: (parts, { reader, beginMs, notice }) =>
      new ReversePlayback({
        ...parts,
        reader,
        fromMs: beginMs - 60_000,
        speed: 1,
        onNotice: notice,
        onKeyFramesOnly: notice,
      }),
  },
  'in step with a shared clock': {
    open: (parts, { reader, shared, notice }) =>
      new SyncedArchive({
        ...parts,
        shared,
        isConverted: false,
        source: { reader, converted: undefined, intervalAt: () => undefined },
        onGap: notice,
      }),
  },
  'snapshots in step with a shared clock': {
    open: (_parts, { reader, shared, notice }) =>
      new SnapshotArchive({
        shared,
        source: { reader, converted: undefined, intervalAt: () => undefined },
        onGap: notice,
      }),
    hasElement: false,
  },
};

/** One playback, driven as the engine does it. */
function setUp({ open, send }: Kind) {
  const world = new World();
  const { clock, video } = world;
  const states: PlayerState[] = [];
  const mse = new TestMse(video);
  const sink = new MediaSink(video, mse, {
    onBroken: () => playback.onSinkBroken(),
    onBuffered: () => playback.tick(),
  });
  video.addEventListener('playing', () => playback.onPlaying());
  video.addEventListener('waiting', () => playback.onStalled());
  const parts = { video, sink, clock, onState: (state: PlayerState) => states.push(state) };
  const playback: Playback = open(parts, world);
  let isPaused = false;
  const run = async (seconds: number) => {
    for (let at = 0; at < seconds * 10; at++) {
      clock.advance(100);
      send?.(world);
      await settle(60);
      // A real element does not seek because nothing is buffered at its position.
      if (video.seeking && playback instanceof SyncedArchive && video.spans[0])
        video.currentTime = video.spans[0].start;
      playback.tick();
      if (playback.playsElement && !isPaused) void video.play();
      else video.pause();
      await settle();
      video.run(0.1);
    }
  };
  const setPaused = (paused: boolean) => {
    isPaused = paused;
    if (paused) video.pause();
    playback.setPaused(paused);
  };
  return { playback, world, video, mse, states, run, setPaused, state: () => states.at(-1)?.name };
}

for (const [name, kind] of Object.entries(kinds).filter(([, { hasElement = true }]) => hasElement)) {
  test(`${name}: it connects, then plays, and reports its moment`, async () => {
    const { playback, states, run, state } = setUp(kind);
    assert.equal(states[0]?.name, 'connecting');
    await run(4);
    assert.equal(state(), 'playing');
    assert.ok((playback.utcMs ?? 0) > 0);
    playback.dispose();
  });

  test(`${name}: an element that lost everything appended is fed again`, async () => {
    const { playback, video, world, run, state } = setUp(kind);
    await run(3);
    const { requests } = world;
    Object.assign(video, { error: { code: 3 } });
    video.dispatchEvent(new Event('error'));
    video.spans = [];
    Object.assign(video, { error: null });
    await run(1);
    assert.ok(world.requests > requests);
    assert.notEqual(state(), 'failed');
    assert.notEqual(state(), 'unsupported');
    playback.dispose();
  });

  // In step with others the shared clock is paused, not a single tile.
  if (name === 'in step with a shared clock') continue;

  test(`${name}: when paused it keeps its moment and reports the state, and it continues when resumed`, async () => {
    const { playback, run, setPaused, state } = setUp(kind);
    await run(4);
    setPaused(true);
    await run(0.2);
    const pausedMs = playback.utcMs;
    assert.equal(state(), 'paused');
    await run(5);
    assert.equal(state(), 'paused');
    assert.equal(playback.utcMs, pausedMs);
    setPaused(false);
    await run(4);
    assert.equal(state(), 'playing');
    assert.notEqual(playback.utcMs, pausedMs);
    playback.dispose();
  });
}

for (const [name, kind] of Object.entries(kinds)) {
  test(`${name}: after disposal it reports and requests nothing, whatever happens`, async () => {
    const { playback, world, video, states, run } = setUp(kind);
    await run(3);
    playback.dispose();
    playback.dispose();
    const { requests } = world;
    const [at] = [video.currentTime];
    states.length = 0;
    world.notices = 0;
    playback.wake();
    playback.setPaused(true);
    playback.setPaused(false);
    playback.setSpeed(4);
    assert.equal(playback.seek(world.beginMs - 30_000), false);
    playback.step(1);
    playback.step(-1);
    playback.onPlaying();
    playback.onStalled();
    playback.onSinkBroken();
    playback.tick();
    for (let turn = 0; turn < 50; turn++) {
      world.clock.advance(100);
      await settle();
      playback.tick();
    }
    assert.deepEqual(states, []);
    assert.equal(world.notices, 0);
    assert.equal(world.requests, requests);
    assert.equal(video.currentTime, at);
    assert.ok(world.links.every(({ isClosed }) => isClosed));
    assert.equal(world.clock.pendingTimers, 0);
  });

  test(`${name}: disposed before its first frame, it stays silent`, async () => {
    const { playback, world, states } = setUp(kind);
    playback.dispose();
    states.length = 0;
    world.notices = 0;
    for (let turn = 0; turn < 20; turn++) {
      world.clock.advance(100);
      await settle(60);
    }
    assert.deepEqual(states, []);
    assert.equal(world.notices, 0);
    assert.equal(world.clock.pendingTimers, 0);
  });
}
