import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, createClient, type Client } from '@vidette/contract/client';
import { YAMLParseError } from 'yaml';
import { shownSource } from '../../dial/address.ts';
import { moonfireStreams } from '../../store/moonfire-cameras.ts';
import { ForeignConfigError, type Found, type FoundStream } from './found-stream.ts';
import { readFrigate } from './frigate.ts';
import { readMediamtx } from './mediamtx.ts';
import { readMoonfire } from './moonfire.ts';
import type { Product } from './products.ts';
import { readShinobi } from './shinobi.ts';

export interface MoveInOptions {
  readonly product: Product;
  /** Its configuration, or the folder with it. */
  readonly path: string;
  /** Address of the server that gets the streams; undefined: they are only shown. */
  readonly to: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: (line: string) => void;
  /** Gets the streams that were found, for a program. */
  readonly tell?: ((facts: Readonly<Record<string, unknown>>) => void) | undefined;
}

/** The file in a product's folder. */
const fileNames: Readonly<Record<Product, string>> = {
  frigate: 'config.yml',
  mediamtx: 'mediamtx.yml',
  moonfire: 'db/db',
  shinobi: 'monitors.json',
};

/**
 * `vidette import PRODUCT CONFIG [ADDRESS]`: shows the streams that the configuration of another program describes, and adds
 * them to a server through its API, which applies its limits and rights as to any other client. Streams whose names exist are
 * left alone, so that the command can be repeated. Nothing of the other program is changed.
 */
export async function moveIn({ product, path, to, env, out, tell }: MoveInOptions): Promise<number> {
  let found: Found;
  try {
    found = await read(product, await fileOf(product, path), env);
  } catch (error) {
    if (!(error instanceof ForeignConfigError)) throw error;
    out(error.message);
    return 1;
  }
  tell?.({
    streams: found.streams.map(({ source, subSource, ...others }) => ({
      ...others,
      source: shownSource(source),
      subSource: subSource === null ? null : shownSource(subSource),
    })),
    notTaken: found.left,
  });
  for (const stream of found.streams) out(lineOf(stream));
  for (const text of found.left) out(`Not taken: ${text}`);
  out(`${found.streams.length} streams found.`);
  if (to === undefined) {
    if (found.streams.length > 0)
      out(
        'Nothing was added. To add them, create an API token on the page (Account), and run this command with the server’s address and the token in VIDETTE_TOKEN.',
      );
    return found.streams.length > 0 ? 0 : 1;
  }
  const token = env['VIDETTE_TOKEN'];
  if (!token || !URL.canParse(to)) {
    out(
      'Adding streams needs an address as in http://localhost:8080, and an API token in the variable VIDETTE_TOKEN.',
    );
    return 2;
  }
  const client = createClient({
    baseUrl: to.replace(/\/$/, ''),
    headers: () => ({ authorization: `Bearer ${token}` }),
  });
  return addAll(client, found.streams, out);
}

async function fileOf(product: Product, path: string): Promise<string> {
  try {
    return (await stat(path)).isDirectory() ? join(path, fileNames[product]) : path;
  } catch (cause) {
    throw new ForeignConfigError(`${path} can't be read: ${(cause as Error).message}.`, { cause });
  }
}

async function read(product: Product, file: string, env: MoveInOptions['env']): Promise<Found> {
  try {
    if (product === 'moonfire') return readMoonfire(moonfireStreams(file));
    const text = await readFile(file, 'utf8');
    if (product === 'frigate') return readFrigate(text, env);
    return product === 'mediamtx' ? readMediamtx(text) : readShinobi(text);
  } catch (cause) {
    const isExpected =
      cause instanceof YAMLParseError ||
      cause instanceof SyntaxError ||
      (cause instanceof Error && (cause.name === 'Fault' || 'code' in cause));
    if (!isExpected) throw cause;
    // A parser quotes the text, which contains passwords.
    const reason =
      cause instanceof YAMLParseError || cause instanceof SyntaxError ? 'it is not valid' : cause.message;
    throw new ForeignConfigError(`${file} can't be read: ${reason}.`, { cause });
  }
}

function lineOf({ name, source, subSource, tags, isRecorded, depthHours }: FoundStream): string {
  const facts = [
    shownSource(source),
    ...(subSource === null ? [] : [`sub-stream ${shownSource(subSource)}`]),
    isRecorded ? `recorded${depthHours === undefined ? '' : `, kept ${depthHours} h`}` : 'not recorded',
    ...(tags.length > 0 ? [`tags ${tags.join(', ')}`] : []),
  ];
  return `${name}: ${facts.join('; ')}`;
}

async function addAll(
  client: Client,
  streams: readonly FoundStream[],
  out: MoveInOptions['out'],
): Promise<number> {
  const count = { added: 0, present: 0, failed: 0 };
  try {
    const present = await namesOf(client);
    for (const stream of streams) {
      if (present.has(stream.name)) {
        count.present++;
        continue;
      }
      try {
        await client.addStream({ body: bodyOf(stream) });
        present.add(stream.name);
        count.added++;
      } catch (error) {
        if (!(error instanceof ApiError) || error.status === 0) throw error;
        count.failed++;
        out(
          `${stream.name} was not added: ${[error.message, ...error.fields.map((field) => field.error)].join(' ')}`,
        );
      }
    }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    out(`The server refused: ${error.message}`);
    count.failed++;
  }
  out(`${count.added} added, ${count.present} were there already, ${count.failed} failed.`);
  return count.failed === 0 ? 0 : 1;
}

async function namesOf(client: Client): Promise<Set<string>> {
  const names = new Set<string>();
  for (let page = 1; ; page++) {
    const { items, total, pageSize } = await client.listStreams({ query: { page } });
    for (const { name } of items) names.add(name);
    if (page * pageSize >= total) return names;
  }
}

function bodyOf({ name, source, subSource, tags, isRecorded, isOnDemand, depthHours }: FoundStream) {
  return {
    name,
    streamSource: source,
    subStreamSource: subSource,
    tags: [...tags],
    live: { onDemand: isOnDemand },
    archive: { isEnable: isRecorded, ...(depthHours !== undefined && { depthHours }) },
  };
}
