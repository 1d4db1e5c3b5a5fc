import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';

const contentTypes: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.png': 'image/png',
  '.webp': 'image/webp',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
  '.yaml': 'text/plain; charset=utf-8',
  '.map': 'application/json; charset=utf-8',
};
const compressible = new Set([
  '.html',
  '.js',
  '.css',
  '.json',
  '.webmanifest',
  '.svg',
  '.txt',
  '.yaml',
  '.map',
]);

export interface PageFile {
  readonly contentType: string;
  readonly bytes: Buffer;
  readonly etag: string;
  /** Its name contains a hash of its content: it never changes. */
  readonly isImmutable: boolean;
}

/** Maximum length of `Accept-Encoding`; browsers send thirty characters. */
const acceptedMaxLength = 500;

export type Encoding = 'br' | 'gzip' | 'identity';

/**
 * The files of the built page. Only files found when the server started are served: no path is ever built from
 * a request. A file is read and compressed on first request, and kept in memory: the whole page is a few
 * megabytes.
 */
export class PageFiles {
  readonly #dir: string;
  readonly #names: ReadonlySet<string>;
  readonly #files = new Map<string, Promise<PageFile>>();
  readonly #encoded = new Map<string, Promise<Buffer>>();

  private constructor(dir: string, names: ReadonlySet<string>) {
    this.#dir = dir;
    this.#names = names;
  }

  /** Lists the folder; a missing folder means a page without files. */
  static async open(dir: string): Promise<PageFiles> {
    const names = new Set<string>();
    for (const entry of await listFiles(dir)) {
      names.add(relative(dir, join(entry.parentPath, entry.name)).split(sep).join('/'));
    }
    return new PageFiles(dir, names);
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** A file by its path below the folder, as in `assets/index-4f2a.js`; undefined when there is none. */
  async find(name: string): Promise<PageFile | undefined> {
    if (!this.#names.has(name)) return undefined;
    return remember(this.#files, name, () => this.#read(name));
  }

  /** The bytes in the best encoding that the reader accepts. */
  async encode(
    name: string,
    file: PageFile,
    accepted: string,
  ): Promise<{ encoding: Encoding; bytes: Buffer }> {
    const encoding = compressible.has(extname(name)) ? bestEncoding(accepted) : 'identity';
    if (encoding === 'identity') return { encoding, bytes: file.bytes };
    const bytes = await remember(this.#encoded, `${encoding}:${name}`, () => compress(file.bytes, encoding));
    return { encoding, bytes };
  }

  async #read(name: string): Promise<PageFile> {
    const bytes = await readFile(join(this.#dir, name));
    return {
      contentType: contentTypes[extname(name)] ?? 'application/octet-stream',
      bytes,
      etag: etagOf(bytes),
      isImmutable: name.startsWith('assets/') && /-[\w-]{8}\.\w+$/.test(name),
    };
  }
}

export function etagOf(bytes: Uint8Array | string): string {
  return `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`;
}

/** The encodings of `Accept-Encoding` that the server supports; an explicit `q=0` excludes one. */
export function bestEncoding(accepted: string): Encoding {
  const taken = new Set<string>();
  for (const part of accepted.slice(0, acceptedMaxLength).split(',')) {
    const [name = '', weight = ''] = part.split(';', 2).map((text) => text.trim());
    if (!/^q=0(?:\.0*)?$/.test(weight)) taken.add(name);
  }
  return taken.has('br') ? 'br' : taken.has('gzip') ? 'gzip' : 'identity';
}

export async function compress(bytes: Uint8Array, encoding: 'br' | 'gzip'): Promise<Buffer> {
  if (encoding === 'gzip') return promisify(gzip)(bytes);
  // Quality 5: a tenth larger than at the best quality, in a hundredth of the time, because a reader is
  // waiting.
  return promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } });
}

/** A failed attempt is not cached. */
function remember<Value>(
  memory: Map<string, Promise<Value>>,
  key: string,
  make: () => Promise<Value>,
): Promise<Value> {
  let value = memory.get(key);
  if (!value) {
    value = make();
    memory.set(key, value);
    value.catch(() => memory.delete(key));
  }
  return value;
}

async function listFiles(dir: string) {
  try {
    return (await readdir(dir, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
