import type { ConfigStore } from '../../config/config-store.ts';
import { changesBetween } from '../../system/audit-changes.ts';
import type { Registrar } from '../registrar.ts';

/** The dependencies of the configuration calls. */
export interface ConfigurationServices {
  readonly configStore: Pick<ConfigStore, 'view' | 'save'>;
}

/** The configuration, read and written by administrators [R7.46]. */
export function registerConfiguration(
  registrar: Registrar,
  { configStore: store }: ConfigurationServices,
): void {
  registrar.handle('getConfiguration', () => store.view());

  registrar.handle('saveConfiguration', async ({ body, audit }) => {
    const before = await store.view();
    const { changedKeys, pendingRestart } = await store.save(body.values);
    const changes = changesBetween(before.values, (await store.view()).values);
    // Of a secret only the fact that it changed.
    for (const key of changedKeys) changes[key] ??= ['***', '***'];
    audit.details = { keys: changedKeys, changes };
    return { pendingRestart };
  });
}
