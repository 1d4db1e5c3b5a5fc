// A container image as an OCI image layout (image-spec 1.1) in a tar file, written without a container engine. Its `manifest.json`
// is for versions of `docker load` that don't know the layout.
import { createHash } from 'node:crypto';
import { createWriteStream, lstatSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { assertPlatform } from './elf.mjs';
import { hasDebianTools, platforms, systemLibraries } from './system-libraries.mjs';
import { below, copiedFile, tarOf, textFile } from './tar.mjs';

/** @typedef {import('./tar.mjs').Entry} Entry */
/** @typedef {import('./program.mjs').How} How */
/** @typedef {import('./system-libraries.mjs').Libraries} Libraries */
/** @typedef {{ digest: string, diffId: string, size: number, path: string }} Layer `digest` is that of the compressed bytes. */

const program = 'opt/vidette';
/** User and group of the server; no number that a machine gives to a person or a service. */
const user = 10_001;
const command = [`/${program}/node_modules/node/bin/node`, `/${program}/server/src/main.js`];
/** With the libraries that are installed, or that apt fetches for another platform. */
export const canBuildImage = hasDebianTools;

/** Writes the image of a program, and resolves to its parts that the program doesn't have. @param {readonly Entry[]} files @param {How} how @param {string} path @returns {Promise<import('./materials.mjs').Part[]>} */
export async function imageArchive(files, how, path) {
  const { arch, version, seconds } = how;
  const folder = mkdtempSync(join(tmpdir(), 'vidette-image-'));
  try {
    const libraries = systemLibraries(arch, join(folder, 'debian'));
    const layers = [
      await layerOf(join(folder, 'system'), systemFiles(arch, libraries), how),
      await layerOf(
        join(folder, 'program'),
        files.map((file) => ({ ...file, path: `${program}/${file.path}` })),
        how,
      ),
    ];
    const config = jsonBlob(configOf(layers, how));
    const manifest = jsonBlob(manifestOf(layers, config));
    const entries = [
      textFile('oci-layout', JSON.stringify({ imageLayoutVersion: '1.0.0' })),
      textFile('index.json', JSON.stringify(indexOf(manifest, how))),
      textFile(
        'manifest.json',
        JSON.stringify([
          {
            Config: blobPath(config.digest),
            RepoTags: [`vidette:${version}`],
            Layers: layers.map(({ digest }) => blobPath(digest)),
          },
        ]),
      ),
      ...[config, manifest].map(({ digest, text }) => textFile(blobPath(digest), text)),
      ...layers.map((layer) => copiedFile(blobPath(layer.digest), layer.path)),
    ];
    await pipeline(Readable.from(tarOf(below('', entries), seconds)), createWriteStream(path));
    return debianParts(libraries, arch);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} path of the file to write @param {readonly Entry[]} entries @param {How} how @returns {Promise<Layer>} */
async function layerOf(path, entries, { seconds, level }) {
  const [outer, inner] = [createHash('sha256'), createHash('sha256')];
  let size = 0;
  function* hashed() {
    for (const bytes of tarOf(below('', entries), seconds)) {
      inner.update(bytes);
      yield bytes;
    }
  }
  const gzip = createGzip({ level: Math.min(level, 9) });
  gzip.on('data', (/** @type {Buffer} */ bytes) => {
    outer.update(bytes);
    size += bytes.length;
  });
  await pipeline(Readable.from(hashed()), gzip, createWriteStream(path));
  return { digest: outer.digest('hex'), diffId: inner.digest('hex'), size, path };
}

/** Debian's packages, whose licenses are in the image. @param {Libraries} libraries @param {import('./packages.mjs').Arch} arch */
function debianParts({ versions }, arch) {
  return versions
    .trim()
    .split('\n')
    .map((line) => {
      const [name = '', version = ''] = line.split(' ');
      const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${platforms[arch].name}`;
      return { name, version, purl };
    });
}

/** The file system besides the program: libraries, names of users, folders. @param {import('./packages.mjs').Arch} arch @param {Libraries} libraries @returns {Entry[]} */
function systemFiles(arch, { paths, copyrights, versions }) {
  const { folder, loader } = platforms[arch];
  const libraryFiles = paths.map((path) => libraryFile(path, `usr/lib/${folder}/${basename(path)}`));
  assertPlatform(libraryFiles, arch);
  return [
    ...libraryFiles,
    { path: 'lib', kind: 'link', target: 'usr/lib' },
    ...(dirname(loader) === 'lib64'
      ? [/** @type {Entry} */ ({ path: 'lib64', kind: 'link', target: 'usr/lib64' })]
      : []),
    { path: `usr/${loader}`, kind: 'link', target: `/usr/lib/${folder}/${basename(loader)}` },
    textFile(
      'etc/passwd',
      `root:x:0:0:root:/:/sbin/nologin\nvidette:x:${user}:${user}:Vidette:/data:/sbin/nologin\n`,
    ),
    textFile('etc/group', `root:x:0:\nvidette:x:${user}:\n`),
    textFile('etc/nsswitch.conf', 'hosts: files dns\n'),
    textFile('usr/share/doc/vidette-image/packages', versions),
    ...copyrights.map(({ name, path }) => copiedFile(`usr/share/doc/${name}/copyright`, path)),
    { path: 'data', kind: 'folder', mode: 0o750, owner: user },
    { path: 'tmp', kind: 'folder', mode: 0o1777 },
    ...['dev', 'proc', 'sys'].map((path) => /** @type {Entry} */ ({ path, kind: 'folder', mode: 0o755 })),
  ];
}

/** @param {string} source @param {string} path @returns {Entry} */
function libraryFile(source, path) {
  return lstatSync(source).isSymbolicLink()
    ? { path, kind: 'link', target: basename(readlinkSync(source)) }
    : { path, kind: 'file', mode: 0o755, bytes: () => readFileSync(source) };
}

/** @param {readonly Layer[]} layers @param {How} how */
function configOf(layers, { arch, version, seconds }) {
  const created = new Date(seconds * 1000).toISOString();
  const [entry, ...rest] = command;
  return {
    created,
    architecture: platforms[arch].name,
    os: 'linux',
    config: {
      User: `${user}:${user}`,
      ExposedPorts: { '8080/tcp': {} },
      Env: [
        'VIDETTE_DATA=/data',
        // In memory in each container, also where the root is read-only: for the sockets of the server's own processes.
        'TMPDIR=/dev/shm',
        'NODE_COMPILE_CACHE=/data/.compiled',
        'PATH=/usr/bin:/bin',
      ],
      Entrypoint: [entry, ...rest],
      Cmd: ['start'],
      Volumes: { '/data': {} },
      WorkingDir: '/data',
      StopSignal: 'SIGTERM',
      Labels: {
        'org.opencontainers.image.title': 'Vidette',
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.licenses': 'Apache-2.0',
      },
      // Not part of the specification: Docker reads it, and Podman in a docker-archive (guide/install.md).
      Healthcheck: {
        Test: ['CMD', ...command, 'status'],
        // In nanoseconds.
        Interval: 30e9,
        Timeout: 10e9,
        StartPeriod: 120e9,
        Retries: 3,
      },
    },
    rootfs: { type: 'layers', diff_ids: layers.map(({ diffId }) => `sha256:${diffId}`) },
    history: layers.map(() => ({ created, created_by: 'npm run release' })),
  };
}

/** @param {readonly Layer[]} layers @param {{ digest: string, text: string }} config */
function manifestOf(layers, config) {
  return {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.manifest.v1+json',
    config: {
      mediaType: 'application/vnd.oci.image.config.v1+json',
      digest: `sha256:${config.digest}`,
      size: Buffer.byteLength(config.text),
    },
    layers: layers.map(({ digest, size }) => ({
      mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip',
      digest: `sha256:${digest}`,
      size,
    })),
  };
}

/** @param {{ digest: string, text: string }} manifest @param {How} how */
function indexOf(manifest, { arch, version }) {
  return {
    schemaVersion: 2,
    mediaType: 'application/vnd.oci.image.index.v1+json',
    manifests: [
      {
        mediaType: 'application/vnd.oci.image.manifest.v1+json',
        digest: `sha256:${manifest.digest}`,
        size: Buffer.byteLength(manifest.text),
        platform: { architecture: platforms[arch].name, os: 'linux' },
        annotations: {
          'org.opencontainers.image.ref.name': version,
          'io.containerd.image.name': `vidette:${version}`,
        },
      },
    ],
  };
}

/** @param {object} value */
function jsonBlob(value) {
  const text = JSON.stringify(value);
  return { digest: createHash('sha256').update(text).digest('hex'), text };
}

/** @param {string} digest */
function blobPath(digest) {
  return `blobs/sha256/${digest}`;
}
