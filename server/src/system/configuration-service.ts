import type { ConfigStore, ConfigView } from '../config/config-store.ts';
import { changesBetween } from './audit-changes.ts';
import type { AuditNote } from './audit-event.ts';

export interface ConfigurationServiceOptions {
  readonly configStore: Pick<ConfigStore, 'view' | 'save'>;
}

/** The configuration as administrators read and change it, and what the audit log records of a change. */
export class ConfigurationService {
  readonly #options: ConfigurationServiceOptions;

  constructor(options: ConfigurationServiceOptions) {
    this.#options = options;
  }

  /** @throws Fault ValidationError when the file was broken by a manual edit */
  view(): Promise<ConfigView> {
    return this.#options.configStore.view();
  }

  /**
   * Changes the given keys; returns whether a restart is needed. @throws Fault ValidationError naming each key
   */
  async save(values: Readonly<Record<string, unknown>>, note: AuditNote): Promise<boolean> {
    const { configStore } = this.#options;
    const before = await configStore.view();
    const { changedKeys, pendingRestart } = await configStore.save(values);
    const changes = changesBetween(before.values, (await configStore.view()).values);
    // Of a secret only the fact that it changed.
    for (const key of changedKeys) changes[key] ??= ['***', '***'];
    note.details = { keys: changedKeys, changes };
    return pendingRestart;
  }
}
