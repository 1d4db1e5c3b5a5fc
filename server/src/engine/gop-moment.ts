import type { Clock } from '../base/clock.ts';
import { GopHistory } from '../hub/gop-history.ts';
import type { Stream } from '../hub/stream.ts';

/** What another process needs to connect with a camera and be sent frames. */
const connectMs = 1_000;
/** A camera with fewer key frames is not waited for. */
const patienceMs = 60_000;
const historyMaxBytes = 16 * 1024 * 1024;

/**
 * Resolves at the moment at which a connection with the camera had better end if another process takes over and the camera
 * admits one connection: when that process can just be ready for the next key frame. All GOPs are taken to be as long as
 * the last one.
 */
export async function goodMomentToEnd(stream: Stream, clock: Clock): Promise<void> {
  const done = Promise.withResolvers<void>();
  const cancels = [clock.after(patienceMs, () => done.resolve())];
  const history: GopHistory = new GopHistory(stream, {
    maxBytes: historyMaxBytes,
    maxSeconds: 0,
    onGop: () => {
      const [before, newest] = history.gops.slice(-2);
      if (!before || !newest) return;
      const gopMs = ((newest.key.dts - before.key.dts) / newest.track.timescale) * 1000;
      cancels.push(clock.after(Math.max(0, gopMs - connectMs), () => done.resolve()));
    },
  });
  await done.promise;
  history.close();
  for (const cancel of cancels) cancel();
}
