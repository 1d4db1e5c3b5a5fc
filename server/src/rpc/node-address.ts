import { hostname } from 'node:os';

/**
 * The address at which other nodes reach this one: as configured, else the machine's name, or the listening
 * address if that is a specific one.
 * @param url of the page here, with the actual port
 */
export function nodeAddress(configured: string | null, host: string, url: string): string {
  if (configured !== null) return configured;
  const own = new URL('/', url);
  if (host === '0.0.0.0' || host === '::') own.hostname = hostname();
  return own.href;
}
