import assert from 'node:assert/strict';
import { test } from 'node:test';
import { h264Track } from '@vidette/media/codec/avcc';
import { fragment } from '@vidette/media/fmp4/fragment';
import { initSegment } from '@vidette/media/fmp4/init';
import type { LiveLinkEvents } from '../live-link.ts';
import type { BufferedSpan } from '../media-element.ts';
import type { MediaSink } from '../media-sink.ts';
import type { PlayerState } from '../state.ts';
import { TestClock } from '../test-clock.ts';
import { TestVideo } from '../test-media.ts';
import { KeyFramePlayback } from './key-frame-playback.ts';

const track = h264Track(
  1,
  [Buffer.from('6764001eacd940b424dff8008000788000000300800000190f8a14cb', 'hex')],
  [Uint8Array.of(0x68, 0xeb)],
);
const START_S = 1_795_000_000;
const GOP_S = 2;

/** The key frame of a second, which lasts as long as its GOP. */
function keyFrame(atS: number): Uint8Array {
  const dts = (START_S + atS) * 90_000;
  const data = [Uint8Array.of(1)];
  const samples = [{ trackId: 1, dts, pts: dts, isKey: true, isDamaged: false, data, size: 1 }];
  const { slices } = fragment({ sequence: 1, tracks: [{ track, samples, endDts: dts + GOP_S * 90_000 }] });
  return new Uint8Array(Buffer.concat(slices));
}

function setUp() {
  const clock = new TestClock();
  const video = new TestVideo();
  // It reports seeking as soon as its position is set.
  Object.defineProperty(video, 'seeking', { value: false });
  const spans: BufferedSpan[] = video.spans;
  const sink = {
    spans,
    isSupported: () => true,
    setType() {},
    append() {},
    remove() {},
    clear: () => Promise.resolve(),
  } as unknown as MediaSink;
  const states: PlayerState[] = [];
  let link: LiveLinkEvents | undefined;
  const player = new KeyFramePlayback({
    video,
    sink,
    clock,
    connect: (events) => {
      link = events;
      return { wake() {}, restart() {}, close() {} };
    },
    onState: (state) => states.push(state),
  });
  assert.ok(link);
  const events = link;
  let atS = 0;
  const tickFor = (seconds: number) => {
    for (let tick = 0; tick < seconds * 10; tick++) {
      clock.advance(100);
      player.tick();
    }
  };
  /** Another key frame, and the time until the next. */
  const receive = () => {
    atS += GOP_S;
    video.spans.push({ start: START_S + atS, end: START_S + atS + GOP_S });
    events.onMedia(keyFrame(atS));
    tickFor(GOP_S);
  };
  const begin = () => {
    events.onMessage({ type: 'init', mimeType: 'video/mp4; codecs="avc1.640028"' });
    events.onMedia(initSegment([track]));
  };
  begin();
  receive();
  receive();
  /** The decoder fails, and the stream begins again. */
  const breakDecoder = () => {
    player.onSinkBroken();
    begin();
  };
  return { events, states, tickFor, receive, begin, breakDecoder };
}

test('key frames that arrive are live', () => {
  const { states, receive } = setUp();
  receive();
  assert.deepEqual(states.at(-1), { name: 'playing' });
});

const losses: readonly [string, (events: LiveLinkEvents) => void, PlayerState][] = [
  ['a server that is gone', (events) => events.onLost(), { name: 'waiting', reason: 'network' }],
  [
    'a camera that is away',
    (events) => events.onMessage({ type: 'waiting' }),
    { name: 'waiting', reason: 'source' },
  ],
  [
    'a channel that ended',
    (events) => events.onMessage({ type: 'end', code: 'Unavailable' }),
    { name: 'waiting', reason: 'source' },
  ],
  ['a camera that falls silent without a word', () => {}, { name: 'waiting', reason: 'silent' }],
];

for (const [what, lose, expected] of losses) {
  test(`${what} is shown on the tile as long as no frame arrives, although the last one is still visible`, () => {
    const { events, states, tickFor, receive, begin } = setUp();
    lose(events);
    tickFor(10);
    states.length = 0;
    tickFor(60);
    assert.ok(states.length > 0);
    assert.ok(
      states.every((state) => JSON.stringify(state) === JSON.stringify(expected)),
      JSON.stringify(states.at(-1)),
    );
    // An open connection alone shows nothing.
    begin();
    tickFor(1);
    assert.notEqual(states.at(-1)?.name, 'playing');
    receive();
    assert.deepEqual(states.at(-1), { name: 'playing' });
  });
}

test('only decoder failures in a row, without a frame in between, are a missing decoder', () => {
  const { states, receive, breakDecoder } = setUp();
  for (let time = 0; time < 3; time++) {
    for (let failure = 0; failure < 3; failure++) breakDecoder();
    receive();
    assert.deepEqual(states.at(-1), { name: 'playing' });
  }
  for (let failure = 0; failure < 4; failure++) breakDecoder();
  assert.deepEqual(states.at(-1), { name: 'unsupported', codec: 'H.264' });
});
