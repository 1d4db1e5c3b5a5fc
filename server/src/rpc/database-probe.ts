import { z } from 'zod';
import type { NodeRpc } from './node-rpc.ts';

/** Below the link's path. */
export const databaseProbePath = 'lease';
const answerMs = 1_000;

const DatabaseProbe = z.object({ reachesDatabase: z.boolean() });

/** What a node says of the database. */
export type DatabaseProbe = z.infer<typeof DatabaseProbe>;

/** Whether one of these nodes says that the database answers it. Who is away, or too old to know the question, says nothing. */
export async function anyReachesDatabase(
  rpc: Pick<NodeRpc, 'askJson'>,
  nodes: readonly string[],
): Promise<boolean> {
  const asked = nodes.map(async (node) => {
    if (!(await reaches(rpc, node))) throw new Error('It does not reach it either.');
  });
  return Promise.any(asked).then(
    () => true,
    () => false,
  );
}

/** Whether each of these nodes says that the database does not answer it. One that is away could hide anything. */
export async function noneReachesDatabase(
  rpc: Pick<NodeRpc, 'askJson'>,
  nodes: readonly string[],
): Promise<boolean> {
  return Promise.all(nodes.map((node) => reaches(rpc, node))).then(
    (answers) => !answers.includes(true),
    () => false,
  );
}

async function reaches(rpc: Pick<NodeRpc, 'askJson'>, node: string): Promise<boolean> {
  const answer = await rpc.askJson(node, { path: databaseProbePath, timeoutMs: answerMs });
  return DatabaseProbe.parse(answer).reachesDatabase;
}
