// The C and C++ libraries for a container image, from Debian's packages: those that are installed here, or for another platform those
// that apt offers, unpacked without being installed.
import { execFileSync } from 'node:child_process';
import { lstatSync, mkdirSync, readdirSync, readlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';

/** @typedef {import('./packages.mjs').Arch} Arch */
/** @typedef {{ paths: string[], copyrights: { name: string, path: string }[], versions: string }} Libraries `paths` are those of the libraries and of links to them; `versions` has one package per line. */

/** All that Node and the FFmpeg worker need. */
const names = ['libc6', 'libgcc-s1', 'libstdc++6'];
/** Debian's names of the platforms. */
export const platforms = {
  x64: { name: 'amd64', folder: 'x86_64-linux-gnu', loader: 'lib64/ld-linux-x86-64.so.2' },
  arm64: { name: 'arm64', folder: 'aarch64-linux-gnu', loader: 'lib/ld-linux-aarch64.so.1' },
};

/** Whether the tools of Debian that this needs are here. */
export function hasDebianTools() {
  try {
    execFileSync('dpkg', ['--version'], { stdio: 'ignore' });
    execFileSync('apt-get', ['--version'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ENOENT') return false;
    throw error;
  }
}

/** @param {Arch} arch @param {string} folder an empty one, for packages of another platform; it has to stay until the files were read @returns {Libraries} */
export function systemLibraries(arch, folder) {
  return arch === process.arch ? installed(arch) : unpacked(arch, folder);
}

/** @param {Arch} arch @returns {Libraries} */
function installed(arch) {
  const listed = execFileSync('dpkg', ['-L', ...names], { encoding: 'utf8' }).split('\n');
  return {
    paths: librariesIn(listed, arch),
    copyrights: copyrightsBelow('/'),
    versions: execFileSync('dpkg-query', ['-W', '-f=${Package} ${Version}\n', ...names], {
      encoding: 'utf8',
    }),
  };
}

/** Lists and packages have a folder of their own, so that apt’s configuration of this machine stays as it is. @param {Arch} arch @param {string} folder @returns {Libraries} */
function unpacked(arch, folder) {
  const { name: architecture } = platforms[arch];
  const state = join(folder, 'state');
  const cache = join(folder, 'cache');
  const packages = join(folder, 'packages');
  const root = join(folder, 'root');
  for (const path of [join(state, 'lists/partial'), join(cache, 'archives/partial'), packages, root])
    mkdirSync(path, { recursive: true });
  const options = [
    `APT::Architecture=${architecture}`,
    `APT::Architectures::=${architecture}`,
    `Dir::State=${state}`,
    'Dir::State::status=/dev/null',
    `Dir::Cache=${cache}`,
    'APT::Sandbox::User=',
  ].flatMap((option) => ['-o', option]);
  const apt = (/** @type {string[]} */ ...args) =>
    execFileSync('apt-get', [...options, '-qq', ...args], {
      cwd: packages,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
  const unpack = () => {
    const files = readdirSync(packages)
      .sort()
      .map((file) => join(packages, file));
    for (const file of files) execFileSync('dpkg-deb', ['--extract', file, root]);
    return files;
  };
  apt('update');
  apt('download', ...names);
  const files = unpack();
  // The licenses of the compiler's libraries are in a package that they name by a link.
  const documents = names.flatMap((name) => linked(join(root, 'usr/share/doc', name)) ?? []);
  if (documents.length > 0) {
    apt('download', ...new Set(documents));
    unpack();
  }
  const listed = readdirSync(root, { encoding: 'utf8', recursive: true }).map((path) => join(root, path));
  return {
    paths: librariesIn(listed, arch),
    copyrights: copyrightsBelow(root),
    versions: files
      .map((file) =>
        execFileSync('dpkg-deb', ['-W', '--showformat=${Package} ${Version}\n', file], { encoding: 'utf8' }),
      )
      .join(''),
  };
}

/** @param {string} path @returns {string | undefined} the name that a link points to */
function linked(path) {
  return lstatSync(path).isSymbolicLink() ? basename(readlinkSync(path)) : undefined;
}

/** Without those for other processors of the same platform. @param {readonly string[]} paths @param {Arch} arch */
function librariesIn(paths, arch) {
  return paths.filter(
    (path) => /\.so(\.[0-9.]+)?$/.test(path) && basename(dirname(path)) === platforms[arch].folder,
  );
}

/** @param {string} root */
function copyrightsBelow(root) {
  return names.map((name) => ({ name, path: join(root, 'usr/share/doc', name, 'copyright') }));
}
