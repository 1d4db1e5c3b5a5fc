/**
 * Is each frame that is recorded, sent to viewers and packed for LL-HLS byte for byte one that the camera sent, although received
 * memory is used again? Viewers come and go, stop reading for a while, and ask for key frames, LL-HLS and snapshots, at random.
 *
 *   npm run bench intact [STREAMS=20] [SECONDS=60] [KBIT=4000]
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { addressOf } from '@vidette/contract/routes';
import { walkBoxes } from '@vidette/media/fmp4/box';
import { parseFragmentHeader } from '@vidette/media/fmp4/read-moof';
import { administratorOf } from '../e2e/api.ts';
import { LiveViewer } from '../e2e/live-viewer.ts';
import { startServer, type TestServer } from '../e2e/server.ts';
import { LoadCameras } from './load-cameras.ts';
import { framesPerSecond, loadMedia } from './load-media.ts';
import { addRecordedStreams, awaitRecording, endWithVerdict, problem } from './nothing-lost.ts';

const [streams = 20, seconds = 60, kbitPerSecond = 4_000] = process.argv.slice(2).map(Number);
const settleMs = 3_000;

const hashOf = (bytes: Uint8Array) => createHash('sha1').update(bytes).digest('base64');
/** ITU-T H.264, table 7-1: slices, with and without IDR. */
const isSlice = (nal: Uint8Array) => [1, 5].includes((nal[0] ?? 0) & 0x1f);

const { frames } = loadMedia(kbitPerSecond);
const sent = new Set(frames.flat().filter(isSlice).map(hashOf));

/** Checks each video frame of the fragments in these bytes, and counts them. */
function checkFragments(bytes: Uint8Array, where: string): number {
  let count = 0;
  for (const box of walkBoxes(bytes)) {
    if (box.type !== 'moof') continue;
    const [video] = parseFragmentHeader(bytes.subarray(box.offset, box.offset + box.size)).tracks;
    let at = box.offset + (video?.dataOffset ?? 0);
    for (const { size } of video?.samples ?? []) {
      count++;
      if (!isSent(bytes.subarray(at, at + size))) problem(`${where}: frame ${count} differs`);
      at += size;
    }
  }
  return count;
}

/** A sample in length-prefixed NAL units (ISO/IEC 14496-15) of four bytes. */
function isSent(sample: Uint8Array): boolean {
  const view = new DataView(sample.buffer, sample.byteOffset, sample.byteLength);
  for (let at = 0; at < sample.length;) {
    const end = at + 4 + view.getUint32(at);
    const nal = sample.subarray(at + 4, end);
    if (nal.length === 0 || end > sample.length || (isSlice(nal) && !sent.has(hashOf(nal)))) return false;
    at = end;
  }
  return true;
}

const random = (below: number) => Math.floor(Math.random() * below);
const counts = { viewers: 0, frames: 0, parts: 0, snapshots: 0, recorded: 0 };

/** A person who watches one stream after the other until it is over. */
async function watch(
  server: TestServer,
  cookie: string,
  uids: readonly string[],
  untilMs: number,
): Promise<void> {
  while (Date.now() < untilMs) {
    const uid = uids[random(uids.length)] ?? '';
    const viewer = await LiveViewer.watch(server, cookie, uid, random(4) === 0 ? { keyframes: true } : {});
    await pause(random(3_000));
    if (random(3) === 0) {
      viewer.stopReading();
      await pause(random(8_000));
      viewer.resumeReading();
      await pause(1_000);
    }
    viewer.close();
    counts.viewers++;
    for (const { fragments } of viewer.media)
      counts.frames += checkFragments(Buffer.concat(fragments), `a viewer of ${uid}`);
  }
}

/** A player of LL-HLS and a page that loads snapshots. */
async function fetchFiles(
  server: TestServer,
  cookie: string,
  uids: readonly string[],
  untilMs: number,
): Promise<void> {
  const get = async (path: string) => {
    const reply = await fetch(new URL(path, server.url), { headers: { cookie } });
    return { isOk: reply.ok, bytes: Buffer.from(await reply.arrayBuffer()) };
  };
  for (let turn = 0; Date.now() < untilMs; turn++) {
    const uid = uids[turn % uids.length] ?? '';
    const list = await get(addressOf('getLiveFile', { uid, file: 'media.m3u8' }, {}));
    for (const [, file = ''] of list.bytes.toString().matchAll(/URI="((?:segment|part)-[^"]+)"/g)) {
      const part = await get(addressOf('getLiveFile', { uid, file }, {}));
      if (!part.isOk) continue;
      counts.parts++;
      checkFragments(part.bytes, `${file} of ${uid}`);
    }
    const snapshot = await get(addressOf('getStreamPicture', { uid }, { width: 320 }));
    if (snapshot.isOk) counts.snapshots++;
  }
}

async function checkRecorded(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true })) {
    if (entry.endsWith('.mp4')) counts.recorded += checkFragments(await readFile(join(folder, entry)), entry);
  }
}

const server = await startServer();
const cameras = await LoadCameras.start(streams, kbitPerSecond, 3_600 * framesPerSecond);
try {
  const { client, cookie } = await administratorOf(server);
  const uids = await addRecordedStreams(client, cameras.urls);
  await awaitRecording(client, uids, Date.now());
  const untilMs = Date.now() + seconds * 1_000;
  const people = Array.from({ length: 12 }, () => watch(server, cookie, uids, untilMs));
  await Promise.all([...people, fetchFiles(server, cookie, uids, untilMs)]);
  cameras.stop();
  await pause(settleMs);
  await checkRecorded(server.dataDir);
  console.log(
    `${counts.recorded} recorded frames, ${counts.frames} frames of ${counts.viewers} viewers, ${counts.parts} parts and ` +
      `${counts.snapshots} snapshots compared`,
  );
  endWithVerdict('Each of them is a frame that a camera sent.');
} finally {
  cameras.stop();
  await server.stop();
}
