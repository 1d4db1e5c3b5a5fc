import type { Sample } from '@vidette/media/sample';
import type { Track } from '@vidette/media/track';
import type { PauseCause } from '../hub/reader.ts';

/**
 * Live video between the processes of a server and between nodes: frames over a socket, or the body of one HTTP answer.
 *
 *     u32 LE  length of what follows
 *     u8      kind
 *     ...     tracks: JSON; sample: the head below and the coded bytes; pause: the cause; alive: four bytes of nothing
 *
 * Kinds that are not known are passed over, so that a later version may add some.
 */
export type WireEvent =
  | { readonly type: 'tracks'; readonly tracks: readonly Track[] }
  | { readonly type: 'sample'; readonly sample: Sample }
  | { readonly type: 'pause'; readonly cause: PauseCause }
  /** Nothing has happened for a while, and the node is alive. */
  | { readonly type: 'alive' };

const kinds = { tracks: 1, sample: 2, pause: 3, alive: 4 } as const;
const lengthBytes = 4;
/** u8 kind, u8 track, u8 flags, f64 dts, f64 pts. */
const sampleHeadBytes = 19;
const keyFlag = 1;
const damagedFlag = 2;

/** One event as the parts of one frame; the coded bytes are not copied. */
export function encodeEvent(event: WireEvent): Uint8Array[] {
  switch (event.type) {
    case 'tracks':
      return [textFrame(kinds.tracks, JSON.stringify(event.tracks.map(trackToJson)))];
    case 'pause':
      return [textFrame(kinds.pause, event.cause.padEnd(lengthBytes))];
    case 'alive':
      return [textFrame(kinds.alive, '    ')];
    case 'sample': {
      const { sample } = event;
      const head = Buffer.allocUnsafe(lengthBytes + sampleHeadBytes);
      head.writeUInt32LE(sampleHeadBytes + sample.size, 0);
      head[4] = kinds.sample;
      head[5] = sample.trackId;
      head[6] = (sample.isKey ? keyFlag : 0) | (sample.isDamaged ? damagedFlag : 0);
      head.writeDoubleLE(sample.dts, 7);
      head.writeDoubleLE(sample.pts, 15);
      return [head, ...sample.data];
    }
  }
}

/** One frame without its length; undefined for an unknown kind. @throws RangeError for an invalid frame */
export function decodeEvent(frame: Buffer): WireEvent | undefined {
  switch (frame[0] ?? 0) {
    case kinds.tracks:
      return { type: 'tracks', tracks: tracksFromJson(frame.toString('utf8', 1)) };
    case kinds.pause:
      return { type: 'pause', cause: frame.toString('utf8', 1).trimEnd() as PauseCause };
    case kinds.alive:
      return { type: 'alive' };
    case kinds.sample: {
      if (frame.length < sampleHeadBytes) throw new RangeError('A sample without a head.');
      const flags = frame[2] ?? 0;
      const data = frame.subarray(sampleHeadBytes);
      const sample: Sample = {
        trackId: frame[1] ?? 0,
        dts: frame.readDoubleLE(3),
        pts: frame.readDoubleLE(11),
        isKey: (flags & keyFlag) !== 0,
        isDamaged: (flags & damagedFlag) !== 0,
        data: [data],
        size: data.length,
      };
      return { type: 'sample', sample };
    }
    default:
      return undefined;
  }
}

function textFrame(kind: number, text: string): Buffer {
  const body = Buffer.from(text);
  const frame = Buffer.allocUnsafe(lengthBytes + 1 + body.length);
  frame.writeUInt32LE(1 + body.length, 0);
  frame[lengthBytes] = kind;
  frame.set(body, lengthBytes + 1);
  return frame;
}

function trackToJson(track: Track): object {
  return { ...track, config: Buffer.from(track.config).toString('base64') };
}

function tracksFromJson(text: string): Track[] {
  let tracks: unknown;
  try {
    tracks = JSON.parse(text);
  } catch (cause) {
    throw new RangeError('The tracks are not valid JSON.', { cause });
  }
  if (!Array.isArray(tracks)) throw new RangeError('The tracks are not a list.');
  return tracks.map(
    (track: { config: string }) =>
      ({ ...track, config: new Uint8Array(Buffer.from(track.config, 'base64')) }) as Track,
  );
}
