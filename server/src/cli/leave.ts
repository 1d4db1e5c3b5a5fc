import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { replaceFile } from '../base/durable.ts';
import { configFileName } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { nodeKeyFile } from '../link/node-key.ts';
import { databasePlace } from '../store/open-database.ts';
import { Store } from '../store/store.ts';

/**
 * `vidette leave`: a node that was drained and stopped is forgotten by the others, and this folder forgets them. What it
 * recorded stays in the folder. Resolves to the exit code.
 */
export async function leave(config: Config, out: (line: string) => void): Promise<number> {
  const { id } = config.node;
  if (config.database === null) {
    out('This server is in no cluster.');
    return 1;
  }
  const store = await Store.open({ ...databasePlace(config), redact: () => '' });
  try {
    const node = await store.nodes.byId(id);
    if (node && (await store.nodes.streamCounts()).has(id)) {
      out(`The node ${id} still has streams: drain it on the page, then stop it.`);
      return 1;
    }
    if (node && node.lease_until_ms > 0) {
      out(
        `The node ${id} runs: stop it first. One that was killed is forgotten on the page of another node.`,
      );
      return 1;
    }
    await store.nodes.remove(id);
  } finally {
    await store.close();
  }
  const file = join(config.dataDir, configFileName);
  const document = parseDocument(await readFile(file, 'utf8').catch(() => ''));
  if (document.delete('database')) await replaceFile(file, String(document), 0o600);
  await rm(join(config.dataDir, nodeKeyFile), { force: true });
  out(`The node ${id} has left. What it recorded lies in its data folder.`);
  return 0;
}
