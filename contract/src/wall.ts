import { z } from 'zod';
import { Uid } from './entities.ts';

/**
 * What a page asks of a wall's socket (`watchWall`), as JSON text. Channels are numbered by the page, each number
 * used once. The socket answers with the texts of a single stream's socket, each with its `channel` beside it, and
 * with binary messages of a channel's number (`wallLimits.headerBytes`, big-endian) and then what the single stream's
 * socket would carry. `{"type":"alive"}` comes every few seconds whatever happens.
 */
export const WallRequest = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('watch'),
    channel: z.int().min(0).max(0xffff_ffff),
    uid: Uid,
    /** `sub` means the sub-stream, where the stream has one; else it is the main one as well. */
    picture: z.enum(['main', 'sub']),
    /** Key frames only. */
    keyFrames: z.boolean(),
    audio: z.boolean(),
    /** With frames that every browser can decode, made on the server for this viewer. */
    convert: z.boolean(),
  }),
  z.strictObject({ type: z.literal('leave'), channel: z.int().min(0).max(0xffff_ffff) }),
]);

export type WallRequest = z.infer<typeof WallRequest>;
