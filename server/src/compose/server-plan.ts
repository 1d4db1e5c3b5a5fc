import { join } from 'node:path';
import { catalogPath, recorderLockPath } from '../archive/segments/segments.ts';
import { loadConfig } from '../config/load.ts';
import { engineNumbers } from '../processes/engine-count.ts';
import type { ServerPlan } from '../processes/plan.ts';

/** Each of 64 engines may have a successor for a while. */
const locksMax = 128;

/** @throws ConfigError */
export async function planOf(env: Readonly<Record<string, string | undefined>>): Promise<ServerPlan> {
  const config = await loadConfig(env);
  const catalog = catalogPath(join(config.dataDir, 'archive'));
  const locks = Array.from({ length: locksMax }, (_, number) => recorderLockPath(catalog, number));
  return { ...(await engineNumbers(config)), dataDir: config.dataDir, locks };
}
