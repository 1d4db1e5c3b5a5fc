import { chmod, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import ssh2, { type ParsedKey } from 'ssh2';
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
 * @param generate creates a pair when there is none
 * @throws system errors, and an Error when the file contains something else
 */
export async function loadTunnelKey(dataDir: string, generate = generateEd25519): Promise<TunnelKey> {
  const file = join(dataDir, tunnelKeyFile);
  const privateKey = (await readIfThere(file)) ?? (await makeKey(file, generate));
  const parsed = parsedKey(privateKey);
  if (!parsed) {
    throw new Error(`${file} contains no Ed25519 key: remove it, and the server creates a new one.`);
  }
  return { privateKey, publicKey: `ssh-ed25519 ${parsed.getPublicSSH().toString('base64')} vidette` };
}

/** The private key in the text, unless it is another kind of key, or none. */
function parsedKey(text: string): ParsedKey | undefined {
  const parsed = ssh2.utils.parseKey(text);
  const isUsable = !(parsed instanceof Error) && parsed.type === 'ssh-ed25519' && parsed.isPrivateKey();
  return isUsable ? parsed : undefined;
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
async function makeKey(file: string, generate: () => Ed25519Pair): Promise<string> {
  const { private: text } = usablePair(generate);
  await replaceFile(file, text, 0o600);
  return text;
}

/** A new pair in OpenSSH's formats. */
export interface Ed25519Pair {
  readonly private: string;
  readonly public: string;
}

/**
 * A pair that can be read again. One of 256 that ssh2 generates can't: it removes leading zeros from the public
 * key, which always has 32 bytes (RFC 8709, 4; mscdex/ssh2 issue 1390).
 */
export function usablePair(generate = generateEd25519): Ed25519Pair {
  for (;;) {
    const pair = generate();
    if (parsedKey(pair.private)) return pair;
  }
}

function generateEd25519(): Ed25519Pair {
  return ssh2.utils.generateKeyPairSync('ed25519', { comment: 'vidette' });
}
