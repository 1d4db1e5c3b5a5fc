import type { Registrar } from '../registrar.ts';
import type { Services } from '../services.ts';

/** The way in from outside, through a relay [R4.6, R6.7, R7.48]. */
export function registerTunnel(registrar: Registrar, { license, tunnel }: Services): void {
  registrar.handle('startTunnel', async ({ body, audit }) => {
    audit.target = body?.location ?? null;
    license.requireFeature('tunnel');
    await tunnel.start(body?.location);
    const status = await tunnel.status();
    audit.target = status.location;
    return status;
  });

  registrar.handle('stopTunnel', async ({ audit }) => {
    audit.target = (await tunnel.status()).location;
    await tunnel.stop();
    return tunnel.status();
  });

  registrar.handle('getTunnelStatus', () => {
    license.requireFeature('tunnel');
    return tunnel.status();
  });
}
