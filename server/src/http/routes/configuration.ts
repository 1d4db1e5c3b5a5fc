import type { ConfigKeeper } from '../../config/keeper.ts';
import { changesBetween } from '../audit-changes.ts';
import type { Registrar } from '../registrar.ts';

/** The configuration, read and written by administrators [R7.46]. */
export function registerConfiguration(registrar: Registrar, keeper: ConfigKeeper): void {
  registrar.handle('getConfiguration', () => keeper.view());

  registrar.handle('saveConfiguration', async ({ body, audit }) => {
    const before = await keeper.view();
    const { changedKeys, pendingRestart } = await keeper.save(body.values);
    const changes = changesBetween(before.values, (await keeper.view()).values);
    // Of a secret only that it changed.
    for (const key of changedKeys) changes[key] ??= ['***', '***'];
    audit.details = { keys: changedKeys, changes };
    return { pendingRestart };
  });
}
