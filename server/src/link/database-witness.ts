import { z } from 'zod';
import type { Link } from './link.ts';

/** Below the link's path. */
export const witnessPath = 'lease';
const answerMs = 1_000;

const Witness = z.object({ reachesDatabase: z.boolean() });

/** What a node says of the database. */
export type Witness = z.infer<typeof Witness>;

/** Whether one of these nodes says that the database answers it. Who is away, or too old to know the question, says nothing. */
export async function anyReachesDatabase(
  link: Pick<Link, 'askJson'>,
  nodes: readonly string[],
): Promise<boolean> {
  const asked = nodes.map(async (node) => {
    if (!(await reaches(link, node))) throw new Error('It does not reach it either.');
  });
  return Promise.any(asked).then(
    () => true,
    () => false,
  );
}

/** Whether each of these nodes says that the database does not answer it. One that is away could hide anything. */
export async function noneReachesDatabase(
  link: Pick<Link, 'askJson'>,
  nodes: readonly string[],
): Promise<boolean> {
  return Promise.all(nodes.map((node) => reaches(link, node))).then(
    (answers) => !answers.includes(true),
    () => false,
  );
}

async function reaches(link: Pick<Link, 'askJson'>, node: string): Promise<boolean> {
  const answer = await link.askJson(node, { path: witnessPath, timeoutMs: answerMs });
  return Witness.parse(answer).reachesDatabase;
}
