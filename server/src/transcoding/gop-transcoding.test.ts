import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import type { VideoTrack } from '@vidette/media/track';
import { systemClock } from '../base/clock.ts';
import { silentLog } from '../base/log.ts';
import { FfmpegPool } from '../ffmpeg/pool.ts';
import { encodeMessage, protocolVersion } from '../ffmpeg/protocol.ts';
import { transcodeGop } from './gop-transcoding.ts';

const greeting = encodeMessage({ type: 'hello', job: 0, version: protocolVersion }).toString('base64');
const ending = encodeMessage({ type: 'end', job: 1, end: { code: 'ProbeError', message: 'broken' } });

/** Transcodes a GOP of 12 MB in a child that does `onData`, JavaScript, with the first bytes. */
async function transcodeWith(onData: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-gop-'));
  const entry = join(folder, 'stand-in.mjs');
  await writeFile(
    entry,
    `import { Socket } from 'node:net';
     const pipe = new Socket({ fd: 3 });
     pipe.on('close', () => process.exit());
     pipe.on('error', () => process.exit());
     pipe.write(Buffer.from('${greeting}', 'base64'));
     const end = Buffer.from('${ending.toString('base64')}', 'base64');
     pipe.once('data', () => { ${onData} });`,
  );
  const pool = new FfmpegPool({ clock: systemClock, log: silentLog, entry });
  const track = { kind: 'video', id: 1, codec: 'h265', timescale: 90_000 } as VideoTrack;
  const samples = Array.from({ length: 12 }, (_, at) => ({
    trackId: 1,
    dts: at * 3600,
    pts: at * 3600,
    isKey: at === 0,
    isDamaged: false,
    data: [new Uint8Array(1024 * 1024)],
    size: 1024 * 1024,
  }));
  try {
    await transcodeGop([{ track, samples, endDts: 12 * 3600 }], pool, AbortSignal.timeout(30_000));
  } finally {
    await pool.dispose('the test is over');
    await rm(folder, { recursive: true });
  }
}

test('a child that dies while it is fed ends the transcoding', async () => {
  await assert.rejects(transcodeWith('process.kill(process.pid, "SIGKILL");'), { code: 'ProbeError' });
});

test('a job that fails while it is fed ends the transcoding', async () => {
  await assert.rejects(transcodeWith('pipe.write(end);'), { code: 'ProbeError' });
  await assert.rejects(transcodeWith('pipe.pause(); pipe.write(end);'), { code: 'ProbeError' });
});
