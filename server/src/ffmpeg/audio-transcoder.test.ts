import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { test } from 'node:test';
import type { AudioTrack } from '@vidette/media/track';
import { systemClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { openAudioTranscoder } from './audio-transcoder.ts';
import { FfmpegPool } from './pool.ts';

/** A 440 Hz tone in mu-law as defined in ITU-T G.711. */
function muLawTone(samples: number, from: number): Uint8Array {
  return Uint8Array.from({ length: samples }, (_, index) => {
    const value = Math.round(8000 * Math.sin((2 * Math.PI * 440 * (from + index)) / 8000));
    const magnitude = Math.min(32635, Math.abs(value)) + 132;
    const exponent = 31 - Math.clz32(magnitude) - 7;
    const mantissa = (magnitude >> (exponent + 3)) & 15;
    return ~((value < 0 ? 0x80 : 0) | (exponent << 4) | mantissa) & 0xff;
  });
}

test('[R10.1] G.711 becomes AAC whose times follow the packets', async () => {
  const pool = new FfmpegPool({ clock: systemClock, log: silentLog });
  const startTicks = 1_795_000_000 * 8000;
  const enough = Promise.withResolvers<void>();
  const frames: { bytes: Uint8Array; pts: number }[] = [];
  let track: AudioTrack | undefined;
  try {
    const converter = openAudioTranscoder(
      {
        codec: 'pcmu',
        sampleRate: 8000,
        channels: 1,
        onTrack: (found) => (track = found),
        onFrame: (bytes, pts) => {
          frames.push({ bytes, pts });
          if (frames.length === 14) enough.resolve();
        },
        onFailed: enough.reject,
      },
      pool,
    );
    for (let packet = 0; packet < 100; packet++) {
      converter.write(muLawTone(160, packet * 160), startTicks + packet * 160);
    }
    await enough.promise;
    converter.close();
  } finally {
    await pool.dispose('the test is over');
  }
  assert.equal(track?.codecString, 'mp4a.40.2');
  assert.equal(track?.sampleRate, 8000);
  assert.equal(track?.timescale, 8000);
  assert.equal(frames[0]?.pts, startTicks - 1024);
  frames.forEach(({ bytes, pts }, index) => {
    assert.equal(pts, startTicks + (index - 1) * 1024);
    assert.ok(bytes.length > 0);
  });
});

test('[R10.1] MP2 becomes AAC too', async () => {
  const coder = spawn(
    'ffmpeg',
    '-v error -f lavfi -i sine=sample_rate=48000 -t 1 -c:a mp2 -b:a 192k -f mp2 -'.split(' '),
  );
  const chunks: Buffer[] = [];
  for await (const chunk of coder.stdout) chunks.push(chunk as Buffer);
  const coded = Buffer.concat(chunks);
  // ISO/IEC 11172-3, 2.4.3.1: a frame of 1152 samples has 144 * bit rate / sampling frequency bytes.
  const frameBytes = (144 * 192_000) / 48_000;
  const pool = new FfmpegPool({ clock: systemClock, log: silentLog });
  const seen = Promise.withResolvers<void>();
  let count = 0;
  let rate = 0;
  try {
    const converter = openAudioTranscoder(
      {
        codec: 'mp2',
        sampleRate: 48_000,
        channels: 1,
        onTrack: (track) => (rate = track.sampleRate),
        onFrame: () => {
          if (++count === 30) seen.resolve();
        },
        onFailed: seen.reject,
      },
      pool,
    );
    for (let at = 0; at + frameBytes <= coded.length; at += frameBytes) {
      converter.write(coded.subarray(at, at + frameBytes), (at / frameBytes) * 1152);
    }
    await seen.promise;
    assert.equal(rate, 48_000);
  } finally {
    await pool.dispose('the test is over');
  }
});

test('audio restarts at its new time after a pause', async () => {
  const pool = new FfmpegPool({ clock: systemClock, log: silentLog });
  const seen = Promise.withResolvers<number>();
  try {
    const converter = openAudioTranscoder(
      {
        codec: 'pcma',
        sampleRate: 8000,
        channels: 1,
        onTrack: () => {},
        onFrame: (_bytes, pts) => {
          if (pts > 79_000) seen.resolve(pts);
        },
        onFailed: seen.reject,
      },
      pool,
    );
    for (let packet = 0; packet < 20; packet++) converter.write(new Uint8Array(160).fill(0xd5), packet * 160);
    for (let packet = 0; packet < 20; packet++)
      converter.write(new Uint8Array(160).fill(0xd5), 80_000 + packet * 160);
    // The encoder has a look-ahead of one frame, so the first frame after the pause still has the earlier time.
    assert.ok((await seen.promise) >= 80_000);
    converter.close();
  } finally {
    await pool.dispose('the test is over');
  }
});
