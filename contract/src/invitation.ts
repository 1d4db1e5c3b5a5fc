import { z } from 'zod';
import { TimeMs } from './entities.ts';
import { like } from './example.ts';

/** An unused code with which a server can join. */
export const ClusterInvitation = z.object({
  id: z
    .string()
    .describe('Identifies the invitation; not the code, which is returned only once, to its creator'),
  createdTime: TimeMs,
  createdBy: z.string().nullable().describe('null: created on a node’s machine').meta(like('maria')),
  expiresTime: TimeMs,
});
export type ClusterInvitation = z.infer<typeof ClusterInvitation>;
