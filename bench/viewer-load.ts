import { LiveViewer } from '../e2e/live-viewer.ts';
import type { Nodes } from '../e2e/nodes.ts';

/**
 * Load on one node, which has few of the streams but serves all: two live viewers of each, and endless
 * downloads.
 */
export async function underLoad(
  nodes: Nodes,
  asked: string,
  uids: readonly string[],
  run: () => Promise<void>,
): Promise<void> {
  const viewers = await Promise.all(
    [...uids, ...uids].map((uid) => LiveViewer.watch(nodes.server(asked), nodes.cookie, uid)),
  );
  let isOver = false;
  const downloads = uids.map(async (uid) => {
    while (!isOver) {
      const query = { start_time: Date.now() - 60_000, end_time: Date.now() };
      // On a busy machine one may fail: it is only load, not what the bench measures.
      const reply = await nodes
        .client(asked)
        .downloadArchive({ params: { uid }, query })
        .catch(() => undefined);
      await reply?.arrayBuffer().catch(() => undefined);
    }
  });
  try {
    await run();
  } finally {
    isOver = true;
    await Promise.all(downloads);
    for (const viewer of viewers) viewer.close();
  }
}
