import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { FirstFiles } from '@vidette/contract/first-files';
import type { Plugin, Rolldown } from 'vite';

const source = fileURLToPath(new URL('src/', import.meta.url));

/**
 * Lists, after the build, the files that each screen needs. The server names them in the page that it sends, so that a
 * browser requests them together with the page's own script, and not after that one has run.
 */
export function firstFiles(): Plugin {
  return {
    name: 'vidette:first-files',
    async writeBundle({ dir = '' }, bundle) {
      const ofModules = fileFinder(bundle);
      const inEveryPage = new Set(ofModules(join(source, '../index.html')));
      const filesOf = (...modules: string[]) =>
        ofModules(...modules.map((module) => join(source, module))).filter((file) => !inEveryPage.has(file));
      const messages = (name: string) => ({
        en: filesOf(`i18n/en/${name}.ts`),
        ru: filesOf(`i18n/ru/${name}.ts`),
      });
      const fonts = (...scripts: string[]) =>
        scripts.map((script) => fontFile(bundle, `inter-${script}-wght-normal`));
      const screens = screenModules(await readFile(join(source, 'app/screen-chunks.ts'), 'utf8'));
      const list: FirstFiles = {
        frame: filesOf('app/frame/app-shell.tsx'),
        firstMessages: messages('first'),
        otherMessages: messages('signed-in'),
        fonts: { en: fonts('latin'), ru: fonts('latin', 'cyrillic') },
        screens: Object.fromEntries(
          screens.map(({ address, modules, usesFirstMessages }) => [
            address,
            { files: filesOf(...modules), usesFirstMessages },
          ]),
        ),
      };
      await writeFile(join(dir, 'first-files.json'), JSON.stringify(list));
    },
  };
}

/** Finds the files of modules that are loaded on demand: their chunks, all chunks that these import, and their styles. */
function fileFinder(bundle: Rolldown.OutputBundle): (...modules: string[]) => string[] {
  const chunks = Object.values(bundle).filter((output) => output.type === 'chunk');
  const byName = new Map(chunks.map((chunk) => [chunk.fileName, chunk]));
  const byModule = new Map(chunks.map((chunk) => [chunk.facadeModuleId, chunk]));
  return (...modules) => {
    const found = new Set<string>();
    const add = (chunk: Rolldown.OutputChunk | undefined) => {
      if (!chunk || found.has(chunk.fileName)) return;
      found.add(chunk.fileName);
      for (const style of chunk.viteMetadata?.importedCss ?? []) found.add(style);
      for (const name of chunk.imports) add(byName.get(name));
    };
    for (const module of modules) {
      const chunk = byModule.get(module);
      if (!chunk) throw new Error(`The build has no file for ${module}`);
      add(chunk);
    }
    return [...found];
  };
}

function fontFile(bundle: Rolldown.OutputBundle, name: string): string {
  const file = Object.keys(bundle).find((one) => one.startsWith(`assets/${name}-`));
  if (file === undefined) throw new Error(`The build has no font ${name}`);
  return file;
}

interface ScreenModules {
  readonly address: string;
  /** Below the page's sources. */
  readonly modules: readonly string[];
  readonly usesFirstMessages: boolean;
}

/** What the table of the screens' scripts imports for each address. It can't be run outside a browser. */
function screenModules(table: string): ScreenModules[] {
  const imported = (text: string) =>
    [...text.matchAll(/import\('\.\.\/([^']+)'\)/g)].map((match) => match[1] ?? '');
  const frames = new Map(
    [...table.matchAll(/^const (\w+Frame) = ([^;]+);/gm)].map(([, name, text = '']) => [
      name,
      imported(text),
    ]),
  );
  return [...table.matchAll(/^ {2}'(\/[^']+)': \{(.*?)\},$/gms)].map(([, address = '', body = '']) => ({
    address,
    modules: [...imported(body), ...(frames.get(/frame: (\w+)/.exec(body)?.[1]) ?? [])],
    usesFirstMessages: body.includes('usesFirstMessages: true'),
  }));
}
