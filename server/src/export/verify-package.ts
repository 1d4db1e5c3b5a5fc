import { createHash } from 'node:crypto';
import { open, readdir, readFile, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { crc32 } from 'node:zlib';
import { checkPageFile, checkPageName, Manifest, manifestName, signatureName } from './manifest.ts';
import { isSignedBy } from '../base/key-pair.ts';
import { fingerprintOf } from './signing-key.ts';
import { readZip } from './zip-reader.ts';

/** Result of the verification; the package is intact if `problems` is empty. */
export interface PackageVerdict {
  /** Undefined if the manifest cannot be read, or isn't signed with the key in it. */
  readonly manifest: Manifest | undefined;
  /** Fingerprint of the key that signed. */
  readonly fingerprint: string | undefined;
  readonly filesChecked: number;
  /** Human-readable, one line each. */
  readonly problems: readonly string[];
}

/** The files of a package, in a ZIP or unpacked. */
interface Contents {
  readonly names: readonly string[];
  bytes(name: string): number;
  read(name: string): AsyncIterable<Uint8Array>;
  /** The checksum that the package itself contains for a file; undefined for a folder. */
  crc(name: string): number | undefined;
  close(): Promise<void>;
}

const smallFileMaxBytes = 64 * 1024 * 1024;

/**
 * Verifies a package against its own signed manifest: nothing changed, nothing missing, nothing added. Whether
 * the key is the server's must be checked with the fingerprint. @throws system errors
 */
export async function verifyPackage(path: string): Promise<PackageVerdict> {
  let contents: Contents;
  try {
    contents = (await stat(path)).isDirectory() ? await folderContents(path) : await zipContents(path);
  } catch (error) {
    if (error instanceof RangeError) return broken(`The package cannot be read: ${error.message}.`);
    throw error;
  }
  try {
    return await verifyContents(contents);
  } finally {
    await contents.close();
  }
}

async function verifyContents(contents: Contents): Promise<PackageVerdict> {
  for (const name of [manifestName, signatureName]) {
    if (!contents.names.includes(name)) return broken(`${name} is missing.`);
  }
  const bytes = await whole(contents, manifestName);
  const signature = Buffer.from((await whole(contents, signatureName)).toString('latin1').trim(), 'base64');
  const manifest = parsed(bytes);
  if (!manifest) return broken(`${manifestName} is not the manifest of a package.`);
  const key = Buffer.from(manifest.publicKey, 'base64');
  if (!isSignedBy(key, bytes, signature)) return broken('The signature does not match the manifest.');
  const problems: string[] = [];
  const files = manifest.streams.flatMap((stream) => stream.files);
  for (const file of files) {
    if (!contents.names.includes(file.name)) problems.push(`${file.name} is missing.`);
    else if (contents.bytes(file.name) !== file.bytes) problems.push(`${file.name} has another length.`);
    else problems.push(...(await contentProblems(contents, file)));
  }
  problems.push(...(await pageProblems(contents, manifest)));
  for (const name of [manifestName, signatureName])
    problems.push(...(await contentProblems(contents, { name })));
  const known = new Set([...files.map(({ name }) => name), manifestName, signatureName, checkPageName]);
  for (const name of contents.names) {
    if (!known.has(name)) problems.push(`${name} does not belong to the package.`);
  }
  return { manifest, fingerprint: fingerprintOf(key), filesChecked: files.length, problems };
}

/**
 * The page runs in the recipient's browser and reports whether the package is intact, so it is verified like
 * the footage.
 */
async function pageProblems(contents: Contents, manifest: Manifest): Promise<string[]> {
  if (!contents.names.includes(checkPageName)) return [`${checkPageName} is missing.`];
  const { checkPage } = manifest;
  if (checkPage) {
    const problems = await contentProblems(contents, { name: checkPageName, sha256: checkPage.sha256 });
    return problems.length === 0 ? [] : [`${checkPageName} was replaced: do not open it.`];
  }
  const sha256 = createHash('sha256')
    .update(await readFile(checkPageFile))
    .digest('hex');
  const problems = await contentProblems(contents, { name: checkPageName, sha256 });
  return problems.length === 0
    ? []
    : [
        `${checkPageName} is not the page of this version, and the package, created by an earlier version, does not specify its page: do not open it.`,
      ];
}

function broken(problem: string): PackageVerdict {
  return { manifest: undefined, fingerprint: undefined, filesChecked: 0, problems: [problem] };
}

function parsed(bytes: Buffer): Manifest | undefined {
  try {
    return Manifest.parse(JSON.parse(bytes.toString()));
  } catch {
    // Not JSON, or of a different shape: the caller reports it.
    return undefined;
  }
}

async function whole(contents: Contents, name: string): Promise<Buffer> {
  if (contents.bytes(name) > smallFileMaxBytes) throw new RangeError(`${name} is too long`);
  const chunks: Uint8Array[] = [];
  for await (const chunk of contents.read(name)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** Verifies a file against the signed hashes, and against the checksum that other programs use to unpack it. */
async function contentProblems(
  contents: Contents,
  { name, sha256 }: { readonly name: string; readonly sha256?: string },
): Promise<string[]> {
  const hash = createHash('sha256');
  let crc = 0;
  for await (const chunk of contents.read(name)) {
    hash.update(chunk);
    crc = crc32(chunk, crc);
  }
  if (sha256 !== undefined && hash.digest('hex') !== sha256) return [`${name} was changed.`];
  const said = contents.crc(name);
  return said === undefined || said === crc ? [] : [`${name} has a checksum other than the ZIP says.`];
}

async function zipContents(path: string): Promise<Contents> {
  const handle = await open(path, 'r');
  try {
    const files = new Map((await readZip(handle)).map((file) => [file.name, file]));
    return {
      names: [...files.keys()],
      bytes: (name) => files.get(name)?.bytes ?? 0,
      read(name) {
        const { offset = 0, bytes = 0 } = files.get(name) ?? {};
        if (bytes === 0) return empty();
        return handle.createReadStream({ start: offset, end: offset + bytes - 1, autoClose: false });
      },
      crc: (name) => files.get(name)?.crc,
      close: () => handle.close(),
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function folderContents(path: string): Promise<Contents> {
  const sizes = new Map<string, number>();
  for (const entry of await readdir(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    sizes.set(relative(path, file).split(sep).join('/'), (await stat(file)).size);
  }
  return {
    names: [...sizes.keys()],
    bytes: (name) => sizes.get(name) ?? 0,
    async *read(name) {
      const handle = await open(join(path, name), 'r');
      yield* handle.createReadStream();
    },
    crc: () => undefined,
    close: () => Promise.resolve(),
  };
}

async function* empty(): AsyncGenerator<Uint8Array, void, undefined> {}
