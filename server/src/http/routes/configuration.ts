import type { ConfigurationService } from '../../system/configuration-service.ts';
import type { Registrar } from '../registrar.ts';

/** The dependencies of the configuration calls. */
export interface ConfigurationServices {
  readonly configurationService: ConfigurationService;
}

/** The configuration, read and written by administrators [R7.46]. */
export function registerConfiguration(
  registrar: Registrar,
  { configurationService }: ConfigurationServices,
): void {
  registrar.handle('getConfiguration', () => configurationService.view());

  registrar.handle('saveConfiguration', async ({ body, audit }) => ({
    pendingRestart: await configurationService.save(body.values, audit),
  }));
}
