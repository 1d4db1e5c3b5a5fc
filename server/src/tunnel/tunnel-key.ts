import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { replaceFile } from '../base/durable.ts';

export const tunnelKeyFile = 'tunnel.key';

/** The Ed25519 key pair that identifies this server to relays, in OpenSSH's own formats. */
export interface TunnelKey {
  readonly privateKey: string;
  /** `ssh-ed25519 AAAA... vidette`, as in `authorized_keys`. */
  readonly publicKey: string;
}

/**
 * Reads the pair from the data folder; created there on first use, in a file that only its owner can read.
 * @throws system errors, and an Error when the file contains something else
 */
export async function loadTunnelKey(dataDir: string): Promise<TunnelKey> {
  const file = join(dataDir, tunnelKeyFile);
  const privateKey = (await readIfThere(file)) ?? (await makeKey(file));
  const parsed = ssh2.utils.parseKey(privateKey);
  if (parsed instanceof Error || parsed.type !== 'ssh-ed25519' || !parsed.isPrivateKey()) {
    throw new Error(`${file} contains no Ed25519 key: remove it, and the server creates a new one.`);
  }
  return { privateKey, publicKey: `ssh-ed25519 ${parsed.getPublicSSH().toString('base64')} vidette` };
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    const text = await readFile(file, 'utf8');
    // A restore or a careless copy may have made it readable by others.
    await chmod(file, 0o600);
    return text;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** The file is created atomically: half a key would disable the tunnel permanently. */
async function makeKey(file: string): Promise<string> {
  const { private: text } = ssh2.utils.generateKeyPairSync('ed25519', { comment: 'vidette' });
  await replaceFile(file, text, 0o600);
  return text;
}
