import { cp, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));

/** A second checkout of the product, with this version: its own sources, and the installed packages. */
export async function checkout(version: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-checkout-'));
  const filter = (path: string) => !/\/(node_modules|\.git|\.cache)$/.test(path);
  for (const name of [
    'contract',
    'media',
    'server',
    'tools',
    'ui',
    'package.json',
    'package-lock.json',
    'tsconfig.base.json',
    // The guide is part of the page, which would be built again without it.
    'guide',
    'packaging',
    'CHANGELOG.md',
    'SECURITY.md',
    'SUPPORT.md',
  ])
    await cp(join(root, name), join(folder, name), { recursive: true, filter });
  const packages = join(folder, 'node_modules');
  await mkdir(join(packages, '@vidette'), { recursive: true });
  for (const name of await readdir(join(root, 'node_modules')))
    if (name !== '@vidette') await symlink(join(root, 'node_modules', name), join(packages, name));
  for (const name of ['contract', 'media'])
    await symlink(join(folder, name), join(packages, '@vidette', name));
  await raiseVersion(folder, version);
  return folder;
}

/** Changes what the next process of a checkout says. */
export async function raiseVersion(folder: string, version: string): Promise<void> {
  const path = join(folder, 'package.json');
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace(/"version": "[^"]*"/, `"version": "${version}"`));
}
