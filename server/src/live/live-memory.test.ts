import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import fc from 'fast-check';
import { walkBoxes } from '@vidette/media/fmp4/box';
import { parseFragmentHeader } from '@vidette/media/fmp4/read-moof';
import type { VideoTrack } from '@vidette/media/track';
import { BlockPool, releaseSample } from '@vidette/media/sample-block';
import { LoadLevel } from '../base/load-level.ts';
import { silentLog } from '../base/log.ts';
import { ManualClock } from '../base/manual-clock.ts';
import { frameTicks, pooledSource } from '../hub/pooled-source-fixture.ts';
import { encodeClip } from './clip-fixture.ts';
import { LiveFragmenter } from './fragmenter.ts';
import { LowLatencyHls } from './hls.ts';
import { RecordingSink } from './recording-sink.ts';
import { LiveSession, type LiveVariant } from './session.ts';

const blockBytes = 64;
/** A real one, because an init segment is made of it. */
let track: VideoTrack;
before(async () => {
  const { tracks } = await encodeClip({ seconds: 1 });
  const video = tracks.find(({ kind }) => kind === 'video');
  assert.ok(video?.kind === 'video');
  track = { ...video, timescale: 90_000 };
});
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Frames of each fragment are whole. @returns their numbers */
function framesOf(media: readonly Uint8Array[]): number[] {
  return media.flatMap((bytes) => {
    const [box] = walkBoxes(bytes);
    if (box?.type !== 'moof') return [];
    return parseFragmentHeader(bytes.subarray(0, box.size)).tracks.flatMap((run) => {
      let at = run.dataOffset;
      let dts = run.baseDts;
      return run.samples.map(({ size, duration }) => {
        const index = Math.round(dts / frameTicks);
        // Four bytes are the length of the NAL unit.
        const isWhole = bytes.subarray(at + 4, at + size).every((byte) => byte === (index & 0xff));
        assert.ok(isWhole, `frame ${index}`);
        at += size;
        dts += duration;
        return index;
      });
    });
  });
}

function scene(pool: BlockPool) {
  const { stream, send } = pooledSource(pool, track);
  const clock = new ManualClock();
  const load = new LoadLevel();
  const fragmenter = new LiveFragmenter();
  const view = (variant: Partial<LiveVariant> = {}) => {
    const sink = new RecordingSink();
    const session = new LiveSession({
      stream,
      fragmenter,
      sink,
      clock,
      load,
      variant: { audio: true, keyFramesOnly: false, ...variant },
      onEnd: (_code, error) => assert.ifError(error),
    });
    return { sink, session };
  };
  const recorder = stream.addReader({
    name: 'archive',
    maxBytes: 1e6,
    from: 'next-key',
    data: 'releases',
    onReadable() {},
  });
  const record = () => {
    for (let event = recorder.take(); event; event = recorder.take())
      if (event.type === 'sample') releaseSample(event.sample);
  };
  const hls = new LowLatencyHls({ stream, clock, log: silentLog });
  return { stream, send, load, view, hls, record };
}

test('[R10.1] the memory of a stream that is watched is used again', async () => {
  const pool = new BlockPool(blockBytes, 1e6);
  const { send, view, hls, record } = scene(pool);
  const viewers = [view(), view(), view({ keyFramesOnly: true })];
  const init = hls.handle('init-1.mp4', new URLSearchParams(), AbortSignal.timeout(10_000));
  await assert.rejects(init, { code: 'NotFound' });
  for (let at = 0; at <= 100; at++) {
    send(40, at % 10 === 0);
    await turn();
    record();
  }
  assert.deepEqual(
    viewers.map(({ sink }) => framesOf(sink.media).length),
    [101, 101, 11],
  );
  // Those of a GOP, which has just ended: seven, less what waits for the end of a part.
  assert.ok(pool.freeBytes >= 4 * blockBytes, String(pool.freeBytes));
  hls.close();
});

test('[R10.1] a slow viewer gets what others have got long ago', async () => {
  const { send, view, record } = scene(new BlockPool(blockBytes, 1e6));
  const sendAll = async (sizes: readonly number[], hasKey: boolean) => {
    for (const [at, size] of sizes.entries()) {
      send(size, hasKey && at === 0);
      await turn();
      record();
    }
  };
  const [slow, ...others] = [view(), view(), view()];
  await sendAll([50], true);
  if (slow) slow.sink.bufferedBytes = 1e9;
  await sendAll([60, 40, 80, 10, 150], false);
  await sendAll([50, 60, 40, 80, 10, 150], true);
  if (slow) slow.sink.bufferedBytes = 0;
  slow?.session.resume();
  await turn();
  for (const viewer of [slow, ...others]) assert.equal(framesOf(viewer?.sink.media ?? []).length, 12);
});

test('[R10.1] no viewer receives a frame that has changed, however viewers come, go, are slow or reduced', async () => {
  const sending = fc.record({
    do: fc.constant('send' as const),
    size: fc.integer({ min: 1, max: 150 }),
    isKey: fc.integer({ max: 7, min: 0 }).map((number) => number === 0),
  });
  const acting = fc.record({
    do: fc.constantFrom(
      'view',
      'keys',
      'leave',
      'block',
      'resume',
      'block',
      'resume',
      'reduce',
      'recover',
      'hls',
    ),
  });
  const pausing = fc.record({ do: fc.constant('pause' as const) });
  const recording = fc.record({ do: fc.constant('record' as const) });
  const step = fc.oneof(
    { weight: 24, arbitrary: sending },
    { weight: 10, arbitrary: recording },
    { weight: 5, arbitrary: acting },
    { weight: 1, arbitrary: pausing },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 300, size: 'max' }), async (steps) => {
      const { stream, send, load, view, hls, record } = scene(new BlockPool(blockBytes, 20 * blockBytes));
      const viewers: ReturnType<typeof view>[] = [];
      const left: typeof viewers = [];
      const parts: Uint8Array[] = [];
      let asked = 0;
      const act = {
        view: () => void viewers.push(view()),
        keys: () => void viewers.push(view({ keyFramesOnly: true })),
        leave: () => {
          const [viewer] = viewers.splice(0, 1);
          viewer?.session.close();
          if (viewer) left.push(viewer);
        },
        block: () => viewers.slice(0, 2).forEach(({ sink }) => (sink.bufferedBytes = 1e9)),
        resume: () =>
          viewers.forEach(({ sink, session }) => {
            sink.bufferedBytes = 0;
            session.resume();
          }),
        reduce: () => load.set(9),
        recover: () => load.set(0),
        hls: async () => {
          const file = `part-${Math.floor(asked / 3)}-${asked++ % 3}.m4s`;
          const reply = await hls
            .handle(file, new URLSearchParams(), AbortSignal.abort())
            .catch(() => undefined);
          if (reply && typeof reply.body !== 'string') parts.push(reply.body);
        },
        record,
        pause: () => {
          stream.pause('no-frames');
          stream.setTracks([track]);
        },
      };
      for (const each of steps) {
        if ('size' in each) send(each.size, each.isKey);
        else await act[each.do]();
        await turn();
      }
      act.resume();
      await turn();
      for (const { sink } of [...viewers, ...left]) framesOf(sink.media);
      framesOf(parts);
      hls.close();
    }),
    { numRuns: 60 },
  );
});
