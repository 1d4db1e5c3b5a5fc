import { z } from 'zod';
import { TimeMs } from './entities.ts';

/** Why a tunnel that should be up is not; the page has words for each. */
export const TunnelFailure = z.enum([
  'not-configured',
  'unlicensed',
  'unreachable',
  'host-key-unknown',
  'host-key-changed',
  'key-refused',
  'forwarding-refused',
  'connection-lost',
  'relay-silent',
  'relay-misbehaves',
]);

/** A relay that the tunnel may go through, as configured. */
export const TunnelLocation = z.object({
  code: z.string(),
  name: z.string(),
  host: z.string().nullable(),
  port: z.int(),
  user: z.string(),
  hostKey: z.string().nullable().describe('Fingerprint as `ssh-keygen -l` shows it; null: not known yet'),
  bindHost: z.string(),
  bindPort: z.int(),
  publicUrl: z.string().nullable(),
  trustProxy: z.boolean(),
  authorizedKey: z.string().describe("The line for the relay user's `authorized_keys`"),
});

export const TunnelStatus = z.object({
  status: z.enum(['stopped', 'starting', 'running', 'failed']),
  url: z.string().nullable().describe('Where people reach this server through the tunnel'),
  location: z.string().nullable().describe('Code of the relay that is in use; null while stopped'),
  failureReason: z.string().nullable(),
  failureCode: TunnelFailure.nullable(),
  presentedHostKey: z
    .string()
    .nullable()
    .describe('What the relay showed in place of the key that was expected'),
  sinceTime: TimeMs.nullable().describe('Since when it is as it is; null while stopped'),
  retryTime: TimeMs.nullable().describe('When it is tried next'),
  roundTripMs: z.number().nullable().describe('To the relay and back'),
  connections: z.int(),
  connectionsTotal: z.int().describe('Since the server started, as the bytes'),
  receivedBytes: z.int(),
  sentBytes: z.int(),
  reconnects: z.int(),
  locations: z.array(TunnelLocation),
});

export type TunnelFailure = z.infer<typeof TunnelFailure>;
export type TunnelLocation = z.infer<typeof TunnelLocation>;
export type TunnelStatus = z.infer<typeof TunnelStatus>;
