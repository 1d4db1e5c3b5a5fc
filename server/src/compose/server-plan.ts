import { join } from 'node:path';
import { catalogPath, recorderLockPaths } from '../archive/segments/segments.ts';
import { loadConfig } from '../config/load.ts';
import { engineNumbers } from '../processes/engine-count.ts';
import type { ServerPlan } from '../processes/plan.ts';

/** @throws ConfigError */
export async function planOf(env: Readonly<Record<string, string | undefined>>): Promise<ServerPlan> {
  const config = await loadConfig(env);
  const catalog = catalogPath(join(config.dataDir, 'archive'));
  return { ...(await engineNumbers(config)), dataDir: config.dataDir, locks: recorderLockPaths(catalog) };
}
