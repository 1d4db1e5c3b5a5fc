import { AccessUnitBuilder } from '@vidette/media/rtp/access-unit';
import { sampleOf } from '@vidette/media/placed-sample';
import type { BlockPool } from '@vidette/media/sample-block';
import { videoTrack } from './sample-fixture.ts';
import { Stream } from './stream.ts';

/** Ticks from one frame of a `pooledSource` to the next. */
export const frameTicks = 3_600;

/** A hub that gets frames as a camera's connection makes them, in memory of this pool: each byte of a frame is its number. */
export function pooledSource(pool: BlockPool, track = videoTrack) {
  const builder = new AccessUnitBuilder(pool);
  const stream = new Stream('s');
  stream.setTracks([track]);
  let index = 0;
  const send = (size: number, isKey: boolean) => {
    builder.add(new Uint8Array(size).fill(index & 0xff), 0, size, true);
    const unit = builder.take(index, isKey, false);
    if (!unit) throw new Error('A frame was not made.');
    const dts = frameTicks * index++;
    const head = { trackId: track.id, dts, pts: dts, isKey, isDamaged: false, size: unit.size };
    stream.write(sampleOf(head, unit.bytes));
  };
  return { stream, send };
}
