import type { TunnelLocation } from '@vidette/contract/tunnel';

/** The contents of a relay's form: strings, and booleans for switches. */
export interface RelayValues {
  readonly name: string;
  readonly host: string;
  readonly port: string;
  readonly user: string;
  readonly hostKey: string;
  readonly bindHost: string;
  readonly bindPort: string;
  readonly publicUrl: string;
  readonly trustProxy: boolean;
}

export function valuesOf(location: TunnelLocation): RelayValues {
  return {
    name: location.name === location.code ? '' : location.name,
    host: location.host ?? '',
    port: String(location.port),
    user: location.user,
    hostKey: location.hostKey ?? '',
    bindHost: location.bindHost,
    bindPort: String(location.bindPort),
    publicUrl: location.publicUrl ?? '',
    trustProxy: location.trustProxy,
  };
}

/**
 * A location in the form that the configuration takes; input that is not a number is sent as typed, so that the
 * server names the error.
 */
function configuredOf(code: string, values: RelayValues): Record<string, unknown> {
  const { name, host, hostKey, publicUrl, port, bindPort, user, bindHost, trustProxy } = values;
  return {
    code,
    name: orNull(name),
    host: orNull(host),
    port: numberOf(port),
    user: user.trim(),
    hostKey: orNull(hostKey),
    bindHost: bindHost.trim(),
    bindPort: numberOf(bindPort),
    publicUrl: orNull(publicUrl),
    trustProxy,
  };
}

/** All locations in the form that the configuration takes, one of them with new values. */
export function locationsWith(
  locations: readonly TunnelLocation[],
  code: string,
  values: RelayValues,
): Record<string, unknown>[] {
  return locations.map((location) =>
    configuredOf(location.code, location.code === code ? values : valuesOf(location)),
  );
}

function orNull(text: string): string | null {
  return text.trim() === '' ? null : text.trim();
}

function numberOf(text: string): number | string {
  return /^\d+$/.test(text.trim()) ? Number(text) : text;
}
