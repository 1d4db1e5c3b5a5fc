import { existsSync, statSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError, createClient, type Client } from '@vidette/contract/client';
import { catalogPath, importedCatalogPath } from '../../archive/segments/segments.ts';
import type { Clock } from '../../base/clock.ts';
import { Fault } from '../../base/fault.ts';
import { isSqliteError, sqliteTroubleOf } from '../../base/sqlite-trouble.ts';
import { systemTroubleOf } from '../../base/system-trouble.ts';
import { shownSource } from '../../dial/address.ts';
import { MoonfireDatabase } from '../../store/moonfire-database.ts';
import { ForeignConfigError, type Found, type FoundStream } from './found-stream.ts';
import { readFrigate } from './frigate.ts';
import { findMediamtx } from './mediamtx-recordings.ts';
import { moonfireDatabaseIn, readMoonfire } from './moonfire.ts';
import { zoneOfNames } from './local-times.ts';
import { moonfirePlaces } from './moonfire-recordings.ts';
import type { Product } from './products.ts';
import { type CameraRecordings, type CameraReport, importRecordings, placesOf } from './recordings.ts';
import { readShinobi } from './shinobi.ts';

export interface MoveInOptions {
  readonly product: Product;
  /** Its configuration, or the folder with it. */
  readonly path: string;
  /** Address of the server that gets the streams; undefined: they are only shown. */
  readonly to: string | undefined;
  /** The folder of its recordings; undefined: where they usually are; null: they are left out. */
  readonly recordings: string | null | undefined;
  /** Of the server, whose index of recordings is there. */
  readonly dataDir: string;
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly out: (line: string) => void;
  /** Gets the streams that were found, for a program. */
  readonly tell?: ((facts: Readonly<Record<string, unknown>>) => void) | undefined;
}

/** The file in a product's folder: the first of these that exists. */
const fileNames: Readonly<Record<Product, readonly [string, ...string[]]>> = {
  frigate: ['config.yml', 'config.yaml', 'config/config.yml', 'config/config.yaml'],
  mediamtx: ['mediamtx.yml', 'mediamtx.yaml', 'rtsp-simple-server.yml'],
  moonfire: ['db/db', 'db'],
  shinobi: ['monitors.json'],
};

/**
 * `vidette import PRODUCT CONFIG [ADDRESS]`: shows the streams that the configuration of another program describes, and adds
 * them to a server through its API, which applies its limits and rights as to any other client. Streams whose names exist are
 * left alone, so that the command can be repeated. The recordings are indexed where they are, in the data folder of the server:
 * it shows them as soon as they are there. Nothing of the other program is changed.
 */
export async function moveIn(options: MoveInOptions): Promise<number> {
  let source: Source;
  try {
    source = await openSource(options);
  } catch (error) {
    if (!(error instanceof ForeignConfigError)) throw error;
    options.out(error.message);
    return 1;
  }
  try {
    return await moveFrom(source, options);
  } finally {
    source.close();
  }
}

/** What was found of the other program. */
interface Source {
  readonly found: Found;
  readonly places: readonly CameraRecordings[];
  /** Recordings can be listed until then. */
  readonly close: () => void;
}

/** @throws ForeignConfigError */
async function openSource({ product, path, recordings, clock, env }: MoveInOptions): Promise<Source> {
  const file = await fileOf(product, path);
  if (product === 'moonfire') return openMoonfire(file, recordings, clock);
  const found = await reading(file, async () => {
    const text = await readFile(file, 'utf8');
    if (product === 'mediamtx') return findMediamtx(text, file, recordings);
    return product === 'frigate' ? readFrigate(text, env) : readShinobi(text);
  });
  const places =
    recordings === null ? [] : await placesOf(product, found.cameras, file, recordings, zoneOfNames(env));
  return { found, places, close: () => {} };
}

async function openMoonfire(
  given: string,
  recordings: MoveInOptions['recordings'],
  clock: Clock,
): Promise<Source> {
  const isConfig = given.endsWith('.toml');
  const file = isConfig
    ? await reading(given, async () => moonfireDatabaseIn(await readFile(given, 'utf8'), given))
    : given;
  const database = await reading(file, () => MoonfireDatabase.open(file, clock));
  try {
    const found = await reading(file, () => readMoonfire(database.streams));
    const places = recordings === null ? [] : await moonfirePlaces(database, found.recorded, recordings);
    return { found, places, close: () => database.close() };
  } catch (error) {
    database.close();
    throw error;
  }
}

async function moveFrom({ found, places }: Source, options: MoveInOptions): Promise<number> {
  const { to, recordings, env, out, tell } = options;
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
  out(found.streams.length === 1 ? '1 stream found.' : `${found.streams.length} streams found.`);
  if (recordings !== null && places.length === 0)
    out('No recordings were found. Name their folder with --recordings FOLDER.');
  const zone = places.find((place) => place.zone !== null)?.zone;
  if (typeof zone === 'string') {
    tell?.({ timeZone: zone });
    out(
      `Times in the names of recordings are taken for those of ${zone}; if they are of another zone, name it as in TZ=Europe/Berlin.`,
    );
  }
  if (to === undefined) return preview(options, found, places);
  const token = env['VIDETTE_TOKEN'];
  if (!token || !/^https?:\/\/[^/]/.test(to) || !URL.canParse(to)) {
    out(
      'Adding streams needs an address as in http://localhost:8080, and an API token in the variable VIDETTE_TOKEN.',
    );
    return 2;
  }
  const client = createClient({
    baseUrl: to.replace(/\/$/, ''),
    headers: () => ({ authorization: `Bearer ${token}` }),
  });
  const code = await addAll(client, found.streams, out);
  return places.length === 0 ? code : Math.max(code, await showRecordings(client, options, places));
}

async function preview(
  { dataDir, clock, out, tell }: MoveInOptions,
  { streams }: Found,
  places: readonly CameraRecordings[],
): Promise<number> {
  const catalogPath = importedCatalogPath(catalogPathOf(dataDir));
  let reports: readonly CameraReport[];
  try {
    reports = await importRecordings({ cameras: places, uids: undefined, catalogPath, clock, out });
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    out(`Recordings can't be listed: ${error.message}`);
    return 1;
  }
  tell?.({ recordings: reports });
  if (streams.length > 0 || reports.length > 0)
    out(
      'Nothing was added. To add them, create an API token on the page (Profile, Tokens), and run this command with the server’s address and the token in VIDETTE_TOKEN.',
    );
  return streams.length > 0 || reports.length > 0 ? 0 : 1;
}

/** Indexes the recordings of cameras that have a stream now. */
async function showRecordings(
  client: Client,
  { dataDir, clock, out, tell }: MoveInOptions,
  places: readonly CameraRecordings[],
): Promise<number> {
  const catalog = catalogPathOf(dataDir);
  const reason = unusableReason(catalog, dataDir);
  if (reason !== undefined) {
    out(`Recordings were not indexed: ${reason}. Run this command on the server's machine, as its user.`);
    return 1;
  }
  try {
    const uids = await uidsOf(client);
    for (const { name } of places)
      if (!uids.has(name)) out(`${name}: its recordings were left out, because no stream has this name.`);
    const reports = await importRecordings({
      ...{ cameras: places, uids, clock, out },
      catalogPath: importedCatalogPath(catalog),
    });
    tell?.({ recordings: reports });
    const files = reports.reduce((sum, report) => sum + report.files, 0);
    out(
      `${files} recordings of ${reports.length} cameras are shown. They stay where they are, and are never changed.`,
    );
    return 0;
  } catch (error) {
    const isExpected = error instanceof ApiError || error instanceof Fault || isSqliteError(error);
    if (!isExpected) throw error;
    out(
      sqliteTroubleOf(error) === 'full'
        ? 'The disk of the data folder is full. Recordings that were indexed until then are shown: free some space, and import again for the others.'
        : `Recordings were not indexed: ${(error as Error).message}`,
    );
    return 1;
  }
}

/** Why the index can't be written beside this catalog; undefined: it can. */
function unusableReason(catalog: string, dataDir: string): string | undefined {
  if (!existsSync(catalog)) return `no server uses the data folder ${dataDir} (VIDETTE_DATA)`;
  // The server could not read what another user writes.
  return statSync(catalog).uid === process.getuid?.() ? undefined : 'the data folder belongs to another user';
}

function catalogPathOf(dataDir: string): string {
  return catalogPath(join(dataDir, 'archive'));
}

async function fileOf(product: Product, path: string): Promise<string> {
  try {
    if (!(await stat(path)).isDirectory()) return path;
    const [usual] = fileNames[product];
    const isThere = (name: string) => statSync(join(path, name), { throwIfNoEntry: false })?.isFile();
    return join(path, fileNames[product].find(isThere) ?? usual);
  } catch (cause) {
    throw new ForeignConfigError(systemTroubleOf(cause) ?? `${path} can't be read.`, { cause });
  }
}

/** Reads something of a file. @throws ForeignConfigError if it can't be read */
async function reading<Value>(file: string, work: () => Value | Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (cause) {
    const isExpected =
      cause instanceof ForeignConfigError ||
      cause instanceof SyntaxError ||
      (cause instanceof Error && (cause.name === 'Fault' || 'code' in cause));
    if (!isExpected) throw cause;
    const trouble = systemTroubleOf(cause);
    if (trouble !== undefined) throw new ForeignConfigError(trouble, { cause });
    // A parser quotes the text, which contains passwords.
    const reason = cause instanceof SyntaxError ? 'it is not valid JSON' : cause.message;
    throw new ForeignConfigError(
      `${file} can't be read: ${reason.replace(/^It /, 'it ').replace(/\.$/, '')}.`,
      { cause },
    );
  }
}

function lineOf({ name, source, subSource, tags, isRecorded, depthHours, remark }: FoundStream): string {
  const facts = [
    shownSource(source),
    ...(remark === undefined ? [] : [remark]),
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
    const present = new Set((await uidsOf(client)).keys());
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
    out(
      error.status === 0
        ? 'The server does not answer: check that it runs, and its address.'
        : `The server refused: ${error.message}`,
    );
    count.failed++;
  }
  out(`${count.added} added, ${count.present} were there already, ${count.failed} failed.`);
  return count.failed === 0 ? 0 : 1;
}

/** Of all streams that the token's user sees, by their names. */
async function uidsOf(client: Client): Promise<Map<string, string>> {
  const uids = new Map<string, string>();
  for (let page = 1; ; page++) {
    const { items, total, pageSize } = await client.listStreams({ query: { page } });
    for (const { name, uid } of items) uids.set(name, uid);
    if (page * pageSize >= total) return uids;
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
