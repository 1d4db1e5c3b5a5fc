import type { TunnelLocation } from '@vidette/contract/tunnel';

/** What stands in the fields of a relay's form: texts, but for what is a switch. */
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

/** A location as the configuration takes it; what is no number is sent as it was typed, for the server to name it. */
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

/** All locations as the configuration takes them, one of them with new values. */
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
