import { hostname } from 'node:os';

/**
 * Where other nodes reach this one: as configured, else by the name of the machine, or by the address that it listens on
 * when that is a certain one.
 * @param url of the page here, with the port that it really has
 */
export function nodeAddress(configured: string | null, host: string, url: string): string {
  if (configured !== null) return configured;
  const own = new URL('/', url);
  if (host === '0.0.0.0' || host === '::') own.hostname = hostname();
  return own.href;
}
