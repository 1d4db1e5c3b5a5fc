import { z } from 'zod';
import { TimeMs } from './entities.ts';
import { like } from './example.ts';

/** Why a tunnel that should be up is not; the page has a text for each. */
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

/** A relay that the tunnel may use, as configured. */
export const TunnelLocation = z.object({
  code: z.string().meta(like('7KQW-M3XP')),
  name: z.string().meta(like('Gate')),
  host: z.string().nullable().meta(like('relay.example.org')),
  port: z.int().meta(like(22)),
  user: z.string().meta(like('maria')),
  hostKey: z
    .string()
    .nullable()
    .describe('Fingerprint as `ssh-keygen -l` shows it; null: not known yet')
    .meta(like('SHA256:4nF0vYp8W2q6hXk9dJ3sTzRbL7mUcE1oGiAxQyBtNwE')),
  bindHost: z.string().meta(like('localhost')),
  bindPort: z.int().meta(like(8_443)),
  publicUrl: z.string().nullable().meta(like('https://cams.example.org')),
  trustProxy: z.boolean(),
  authorizedKey: z.string().describe("The line for the relay user's `authorized_keys`"),
});

export const TunnelStatus = z.object({
  status: z.enum(['stopped', 'starting', 'running', 'failed']).meta(like('running')),
  url: z
    .string()
    .nullable()
    .describe('The address of this server through the tunnel')
    .meta(like('rtsp://192.0.2.30:554/stream1')),
  location: z.string().nullable().describe('Code of the relay in use; null while stopped').meta(like('RU')),
  failureReason: z.string().nullable().meta(like(null)),
  failureCode: TunnelFailure.nullable().meta(like(null)),
  presentedHostKey: z
    .string()
    .nullable()
    .describe('The fingerprint that the relay presented instead of the expected one')
    .meta(like(null)),
  sinceTime: TimeMs.nullable().describe('Time of the last change of state; null while stopped'),
  retryTime: TimeMs.nullable().describe('Time of the next attempt'),
  roundTripMs: z.number().nullable().describe('Round-trip time to the relay').meta(like(35)),
  connections: z.int().meta(like(2)),
  connectionsTotal: z.int().describe('Since the server started, as for the bytes').meta(like(40)),
  receivedBytes: z.int(),
  sentBytes: z.int(),
  reconnects: z.int().meta(like(2)),
  locations: z.array(TunnelLocation),
});

export type TunnelFailure = z.infer<typeof TunnelFailure>;
export type TunnelLocation = z.infer<typeof TunnelLocation>;
export type TunnelStatus = z.infer<typeof TunnelStatus>;
