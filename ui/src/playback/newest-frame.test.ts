import assert from 'node:assert/strict';
import { test } from 'node:test';
import { h264Track } from '@vidette/media/codec/avcc';
import { fragment } from '@vidette/media/fmp4/fragment';
import { initSegment } from '@vidette/media/fmp4/init';
import { shownFrames } from '@vidette/media/fmp4/shown-frames';
import { NewestFrame } from './newest-frame.ts';
import { TestClock } from './test-clock.ts';

const track = h264Track(
  1,
  [Buffer.from('6764001eacd940b424dff8008000788000000300800000190f8a14cb', 'hex')],
  [Uint8Array.of(0x68, 0xeb)],
);
const START_DTS = 1_795_000_000 * 90_000;

/** A fragment as the server sends it: the duration of its last frame is a guess of 250 ms. Times in ms. */
function sent(...timesMs: number[]): Uint8Array {
  const samples = timesMs.map((ms) => {
    const dts = START_DTS + ms * 90;
    return {
      trackId: 1,
      dts,
      pts: dts,
      isKey: ms === 0,
      isDamaged: false,
      data: [Uint8Array.of(1)],
      size: 1,
    };
  });
  const endDts = START_DTS + (timesMs.at(-1) ?? 0) * 90 + 22_500;
  return new Uint8Array(
    Buffer.concat(fragment({ sequence: 1, tracks: [{ track, samples, endDts }] }).slices),
  );
}

function setUp() {
  const clock = new TestClock();
  /** From when to when each appended frame is shown, ms; or `init`. */
  const appended: (string | number[])[] = [];
  /** Ends of the fragments before which time was set back, ms. */
  const setBack: number[] = [];
  const newest = new NewestFrame(
    {
      isSupported: () => true,
      setType: (mimeType) => appended.push(mimeType),
      append: (bytes) => {
        const frames = shownFrames(bytes, 1);
        if (frames.length === 0) appended.push('other');
        for (const { startPts, endPts } of frames)
          appended.push([(startPts - START_DTS) / 90, (endPts - START_DTS) / 90]);
      },
    },
    clock,
    (endS) => setBack.push(Math.round(endS * 1000 - START_DTS / 90)),
  );
  newest.setType('type');
  newest.append(initSegment([track]));
  appended.length = 0;
  return { clock, newest, appended, setBack };
}

test('each frame is appended with its real duration, when the next one shows it', () => {
  const { clock, newest, appended } = setUp();
  newest.append(sent(0, 40, 80));
  // The first fragment does not wait.
  assert.deepEqual(appended.splice(0), [
    [0, 40],
    [40, 80],
    [80, 330],
  ]);
  assert.equal(newest.heldS, 0);
  newest.append(sent(120));
  assert.deepEqual(appended, []);
  assert.equal(newest.heldS, 0.04);
  // Exactly as it arrives, however uneven, and however long: a step beyond twice the duration would be a break.
  for (const ms of [150, 200, 900, 940]) newest.append(sent(ms));
  assert.deepEqual(appended, [
    [120, 150],
    [150, 200],
    [200, 900],
    [900, 940],
  ]);
  newest.clear();
  assert.equal(clock.pendingTimers, 0);
});

test('a frame without a successor waits for 60 ms, and keeps the duration that the server states', () => {
  const { clock, newest, appended } = setUp();
  newest.append(sent(0));
  newest.append(sent(40));
  clock.advance(59);
  assert.equal(appended.length, 1);
  clock.advance(1);
  assert.deepEqual(appended.splice(0), [
    [0, 250],
    [40, 290],
  ]);
  assert.equal(newest.heldS, 0);
  newest.append(sent(240));
  newest.append(sent(280));
  assert.deepEqual(appended, [[240, 280]]);
});

test('nothing overtakes the frame that waits, and what is no video passes', () => {
  const { newest, appended } = setUp();
  newest.append(sent(0));
  newest.append(sent(40));
  newest.append(new Uint8Array());
  newest.append(sent(80));
  newest.setType('next type');
  newest.append(initSegment([track]));
  assert.deepEqual(appended, [[0, 250], [40, 290], 'other', [80, 330], 'next type', 'other']);
});

test('what waits is discarded with the stream, and the next one begins without waiting', () => {
  const { newest, appended } = setUp();
  newest.append(sent(0));
  newest.append(sent(40));
  newest.clear();
  newest.append(sent(5_000));
  assert.deepEqual(appended, [
    [0, 250],
    [5_000, 5_250],
  ]);
});

test('a run that begins before frames that were appended says so, once; the next frames and a little overlap do not', () => {
  const { newest, setBack } = setUp();
  const begin = () => {
    newest.setType('type');
    newest.append(initSegment([track]));
  };
  newest.append(sent(20_000));
  newest.append(sent(20_040));
  begin();
  newest.append(sent(19_800));
  newest.append(sent(19_840));
  assert.deepEqual(setBack, [], 'a little overlap');
  begin();
  newest.append(sent(9_000, 9_040));
  newest.append(sent(9_080));
  assert.deepEqual(setBack, [9_290]);
  begin();
  newest.append(sent(3_601_000));
  newest.clear();
  begin();
  newest.append(sent(3_595_000));
  newest.append(sent(3_601_100));
  assert.deepEqual(setBack, [9_290], 'a new connection begins with the GOP so far');
  newest.clear();
  begin();
  newest.append(sent(1_000));
  assert.deepEqual(setBack, [9_290, 1_250], 'and after the connection was lost');
});
