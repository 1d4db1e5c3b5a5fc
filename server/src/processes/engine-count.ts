import type { Config } from '../config/schema.ts';

/**
 * How many engine processes this server has; 0: streams run in the process that serves everything else. A node of a
 * cluster has none: an engine that goes on without its front would not notice that the node's lease has expired.
 */
export function engineCount({ engine, database }: Pick<Config, 'engine' | 'database'>): number {
  return database === null ? engine.processes : 0;
}
