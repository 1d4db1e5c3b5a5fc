import type { Config } from '../config/schema.ts';

/** A relay as configured. */
export type ConfiguredLocation = Config['tunnel']['locations'][number];

/** One that has an address: the tunnel may try it, if only to learn its host key. */
export type ReadyLocation = ConfiguredLocation & { readonly host: string };

export function isReady(location: ConfiguredLocation): location is ReadyLocation {
  return location.host !== null;
}

/**
 * The line that lets a key listen on the one port of this location and do nothing else on the relay
 * (sshd(8), AUTHORIZED_KEYS FILE FORMAT).
 */
export function authorizedKeyLine(location: ConfiguredLocation, publicKey: string): string {
  const host = location.bindHost.includes(':') ? `[${location.bindHost}]` : location.bindHost;
  return `restrict,port-forwarding,permitlisten="${host}:${location.bindPort}" ${publicKey}`;
}
