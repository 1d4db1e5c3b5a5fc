import type { MessageLanguage } from '@vidette/contract/errors';
import type { TunnelStatus } from '@vidette/contract/tunnel';
import { knownReason } from '../../base/known-reasons.ts';
import type { Registrar } from '../registrar.ts';
import type { LicenseService } from '../../system/license.ts';
import type { Tunnel } from '../../tunnel/tunnel.ts';

/** The dependencies of the remote access calls. */
export interface TunnelServices {
  readonly license: Pick<LicenseService, 'requireFeature'>;
  readonly tunnel: Pick<Tunnel, 'start' | 'stop' | 'status'>;
}

/** Remote access through a relay [R4.6, R6.7, R7.48]. */
export function registerTunnel(registrar: Registrar, { license, tunnel }: TunnelServices): void {
  registrar.handle('startTunnel', async ({ body, audit, language }) => {
    audit.target = body?.location ?? null;
    license.requireFeature('tunnel');
    await tunnel.start(body?.location);
    const status = await tunnel.status();
    audit.target = status.location;
    return inWords(status, language);
  });

  registrar.handle('stopTunnel', async ({ audit, language }) => {
    audit.target = (await tunnel.status()).location;
    await tunnel.stop();
    return inWords(await tunnel.status(), language);
  });

  registrar.handle('getTunnelStatus', async ({ language }) => {
    license.requireFeature('tunnel');
    return inWords(await tunnel.status(), language);
  });
}

/** With the reason in the reader's language. */
function inWords(status: TunnelStatus, language: MessageLanguage): TunnelStatus {
  const { failureReason } = status;
  if (failureReason === null) return status;
  return { ...status, failureReason: knownReason(failureReason, language) ?? null };
}
