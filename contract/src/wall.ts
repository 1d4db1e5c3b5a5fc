import { z } from 'zod';
import { Uid } from './entities.ts';

/**
 * Messages that a page sends to a wall's socket (`watchWall`), as JSON text. Channels are numbered by the page,
 * each number used once. The socket answers with the text messages of a single stream's socket, each with its
 * `channel` added, and with binary messages: a channel number (`wallLimits.headerBytes`, big-endian) followed
 * by the payload of the single stream's socket. `{"type":"alive"}` is sent every few seconds in any case.
 */
export const WallRequest = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('watch'),
    channel: z.int().min(0).max(0xffff_ffff),
    uid: Uid,
    /** `sub` means the sub-stream if the stream has one, else the main stream as well. */
    picture: z.enum(['main', 'sub']),
    /** Key frames only. */
    keyFrames: z.boolean(),
    audio: z.boolean(),
    /** Transcoded on the server for this viewer, to a codec that every browser can decode. */
    convert: z.boolean(),
  }),
  z.strictObject({ type: z.literal('leave'), channel: z.int().min(0).max(0xffff_ffff) }),
]);

export type WallRequest = z.infer<typeof WallRequest>;
