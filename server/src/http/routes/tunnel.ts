import type { Registrar } from '../registrar.ts';
import type { TunnelService } from '../../tunnel/tunnel-service.ts';

/** The dependencies of the remote access calls. */
export interface TunnelServices {
  readonly tunnelService: TunnelService;
}

/** Remote access through a relay [R4.6, R6.7, R7.48]. */
export function registerTunnel(registrar: Registrar, { tunnelService }: TunnelServices): void {
  registrar.handle('startTunnel', ({ body, language, audit }) =>
    tunnelService.start(body?.location, language, audit),
  );

  registrar.handle('stopTunnel', ({ language, audit }) => tunnelService.stop(language, audit));

  registrar.handle('getTunnelStatus', ({ language }) => tunnelService.status(language));
}
