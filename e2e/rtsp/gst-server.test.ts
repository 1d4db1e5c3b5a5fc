import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Sample } from '@vidette/media/sample';
import type { AudioTrack } from '@vidette/media/track';
import { systemClock } from '../../server/src/base/clock.ts';
import { silentLog } from '../../server/src/base/log.ts';
import {
  openAudioTranscoder,
  type AudioTranscoderOptions,
} from '../../server/src/ffmpeg/audio-transcoder.ts';
import { FfmpegPool } from '../../server/src/ffmpeg/pool.ts';
import { gstAudio, gstVideo, startGstServer, type GstServer } from './gst-server.ts';
import { listen, ofTrack, type Heard } from './listening.ts';

const credentials = { username: 'admin', password: 'secret' };
const auth = { user: 'admin', password: 'secret' };

/** The codecs besides G.711 that are transcoded to AAC. */
const converted = ['g722', 'g726', 'l16', 'mp3'] as const;

/** Enough of every track to see that it flows. */
const flows =
  (tracks: number, samples = 12) =>
  (heard: Heard) =>
    heard.tracks.at(-1)?.length === tracks &&
    Array.from({ length: tracks }, (_, index) => ofTrack(heard, index + 1).length).every(
      (count) => count >= samples,
    );

/** The pitch of a tone in AAC, from its zero crossings. */
function toneOf(track: AudioTrack, audios: readonly Sample[]): number {
  const frames = audios.map(({ data, size }) => {
    const frequency = [
      96000, 88200, 64000, 48000, 44100, 32000, 24000, 22050, 16000, 12000, 11025, 8000,
    ].indexOf(track.sampleRate);
    const length = size + 7;
    const head = [
      0xff,
      0xf1,
      (1 << 6) | (frequency << 2),
      (track.channels << 6) | (length >> 11),
      (length >> 3) & 255,
      ((length & 7) << 5) | 31,
      0xfc,
    ];
    return Buffer.concat([Uint8Array.from(head), ...data]);
  });
  const options = `-v error -f aac -i - -ac 1 -ar ${track.sampleRate} -f s16le -`.split(' ');
  const raw = execFileSync('ffmpeg', options, { input: Buffer.concat(frames) });
  // Without the beginning, in which the encoder settles.
  const samples = new Int16Array(raw.buffer, raw.byteOffset, raw.length >> 1).subarray(4096);
  const crossings = samples.filter(
    (value, index) => index > 0 && value >= 0 !== (samples[index - 1] ?? 0) >= 0,
  ).length;
  return (crossings / 2 / samples.length) * track.sampleRate;
}

function assertGrowing(heard: Heard, trackId: number): void {
  const samples = ofTrack(heard, trackId);
  samples.slice(1).forEach((sample, index) => assert.ok(sample.dts > (samples[index]?.dts ?? 0)));
}

describe('GStreamer', () => {
  let server: GstServer;

  before(async () => {
    server = await startGstServer({
      mounts: {
        '/h264': `( ${gstVideo('h264')} )`,
        '/b-frames-aac': `( ${gstVideo('h264', { bFrames: 2 })} ${gstAudio('aac')} )`,
        '/h265-opus': `( ${gstVideo('h265')} ${gstAudio('opus')} )`,
        '/g711': `( ${gstVideo('h264')} ${gstAudio('pcma')} )`,
        ...Object.fromEntries(
          converted.map((codec) => [`/${codec}`, `( ${gstVideo('h264')} ${gstAudio(codec)} )`]),
        ),
        '/sound': `( ${gstAudio('aac', 'pay0')} )`,
      },
    });
  });
  after(() => server.stop());

  test('[R10.1] H.264', async () => {
    const heard = await listen({ url: server.url('/h264') }, flows(1));
    const [track] = heard.tracks[0] ?? [];
    assert.ok(
      track?.kind === 'video' && track.codec === 'h264' && track.width === 320 && track.height === 240,
    );
    assert.ok(heard.samples[0]?.isKey);
    assert.ok(heard.samples.every(({ dts, pts, isDamaged }) => dts === pts && !isDamaged));
    const ageMs = Date.now() - (heard.samples.at(-1)?.dts ?? 0) / 90;
    assert.ok(Math.abs(ageMs) < 60_000, `the newest frame is ${ageMs} ms old`);
  });

  test('[R10.1] H.264 with B-frames, and AAC', async () => {
    const heard = await listen({ url: server.url('/b-frames-aac') }, flows(2, 30));
    assert.deepEqual(
      heard.tracks.at(-1)?.map(({ codec }) => codec),
      ['h264', 'aac'],
    );
    const frames = ofTrack(heard, 1);
    assert.ok(frames.every(({ dts, pts }) => pts >= dts));
    assert.ok(
      frames.some(({ dts, pts }) => pts > dts),
      'frames are reordered',
    );
    assertGrowing(heard, 1);
    assertGrowing(heard, 2);
    const audios = ofTrack(heard, 2);
    audios.slice(1).forEach((audio, index) => {
      const length = audio.dts - (audios[index]?.dts ?? 0);
      assert.ok(Math.abs(length - 1024) < 15, `a frame of AAC lasts ${length}`);
    });
  });

  test('[R10.1] H.265 and Opus', async () => {
    const heard = await listen({ url: server.url('/h265-opus') }, flows(2));
    assert.deepEqual(
      heard.tracks.at(-1)?.map(({ codec }) => codec),
      ['h265', 'opus'],
    );
    assertGrowing(heard, 1);
    assert.ok(heard.samples.some(({ trackId, isKey }) => trackId === 1 && isKey));
  });

  test('[R10.1] G.711 becomes AAC, and joins the video at a key frame', async () => {
    const pool = new FfmpegPool({ clock: systemClock, log: silentLog });
    try {
      const transcodeAudio = (options: AudioTranscoderOptions) => openAudioTranscoder(options, pool);
      const heard = await listen({ url: server.url('/g711'), transcodeAudio }, flows(2));
      assert.deepEqual(
        heard.tracks.at(-1)?.map(({ codec }) => codec),
        ['h264', 'aac'],
      );
      assertGrowing(heard, 2);
      const track = heard.tracks.at(-1)?.[1];
      const audioMs = ((ofTrack(heard, 2).at(-1)?.dts ?? 0) * 1000) / (track?.timescale ?? 1);
      const frameMs = (ofTrack(heard, 1).at(-1)?.dts ?? 0) / 90;
      assert.ok(Math.abs(audioMs - frameMs) < 5000, `audio is ${audioMs - frameMs} ms ahead`);
    } finally {
      await pool.dispose('the test is over');
    }
  });

  for (const codec of converted) {
    test(`[R10.1] ${codec} becomes AAC that sounds the same and lasts as long`, async () => {
      const pool = new FfmpegPool({ clock: systemClock, log: silentLog });
      try {
        const transcodeAudio = (options: AudioTranscoderOptions) => openAudioTranscoder(options, pool);
        const heard = await listen({ url: server.url(`/${codec}`), transcodeAudio }, flows(2, 24));
        const track = heard.tracks.at(-1)?.[1];
        assert.ok(track?.kind === 'audio' && track.codec === 'aac');
        assertGrowing(heard, 2);
        const audios = ofTrack(heard, 2);
        const lasts = (audios.at(-1)?.dts ?? 0) - (audios[0]?.dts ?? 0);
        const expected = (audios.length - 1) * 1024;
        assert.ok(Math.abs(lasts / expected - 1) < 0.05, `${lasts} ticks for ${expected} samples`);
        const hertz = toneOf(track, audios);
        assert.ok(Math.abs(hertz - 440) < 15, `${hertz} Hz`);
      } finally {
        await pool.dispose('the test is over');
      }
    });
  }

  test('G.711 without a converter is left out, and reported', async () => {
    const heard = await listen({ url: server.url('/g711') }, flows(1));
    assert.ok(heard.notes.some((note) => note.includes('pcma')));
  });

  test('[R10.1] audio alone', async () => {
    const heard = await listen({ url: server.url('/sound') }, flows(1));
    assert.equal(heard.tracks[0]?.[0]?.kind, 'audio');
  });
});

for (const scheme of ['basic', 'digest'] as const) {
  test(`[R10.1] GStreamer with ${scheme} authentication`, async () => {
    const server = await startGstServer({
      mounts: { '/cam': `( ${gstVideo('h264')} )` },
      auth: { scheme, ...auth },
    });
    try {
      await listen({ url: server.url('/cam'), credentials }, flows(1, 3));
      const wrong = { username: 'admin', password: 'wrong' };
      await assert.rejects(
        listen({ url: server.url('/cam'), credentials: wrong }, () => false),
        { code: 'HTTP_UNAUTHORIZED' },
      );
    } finally {
      await server.stop();
    }
  });
}

test('[R10.1] rtsps', async () => {
  const server = await startGstServer({
    mounts: { '/cam': `( ${gstVideo('h264')} )` },
    tls: { pem: selfSigned() },
  });
  try {
    await listen({ url: server.url('/cam') }, flows(1, 3));
  } finally {
    await server.stop();
  }
});

for (const scheme of ['rtsph', 'rtspsh'] as const) {
  test(`[R10.1] RTSP over HTTP${scheme === 'rtspsh' ? 'S' : ''}, with sign-in inside`, async () => {
    const server = await startGstServer({
      mounts: { '/cam': `( ${gstVideo('h264')} ${gstAudio('aac')} )` },
      auth: { scheme: 'digest', ...auth },
      ...(scheme === 'rtspsh' && { tls: { pem: selfSigned() } }),
    });
    try {
      const url = `${scheme}://127.0.0.1:${server.port}/cam`;
      const heard = await listen({ url, credentials }, flows(2, 45));
      assert.equal(heard.cause, 'stopped');
      assert.equal(heard.lostPackets, 0);
      assert.ok(heard.samples.some(({ trackId, isKey }) => trackId === 1 && isKey));
      assertGrowing(heard, 1);
      assertGrowing(heard, 2);
      const wrong = { username: 'admin', password: 'wrong' };
      await assert.rejects(
        listen({ url, credentials: wrong }, () => false),
        { code: 'HTTP_UNAUTHORIZED' },
      );
    } finally {
      await server.stop();
    }
  });
}

test('a session survives its timeout, because it is kept alive', async () => {
  const server = await startGstServer({ mounts: { '/cam': `( ${gstVideo('h264')} )` }, timeoutSeconds: 3 });
  try {
    const secondsHeard = (heard: Heard) =>
      ((heard.samples.at(-1)?.dts ?? 0) - (heard.samples[0]?.dts ?? 0)) / 90_000;
    const heard = await listen({ url: server.url('/cam') }, (now) => secondsHeard(now) > 6);
    assert.equal(heard.cause, 'stopped');
    assert.equal(heard.tracks.length, 1);
  } finally {
    await server.stop();
  }
});

test('a server that drops its clients is detected by the closed connection', async () => {
  const server = await startGstServer({ mounts: { '/cam': `( ${gstVideo('h264')} )` }, dropEverySeconds: 1 });
  try {
    await assert.rejects(
      listen({ url: server.url('/cam') }, () => false),
      { code: 'EHOSTUNREACH' },
    );
  } finally {
    await server.stop();
  }
});

/** A self-signed certificate and its key, as on cameras. */
function selfSigned(): string {
  const folder = mkdtempSync(join(tmpdir(), 'vidette-tls-'));
  try {
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const subject = ['-subj', '/CN=camera', '-days', '2'];
    execFileSync(
      'openssl',
      ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-keyout', key, '-out', certificate, ...subject],
      { stdio: 'ignore' },
    );
    return readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}
