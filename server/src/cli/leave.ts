import { existsSync } from 'node:fs';
import { readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { replaceFile } from '../base/durable.ts';
import { configFileName } from '../config/load.ts';
import type { Config } from '../config/schema.ts';
import { nodeKeyFile } from '../rpc/node-key.ts';
import { databasePlace, sqliteFileName } from '../store/open-database.ts';
import { keyFileName } from '../store/seal.ts';
import { Store } from '../store/store.ts';

/**
 * `vidette leave`: removes a drained and stopped node from the cluster, and the cluster from its folder. Its
 * recordings stay in the folder. Resolves to the exit code.
 */
export async function leave(config: Config, out: (line: string) => void): Promise<number> {
  const { id } = config.node;
  if (config.database === null) {
    out('This server is not in a cluster.');
    return 1;
  }
  const store = await Store.open({ ...databasePlace(config), redact: () => '' });
  try {
    const node = await store.nodes.byId(id);
    const hasOthers = (await store.nodes.all()).some((other) => other.id !== id);
    if (node && hasOthers && (await store.nodes.streamCounts()).has(id)) {
      out(`The node ${id} still has streams: drain it on the page, then stop it.`);
      return 1;
    }
    if (await store.nodes.isThere(id)) {
      out(`The node ${id} is running: stop it first. A killed node is released after some seconds.`);
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
  // Only the cluster needs it, unless this server has a database of its own.
  if (!existsSync(join(config.dataDir, sqliteFileName))) {
    await rename(join(config.dataDir, keyFileName), join(config.dataDir, `${keyFileName}.left`)).catch(
      (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      },
    );
  }
  out(`The node ${id} has left. Its recordings stay in its data folder.`);
  return 0;
}
