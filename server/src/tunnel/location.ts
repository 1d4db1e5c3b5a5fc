import type { Config } from '../config/schema.ts';

/** A relay as configured. */
export type ConfiguredLocation = Config['tunnel']['locations'][number];

/** A location with an address: the tunnel may connect to it, if only to obtain its host key. */
export type ReadyLocation = ConfiguredLocation & { readonly host: string };

export function isReady(location: ConfiguredLocation): location is ReadyLocation {
  return location.host !== null;
}

/**
 * The line that allows a key to listen on the port of this location and to do nothing else on the relay
 * (sshd(8), AUTHORIZED_KEYS FILE FORMAT): no command, no terminal, and no forwarding except to a port on which
 * nothing listens, because "none" is not allowed there.
 */
export function authorizedKeyLine(location: ConfiguredLocation, publicKey: string): string {
  const host = location.bindHost.includes(':') ? `[${location.bindHost}]` : location.bindHost;
  const options = [
    'restrict',
    'port-forwarding',
    `permitlisten="${host}:${location.bindPort}"`,
    'permitopen="localhost:1"',
    'command="/usr/sbin/nologin"',
  ];
  return `${options.join(',')} ${publicKey}`;
}
