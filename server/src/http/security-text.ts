import type { FastifyInstance } from 'fastify';
import { Fault } from '../base/fault.ts';
import type { Clock } from '../base/clock.ts';
import type { Config } from '../config/schema.ts';

/** The dependencies of the file. */
export interface SecurityTextServices {
  readonly config: Pick<Config, 'app' | 'publicUrl'>;
  readonly clock: Clock;
}

export const securityTextPath = '/.well-known/security.txt';

const dayMs = 86_400_000;
/** Readers are to ask again after this time; the standard recommends less than a year. */
const validDays = 30;

/** `GET /.well-known/security.txt` (RFC 9116), for everybody: where to report vulnerabilities, if that is configured. */
export function serveSecurityText(server: FastifyInstance, { config, clock }: SecurityTextServices): void {
  server.get(securityTextPath, async (_, reply) => {
    const text = securityText(config, clock.wallMs());
    if (text === undefined) throw new Fault('NotFound', 'No contact for vulnerabilities is configured.');
    return reply.header('cache-control', 'no-cache').type('text/plain; charset=utf-8').send(text);
  });
}

/** The file (RFC 9116, 2.5); undefined without a contact. `Expires` changes once a day. */
export function securityText(
  { app, publicUrl }: SecurityTextServices['config'],
  nowMs: number,
): string | undefined {
  if (app.securityContact === null) return undefined;
  const expires = new Date((Math.floor(nowMs / dayMs) + validDays) * dayMs);
  const lines = [`Contact: ${app.securityContact}`, `Expires: ${expires.toISOString()}`];
  // Web addresses in this file must begin with https.
  if (publicUrl?.startsWith('https:')) {
    lines.push(`Policy: ${new URL('/ui/help/security.html', publicUrl).href}`);
    lines.push(`Canonical: ${new URL(securityTextPath, publicUrl).href}`);
  }
  return `${lines.join('\n')}\n`;
}
