import { z } from 'zod';
import { TimeMs } from './entities.ts';
import { exampleMs, hourMs, like } from './example.ts';

/** Problems that need an operator's attention. */
export const HealthWarning = z.object({
  code: z.enum([
    'license-expires',
    'license-expired',
    'archive-disk-usage',
    'stream-not-recording',
    'stream-recorded-low',
    'cluster-node-drained',
    'cluster-node-clock',
    'tunnel-down',
    'far-archive',
    'archive-clock',
    'archive-undeletable',
    'archive-deletes-early',
    'archive-disk-missing',
    'archive-write-failed',
    'recording-shed',
    'trust-proxy',
    'tls-certificate',
    'data-disk-full',
    'server-overloaded',
    'target-failing',
    'mqtt-down',
  ]),
  expiresAt: TimeMs.nullable().meta(like(exampleMs + 720 * hourMs)),
  usedPercent: z.number().nullable().meta(like(null)),
  recordedPercent: z.number().nullable().describe('Recorded share of the last 24 hours of the stream'),
  subject: z
    .string()
    .nullable()
    .describe(
      'Uid of the stream, id of the node, code of the location or of the error, name of the target, or the problem with the certificate or the MQTT broker',
    )
    .meta(like('k3m9x2q7w5ab')),
  since: TimeMs.optional().describe('When it began; absent if that is not known'),
  figures: z
    .record(z.string(), z.number())
    .optional()
    .describe(
      'Further numbers in the warning: bytes of the archive and of other files on the disk, milliseconds that the clock is ahead, files that cannot be deleted, segments damaged in the S3 storage, the level of overload (see the server’s statistics), streams of which GOPs were dropped in the last ten minutes, and their frames',
    ),
});
export const Health = z.object({ version: z.string().meta(like('0.1.0')), warnings: z.array(HealthWarning) });

export type HealthWarning = z.infer<typeof HealthWarning>;
export type Health = z.infer<typeof Health>;
