import type { ConfigKeeper } from '../../config/keeper.ts';
import type { Registrar } from '../registrar.ts';

/** The configuration, read and written by administrators [R7.46]. */
export function registerConfiguration(registrar: Registrar, keeper: ConfigKeeper): void {
  registrar.handle('getConfiguration', () => keeper.view());

  registrar.handle('saveConfiguration', async ({ body, audit }) => {
    const { changedKeys, pendingRestart } = await keeper.save(body.values);
    audit.details = { keys: changedKeys };
    return { pendingRestart };
  });
}
