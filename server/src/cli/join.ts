import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join as joinPaths } from 'node:path';
import { parseDocument } from 'yaml';
import { isErrorCode, messageOf } from '@vidette/contract/errors';
import { makeFolders, replaceFile } from '../base/durable.ts';
import { configFileName } from '../config/load.ts';
import { applyWith, joinPath } from '../rpc/invitation.ts';
import { loadNodeKey } from '../rpc/node-key.ts';
import { base64url, rpcPath } from '../rpc/signature.ts';
import { keyFileName, writeKey } from '../store/seal.ts';

export interface JoinOptions {
  readonly dataDir: string;
  /** The address of a node of the cluster, as in `https://north.example:8080`. */
  readonly address: string;
  readonly code: string;
  /** The name for this server. */
  readonly node: string;
  readonly out: (line: string) => void;
}

/**
 * `vidette join ADDRESS CODE NODE`: turns an empty data folder into that of a node: its key, the cluster's
 * secret, and the database in `vidette.yaml`. Resolves to the exit code.
 */
export async function join({ dataDir, address, code, node, out }: JoinOptions): Promise<number> {
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(node) || !URL.canParse(address)) {
    out(
      'Expected a name of up to 64 letters, digits, . _ -, and an address as in https://north.example:8080.',
    );
    return 2;
  }
  if (existsSync(joinPaths(dataDir, keyFileName))) {
    out(`${dataDir} already belongs to a server: a new node starts with an empty data folder.`);
    return 1;
  }
  await makeFolders(dataDir, 0o750);
  const key = await loadNodeKey(dataDir);
  const { question, open } = applyWith(code, { node, publicKey: base64url(key.publicBytes) });
  const reply = await post(new URL(`${rpcPath}${joinPath}`, address), question);
  if ('refusal' in reply) {
    out(reply.refusal);
    return 1;
  }
  const shared = open(reply.sealed);
  if (!shared) {
    out('The answer is not from the node that created the code.');
    return 1;
  }
  await writeKey(dataDir, Buffer.from(shared.secret, 'base64url'));
  await configure(joinPaths(dataDir, configFileName), node, shared.database);
  out(`This server is now the node ${node}: start it. The database is ${withoutPassword(shared.database)}.`);
  return 0;
}

async function post(url: URL, body: unknown): Promise<{ sealed: string } | { refusal: string }> {
  try {
    const reply = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = (await reply.json()) as { sealed?: string; code?: string };
    if (reply.ok && answer.sealed !== undefined) return { sealed: answer.sealed };
    const words =
      answer.code !== undefined && isErrorCode(answer.code) ? messageOf(answer.code, 'en') : reply.status;
    return {
      refusal: `The node refuses: ${words} A code is valid for a quarter of an hour, for one server.`,
    };
  } catch (error) {
    const { cause } = error as Error;
    return {
      refusal: `${url.origin} cannot be reached: ${String(cause instanceof Error ? cause.message : error)}`,
    };
  }
}

/** The file's existing content is kept, including comments. */
async function configure(file: string, node: string, database: string): Promise<void> {
  const document = parseDocument(existsSync(file) ? await readFile(file, 'utf8') : '');
  document.set('database', database);
  document.setIn(['node', 'id'], node);
  await replaceFile(file, String(document), 0o600);
}

function withoutPassword(database: string): string {
  return database.replace(/:[^:@/]*@/, ':***@');
}
