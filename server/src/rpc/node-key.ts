import { chmod, readFile } from 'node:fs/promises';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { replaceFile } from '../base/durable.ts';
import { KeyPair, seedBytes } from '../base/key-pair.ts';

export const nodeKeyFile = 'node.key';

/**
 * The key pair that identifies this node to the others, from the data folder; created there on first use, in a
 * file that only its owner can read. @throws system errors, and an Error when the file contains something else
 */
export async function loadNodeKey(dataDir: string): Promise<KeyPair> {
  const file = join(dataDir, nodeKeyFile);
  const seed = (await readIfThere(file)) ?? (await makeSeed(file));
  if (seed.length !== seedBytes) {
    throw new Error(
      `${file} contains no key: remove the file, remove the node from the cluster, and let it join again.`,
    );
  }
  return new KeyPair(seed);
}

async function readIfThere(file: string): Promise<Buffer | undefined> {
  try {
    const seed = await readFile(file);
    // A restore or a careless copy may have made it readable by others.
    await chmod(file, 0o600);
    return seed;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The key pair of a server without other nodes, never used for identification. */
export function passingNodeKey(): KeyPair {
  return new KeyPair(randomBytes(seedBytes));
}

/** The file is created atomically. */
async function makeSeed(file: string): Promise<Buffer> {
  const seed = randomBytes(seedBytes);
  await replaceFile(file, seed, 0o600);
  return seed;
}
