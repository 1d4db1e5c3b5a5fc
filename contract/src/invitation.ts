import { z } from 'zod';
import { TimeMs } from './entities.ts';
import { like } from './example.ts';

/** An unused code with which a server can join. */
export const ClusterInvitation = z.object({
  id: z.string().describe('Not the code, which only the creator of the invitation gets, once'),
  createdTime: TimeMs,
  createdBy: z.string().nullable().describe('Null: made on the machine of a node').meta(like('maria')),
  expiresTime: TimeMs,
});
export type ClusterInvitation = z.infer<typeof ClusterInvitation>;
