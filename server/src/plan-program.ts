/**
 * A program that reads the configuration for the supervisor, and ends. What it loads for that (the schema's library, the
 * YAML parser) takes 15 MB, which the supervisor would keep for as long as the server runs; of a thread that ended, as much
 * would remain.
 */
import type { PlanAnswer } from './processes/plan.ts';

const { planOf } = await import('./compose/server-plan.ts');
const answer: PlanAnswer = await planOf(process.env).then(
  (plan) => ({ plan }),
  ({ name, message, stack }: Error) => ({ failure: { name, message, stack } }),
);
process.stdout.write(JSON.stringify(answer));
