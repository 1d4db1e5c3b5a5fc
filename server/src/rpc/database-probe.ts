import { z } from 'zod';
import type { NodeRpc } from './node-rpc.ts';

/** Path of the call between nodes. */
export const databaseProbePath = 'lease';
const answerMs = 1_000;

const DatabaseProbe = z.object({ reachesDatabase: z.boolean() });

/** What a node reports about the database. */
export type DatabaseProbe = z.infer<typeof DatabaseProbe>;

/**
 * Whether one of these nodes reports that the database answers it. Nodes that are unavailable, or too old for
 * the call, don't count.
 */
export async function anyReachesDatabase(
  rpc: Pick<NodeRpc, 'askJson'>,
  nodes: readonly string[],
): Promise<boolean> {
  const asked = nodes.map(async (node) => {
    if (!(await reaches(rpc, node))) throw new Error('This node does not reach it either.');
  });
  return Promise.any(asked).then(
    () => true,
    () => false,
  );
}

/**
 * Whether each of these nodes reports that the database does not answer it. An unavailable node makes this
 * false.
 */
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
