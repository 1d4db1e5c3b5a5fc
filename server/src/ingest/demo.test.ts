import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { PlacedSample, type Sample } from '@vidette/media/sample';
import type { Track } from '@vidette/media/track';
import { systemClock, type Clock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { parseSourceAddress } from '../dial/address.ts';
import { utcMs } from './timing.ts';
import { clockCells, readDemoClock } from '../ffmpeg/demo-clock.ts';
import { parseDemoAddress } from './demo-address.ts';
import { FfmpegPool } from '../ffmpeg/pool.ts';
import { FfmpegSession } from './ffmpeg-session.ts';

const pool = new FfmpegPool({ clock: systemClock, log: silentLog });
after(() => pool.dispose('the tests are over'));

async function keyFrames(url: string, count: number): Promise<{ tracks: readonly Track[]; keys: Sample[] }> {
  const abort = new AbortController();
  const keys: Sample[] = [];
  let tracks: readonly Track[] = [];
  const address = parseSourceAddress(url);
  await new FfmpegSession({ address, pool, clock: systemClock, policy: { allowLoopback: false } }).run(
    {
      tracks: (found) => (tracks = found),
      sample: (sample) => {
        if (sample.trackId !== 1 || !sample.isKey || keys.length === count) return;
        keys.push(sample);
        if (keys.length === count) abort.abort();
      },
      awaiting: () => {},
      lost: () => {},
      note: () => {},
    },
    abort.signal,
  );
  return { tracks, keys };
}

/** RGBA pixels of a JPEG. */
async function pixelsOf(jpeg: Uint8Array): Promise<Buffer> {
  const decoder = spawn('ffmpeg', '-v error -f mjpeg -i - -f rawvideo -pix_fmt rgba -'.split(' '), {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  decoder.stdin.end(jpeg);
  const chunks: Buffer[] = [];
  for await (const chunk of decoder.stdout) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

test('[R10.1] the demo video shows its own time: the clock in the pixels equals the timestamp', async () => {
  const { tracks, keys } = await keyFrames('demo:gate?gop=400', 3);
  const [video, audio] = tracks;
  assert.ok(video?.kind === 'video' && audio?.kind === 'audio');
  assert.deepEqual([video.width, video.height, audio.sampleRate], [1280, 720, 48000]);
  const shown: number[] = [];
  for (const [index, key] of keys.entries()) {
    const width = [1280, 640, 320][index] ?? 1280;
    const jpeg = await pool.snapshot(video, key, { maxWidth: width });
    const readMs = readDemoClock(await pixelsOf(jpeg), width, (width * 9) / 16);
    assert.equal(readMs, key.pts / 90);
    shown.push(readMs ?? 0);
  }
  assert.ok(new Set(shown).size === 3, 'the clock runs');
  assert.ok(Math.abs((shown[0] ?? 0) - utcMs(systemClock)) < 60_000, 'the clock is right');
});

test('cameras with different names look different, a name always looks the same', async () => {
  const [a, b] = await Promise.all([keyFrames('demo:a', 1), keyFrames('demo:b', 1)]);
  const variant = async ({ tracks: [track], keys: [key] }: Awaited<ReturnType<typeof keyFrames>>) => {
    assert.ok(track?.kind === 'video' && key);
    const pixels = await pixelsOf(await pool.snapshot(track, key, { maxWidth: 320 }));
    return pixels.subarray(320 * 100 * 4, 320 * 100 * 4 + 3);
  };
  assert.notDeepEqual(await variant(a), await variant(b));
});

test('a broken key frame is a ProbeError, and the next snapshot succeeds', async () => {
  const { tracks, keys } = await keyFrames('demo:', 1);
  const [track] = tracks;
  const [key] = keys;
  assert.ok(track?.kind === 'video' && key && !(key instanceof PlacedSample));
  const noise = Uint8Array.from({ length: 5000 }, (_, index) => (index * 151) & 255);
  await assert.rejects(pool.snapshot(track, { ...key, data: [noise], size: noise.length }), {
    code: 'ProbeError',
  });
  const jpeg = await pool.snapshot(track, key, { maxWidth: 160, quality: 50 });
  assert.deepEqual([...jpeg.subarray(0, 2)], [0xff, 0xd8]);
});

test('a snapshot whose child hangs is abandoned at its deadline, and the next one succeeds', async () => {
  const { tracks, keys } = await keyFrames('demo:', 1);
  const [track] = tracks;
  const [key] = keys;
  assert.ok(track?.kind === 'video' && key);
  const own = new FfmpegPool({ clock: systemClock, log: silentLog });
  try {
    await own.snapshot(track, key, { deadlineMs: 60_000 });
    for (const pid of own.pids) process.kill(pid, 'SIGSTOP');
    await assert.rejects(own.snapshot(track, key, { deadlineMs: 200 }), { code: 'SERVER_NOT_RESPONSE_ERR' });
    assert.ok((await own.snapshot(track, key, { deadlineMs: 60_000 })).length > 0);
  } finally {
    await own.dispose('the test is over');
  }
});

test('the snapshot queue is bounded', async () => {
  const { tracks, keys } = await keyFrames('demo:', 1);
  const [track] = tracks;
  const [key] = keys;
  assert.ok(track?.kind === 'video' && key);
  const orders = await Promise.allSettled(
    Array.from({ length: 70 }, () => pool.snapshot(track, key, { maxWidth: 160, deadlineMs: 60_000 })),
  );
  const refused = orders.filter((order) => order.status === 'rejected');
  assert.ok(refused.length > 0 && refused.length < 10);
  for (const { reason } of refused) assert.equal(reason.code, 'TooManyRequests');
});

test('options of demo addresses', () => {
  assert.deepEqual(parseDemoAddress('demo:'), { name: '', fps: 25, gopMs: 1000 });
  assert.deepEqual(parseDemoAddress('demo:gate?fps=10&gop=2000'), { name: 'gate', fps: 10, gopMs: 2000 });
  for (const url of ['demo:?fps=0', 'demo:?fps=61', 'demo:?fps=1e1', 'demo:?size=9', 'demo:?gop=']) {
    assert.throws(() => parseDemoAddress(url), { code: 'STREAM_SOURCE_ERR' });
  }
});

test('an illegible clock strip is not read', () => {
  const cells = clockCells(1_795_000_000_123, 7);
  const pixels = (values: Uint8Array) =>
    Uint8Array.from({ length: 320 * 180 * 4 }, (_, at) => {
      const x = (at >> 2) % 320;
      return (values[Math.floor(x / 4)] ?? 0) * 255;
    });
  assert.equal(readDemoClock(pixels(cells), 320, 180), 1_795_000_000_123);
  for (let cell = 0; cell < 80; cell++) {
    const wrong = Uint8Array.from(cells);
    wrong[cell] = 1 - (cells[cell] ?? 0);
    assert.equal(readDemoClock(pixels(wrong), 320, 180), undefined, `cell ${cell}`);
  }
  assert.equal(readDemoClock(new Uint8Array(320 * 180 * 4), 320, 180), undefined);
  const text = readDemoClock.toString();
  const revived = runInNewContext(`(${text})`) as typeof readDemoClock;
  assert.equal(revived(pixels(cells), 320, 180), 1_795_000_000_123, 'its text is elsewhere');
});

test('[R10.3] the demo video is dated on arrival by the server’s current clock, even after its process was delayed', async () => {
  const boundMs = 2_000;
  // A server whose clock is an hour ahead of the machine's.
  const clock: Clock = { ...systemClock, wallMs: () => systemClock.wallMs() + 3_600_000 };
  const own = new FfmpegPool({ clock, log: silentLog });
  const abort = new AbortController();
  const aheadMs: number[] = [];
  let previous = -Infinity;
  let isHeld = false;
  let afterHold = 0;
  const address = parseSourceAddress('demo:late?gop=400');
  try {
    await new FfmpegSession({ address, pool: own, clock, policy: { allowLoopback: false } }).run(
      {
        tracks() {},
        sample({ trackId, isKey, pts }) {
          if (trackId !== 1 || !isKey) return;
          const atMs = pts / 90;
          assert.ok(atMs > previous, 'time does not go back');
          previous = atMs;
          aheadMs.push(atMs - utcMs(clock));
          if (aheadMs.length === 3) {
            const [pid = 0] = own.pids;
            process.kill(pid, 'SIGSTOP');
            isHeld = true;
            systemClock.after(3_000, () => {
              isHeld = false;
              process.kill(pid, 'SIGCONT');
            });
          } else if (aheadMs.length > 3 && !isHeld && ++afterHold === 8) abort.abort();
        },
        awaiting() {},
        lost() {},
        note() {},
      },
      abort.signal,
    );
  } finally {
    await own.dispose('the test is over');
  }
  assert.ok(Math.max(...aheadMs) <= 100, `${Math.max(...aheadMs)} ms ahead`);
  const settled = aheadMs.slice(-4);
  assert.ok(Math.min(...settled) >= -boundMs, `${settled.join(', ')} ms: not permanently late`);
});
