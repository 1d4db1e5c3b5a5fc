import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { EngineNumbers } from './engine-count.ts';

/** What the supervisor has to know of the configuration. */
export interface ServerPlan extends EngineNumbers {
  readonly dataDir: string;
  /** Paths of files, of which each engine locks one while it may record. */
  readonly locks: readonly string[];
}

/** What the program that reads the configuration prints, as JSON. It may be of the next version: members are only added. */
export type PlanAnswer =
  | { readonly plan: ServerPlan }
  | {
      readonly failure: {
        readonly name: string;
        readonly message: string;
        readonly stack?: string | undefined;
      };
    };

const program = fileURLToPath(new URL('../plan-main.ts', import.meta.url));

/** Has a process read the configuration. @throws ConfigError */
export async function readPlan(): Promise<ServerPlan> {
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  const answer = JSON.parse(stdout) as PlanAnswer;
  if ('failure' in answer) throw Object.assign(new Error(), answer.failure);
  return answer.plan;
}
