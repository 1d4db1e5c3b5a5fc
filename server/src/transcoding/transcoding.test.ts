import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, test } from 'node:test';
import { walkBoxes } from '@vidette/media/fmp4/box';
import { parseInit } from '@vidette/media/fmp4/read-init';
import { parseFragmentHeader } from '@vidette/media/fmp4/read-moof';
import type { Sample } from '@vidette/media/sample';
import { systemClock } from '../base/clock.ts';
import { LoadLevel } from '../base/load-level.ts';
import { silentLog } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { FfmpegPool } from '../ffmpeg/pool.ts';
import { Stream } from '../hub/stream.ts';
import { Transcoding, type TranscodingAudience } from './transcoding.ts';
import type { RecordedGop } from './gop-transcoding.ts';
import { TranscodeSlots } from './transcode-slots.ts';

const pool = new FfmpegPool({ clock: systemClock, log: silentLog });
after(() => pool.dispose('the test is over'));

const person = { isAdmin: false, canConvert: true };
const viewer = { name: 'one', person };
const rules = (whom: TranscodingAudience, atOnce: number) => () => ({ for: whom, atOnce });

/** One GOP of an H.265 clip with reordered frames, with times as in the archive. */
function clip(): RecordedGop {
  const file = new URL('../../../media/fixtures/h265-b-pyramid.mp4', import.meta.url);
  const bytes = new Uint8Array(readFileSync(file));
  const [track] = parseInit(bytes);
  assert.ok(track);
  const scale = 90_000 / track.timescale;
  const samples: Sample[] = [];
  let endDts = 0;
  for (const box of walkBoxes(bytes)) {
    if (box.type !== 'moof') continue;
    for (const run of parseFragmentHeader(bytes.subarray(box.offset, box.offset + box.size)).tracks) {
      let at = box.offset + run.dataOffset;
      let dts = run.baseDts;
      for (const { size, duration, isKey, isDamaged, compositionOffset } of run.samples) {
        const data = [bytes.subarray(at, at + size)];
        samples.push({
          trackId: run.trackId,
          dts: dts * scale,
          pts: (dts + compositionOffset) * scale,
          isKey,
          isDamaged,
          data,
          size,
        });
        at += size;
        dts += duration;
      }
      endDts = run.endDts * scale;
    }
  }
  return [{ track: { ...track, timescale: 90_000 }, samples, endDts }];
}

test('[R1.5] a recorded H.265 GOP becomes H.264 with a frame at each of its times, although they were reordered', async () => {
  const gop = clip();
  const transcoding = new Transcoding({
    pool,
    clock: systemClock,
    load: new LoadLevel(),
    rules: rules('everyone', 1),
  });
  const bytes = await transcoding.gop(viewer, () => Promise.resolve(gop), new AbortController().signal);
  const [track] = parseInit(bytes);
  assert.match(track?.codecString ?? '', /^avc1\./);
  const moof = [...walkBoxes(bytes)].find(({ type }) => type === 'moof');
  assert.ok(moof);
  const { tracks } = parseFragmentHeader(bytes.subarray(moof.offset, moof.offset + moof.size));
  let dts = tracks[0]?.baseDts ?? 0;
  const moments = tracks[0]?.samples.map(({ duration }) => (dts += duration) - duration);
  assert.deepEqual(
    moments,
    gop[0]?.samples.map(({ pts }) => pts).sort((a, b) => a - b),
  );
  transcoding.close();
});

test('a live stream is transcoded as it arrives, and ends with its viewer', async () => {
  const [run] = clip();
  assert.ok(run);
  const source = new Stream('gate');
  source.setTracks([run.track]);
  const transcoding = new Transcoding({
    pool,
    clock: systemClock,
    load: new LoadLevel(),
    rules: rules('everyone', 1),
  });
  const { stream, close } = transcoding.live(viewer, source, () => assert.fail('it cannot be transcoded'));
  for (const sample of run.samples) source.write(sample);
  const frames: Sample[] = [];
  await new Promise<void>((resolve) => {
    const reader = stream.addReader({
      name: 'test',
      maxBytes: 1 << 24,
      from: 'gop',
      onReadable: () => {
        for (let event = reader.take(); event; event = reader.take()) {
          if (event.type === 'tracks') assert.match(event.tracks[0]?.codecString ?? '', /^avc1\./);
          if (event.type === 'sample') frames.push(event.sample);
        }
        if (frames.length > 3) resolve();
      },
    });
  });
  assert.equal(frames[0]?.isKey, true);
  assert.equal(transcoding.taken, 1);
  close();
  assert.equal(transcoding.taken, 0);
  assert.equal(source.readerCount, 0);
});

test('for no user, for administrators only, and with no slots at all', async () => {
  const { signal } = new AbortController();
  const read = () => Promise.resolve([]);
  for (const [whom, atOnce] of [
    ['nobody', 2],
    ['administrators', 2],
    ['everyone', 0],
  ] as const) {
    const transcoding = new Transcoding({
      pool,
      clock: systemClock,
      load: new LoadLevel(),
      rules: rules(whom, atOnce),
    });
    await assert.rejects(transcoding.gop(viewer, read, signal), { code: 'ActionNotAcceptable' });
    assert.throws(() => transcoding.live(viewer, new Stream('a'), () => {}), { code: 'ActionNotAcceptable' });
  }
  const administrators = new Transcoding({
    pool,
    clock: systemClock,
    load: new LoadLevel(),
    rules: rules('administrators', 2),
  });
  await assert.rejects(
    administrators.gop({ name: 'a', person: { isAdmin: true, canConvert: true } }, read, signal),
    {
      code: 'NotFound',
    },
  );
  administrators.close();
});

test('transcoding for everyone is available to each user who has that right, and to administrators', () => {
  const allows = (whom: TranscodingAudience, isAdmin: boolean, canConvert: boolean) =>
    new Transcoding({ pool, clock: systemClock, load: new LoadLevel(), rules: rules(whom, 2) }).allows({
      isAdmin,
      canConvert,
    });
  assert.deepEqual(
    [allows('everyone', false, true), allows('everyone', false, false), allows('everyone', true, false)],
    [true, false, true],
  );
  assert.deepEqual(
    [allows('administrators', false, true), allows('administrators', true, false)],
    [false, true],
  );
  assert.equal(allows('nobody', true, true), false);
});

test('a viewer keeps the slot from one GOP to the next, others are told that all are taken, and it is free again later', () => {
  const clock = new ManualClock();
  const slots = new TranscodeSlots(clock, () => 1);
  const leave = slots.take('one', true);
  assert.throws(() => slots.take('two', true), { code: 'QuotaReached' });
  leave();
  leave();
  assert.throws(() => slots.take('two', true), { code: 'QuotaReached' });
  slots.take('one', false)();
  assert.equal(slots.taken, 0);
  slots.take('two', true)();
  clock.advance(20_000);
  assert.equal(slots.taken, 0);
});

test('[R15.4] while transcoding waits running ones end with that reason, new ones are refused, and their slots are free', async () => {
  const load = new LoadLevel();
  const transcoding = new Transcoding({ pool, clock: systemClock, load, rules: rules('everyone', 1) });
  const ends: string[] = [];
  const running = transcoding.live(viewer, new Stream('gate'), (code) => {
    ends.push(code);
    running.close();
  });
  load.set(2);
  assert.deepEqual(ends, []);
  load.set(3);
  assert.deepEqual(ends, ['ServerOverloaded']);
  assert.equal(transcoding.taken, 0);
  assert.throws(() => transcoding.live(viewer, new Stream('gate'), () => {}), { code: 'ServerOverloaded' });
  const { signal } = new AbortController();
  await assert.rejects(
    transcoding.gop(viewer, () => assert.fail('read'), signal),
    { code: 'ServerOverloaded' },
  );
  load.set(0);
  transcoding.live(viewer, new Stream('gate'), () => {}).close();
  transcoding.close();
});
