import type { Link } from './link.ts';

/** Below the link's path. */
export const witnessPath = 'lease';
const answerMs = 1_000;

/** What a node says of the database. */
export interface Witness {
  readonly reachesDatabase: boolean;
}

/** Whether one of these nodes says that the database answers it. Who is away, or too old to know the question, says nothing. */
export async function anyReachesDatabase(
  link: Pick<Link, 'askJson'>,
  nodes: readonly string[],
): Promise<boolean> {
  const asked = nodes.map(async (node) => {
    const witness = (await link.askJson(node, { path: witnessPath, timeoutMs: answerMs })) as Witness;
    if (!witness.reachesDatabase) throw new Error('It does not reach it either.');
  });
  return Promise.any(asked).then(
    () => true,
    () => false,
  );
}
