/**
 * `npm run bench reconnect [DROPS=5] [PERIOD=20]`: records a camera that drops its connection every PERIOD
 * seconds, over DROPS drops. There must be one gap per drop and no others, and each range must contain every
 * frame that the camera sent: none may be missing between its first and its last, by the times in the file.
 */
import { administratorOf, until } from '../e2e/api.ts';
import { download, framesOf } from '../e2e/footage.ts';
import { gstVideo, startGstServer } from '../e2e/rtsp/gst-server.ts';
import { startServer } from '../e2e/server.ts';

const reconnects = Number(process.argv[2] ?? 5);
const periodSeconds = Number(process.argv[3] ?? 20);
const framesPerSecond = 15;

const camera = await startGstServer({
  mounts: { '/cam': `( ${gstVideo('h264', { framesPerSecond })} )` },
  dropEverySeconds: periodSeconds,
});
const server = await startServer();
let isGood = true;
try {
  const { client } = await administratorOf(server);
  const { uid } = await client.addStream({ body: { name: 'Drops', streamSource: camera.url('/cam') } });
  const startMs = Date.now();
  const rangesNow = async () => {
    const query = { start_time: startMs, end_time: Date.now() + 60_000 };
    return client.getArchiveRanges({ params: { uid }, query });
  };
  /** The recording, oldest first; the last range may grow. */
  const recorded = async () => {
    const { ranges } = await rangesNow();
    return ranges.flatMap(({ date, status }, index) =>
      status === 'fragment' ? [{ startMs: date, endMs: ranges[index + 1]?.date ?? Date.now() }] : [],
    );
  };
  const limitMs = (reconnects + 2) * periodSeconds * 1_000 + 60_000;
  await until(recorded, ({ length }) => length > reconnects, limitMs);
  await client.pauseStream({ body: { uid } });
  const closings = (await client.getStreamLogs({ params: { uid } })).items.filter(({ message }) =>
    message.includes('closed the connection'),
  ).length;
  const pieces = await recorded();
  const { gaps } = await rangesNow();
  for (const [index, piece] of pieces.entries()) {
    const { footage } = await download(client, uid, piece);
    const times = framesOf(footage).packets.map(({ dts }) => dts);
    const steps = times.slice(1).map((dts, at) => dts - (times[at] ?? 0));
    const holes = steps.filter((step) => step * framesPerSecond > 1.5).length;
    const before = gaps.filter(({ endTime }) => index > 0 && endTime <= piece.startMs).at(-1);
    const gapMs = piece.startMs - (pieces[index - 1]?.endMs ?? piece.startMs);
    process.stdout.write(
      `${index === 0 ? '' : `gap of ${(gapMs / 1_000).toFixed(1)} s (${before?.cause}), then `}${((piece.endMs - piece.startMs) / 1_000).toFixed(1)} s: ` +
        `${times.length} frames, ${holes} holes, longest step ${(Math.max(...steps) * 1_000).toFixed(0)} ms${footage.consoleErrors}\n`,
    );
    if (holes > 0 || footage.consoleErrors !== '') isGood = false;
  }
  process.stdout.write(`${closings} drops, ${pieces.length - 1} gaps\n`);
  if (closings !== pieces.length - 1) isGood = false;
} finally {
  await server.stop();
  await camera.stop();
}
process.exit(isGood ? 0 : 1);
