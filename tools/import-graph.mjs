// The imports of each file, read from the syntax. Type imports are included, because two files that need each
// other's types can't be read, moved or tested separately either.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { parseSync } from 'oxc-parser';
import { root } from './install.mjs';

/** @typedef {Map<string, Set<string>>} Graph What each node points to. */

/** Source files of the project that git tracks or would add, as paths below the root. @returns {string[]} */
export function sourceFiles() {
  return execFileSync(
    'git',
    ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx', '*.mjs'],
    { cwd: root, encoding: 'utf8' },
  )
    .split('\n')
    .filter((path) => path && existsSync(join(root, path)));
}

/**
 * The files that each file imports, without those of packages. @param {readonly string[]} paths @returns
 * {Graph}
 */
export function fileGraph(paths) {
  const known = new Set(paths);
  return new Map(
    paths.map((path) => [
      path,
      new Set(
        specifiersOf(path, readFileSync(join(root, path), 'utf8'))
          .map((specifier) => targetOf(path, specifier))
          .filter((target) => known.has(target) && target !== path),
      ),
    ]),
  );
}

/**
 * Module specifiers as written, including dynamic imports of a literal. @param {string} path @param {string}
 * text @returns {string[]}
 */
export function specifiersOf(path, text) {
  const { module } = parseSync(path, text);
  const dynamic = module.dynamicImports.map(({ moduleRequest }) =>
    text.slice(moduleRequest.start, moduleRequest.end),
  );
  return [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(({ moduleRequest }) => (moduleRequest ? [moduleRequest.value] : [])),
    ),
    ...dynamic.filter((text) => /^['"][^'"]*['"]$/.test(text)).map((text) => text.slice(1, -1)),
  ];
}

/** A path below the root for files of the project, else the package's name as written. @param {string} from @param {string} specifier */
export function targetOf(from, specifier) {
  if (specifier.startsWith('.')) return posix.normalize(posix.join(dirname(from), specifier));
  const workspace = /^@vidette\/([^/]+)\/(.+)$/.exec(specifier);
  return workspace ? `${workspace[1]}/src/${workspace[2]}.ts` : specifier;
}

/** The same between folders. @param {Graph} files @param {(path: string) => string} folderOf @returns {Graph} */
export function folderGraph(files, folderOf = dirname) {
  /** @type {Graph} */
  const folders = new Map();
  for (const [path, targets] of files) {
    const from = folderOf(path);
    const known = folders.get(from) ?? new Set();
    for (const target of targets) if (folderOf(target) !== from) known.add(folderOf(target));
    folders.set(from, known);
  }
  return folders;
}

/**
 * Groups of nodes that reach each other, each sorted (Tarjan's strongly connected components of more than one node).
 * @param {Graph} graph
 * @returns {string[][]}
 */
export function circlesIn(graph) {
  /** @type {Map<string, { index: number, low: number, isOpen: boolean }>} */
  const seen = new Map();
  /** @type {string[]} */
  const open = [];
  /** @type {string[][]} */
  const circles = [];
  const visit = (/** @type {string} */ node) => {
    const mine = { index: seen.size, low: seen.size, isOpen: true };
    seen.set(node, mine);
    open.push(node);
    for (const target of graph.get(node) ?? []) {
      const other = seen.get(target);
      if (!other) mine.low = Math.min(mine.low, visit(target).low);
      else if (other.isOpen) mine.low = Math.min(mine.low, other.index);
    }
    if (mine.low === mine.index) {
      const group = open.splice(open.indexOf(node));
      for (const member of group) Object.assign(seen.get(member) ?? {}, { isOpen: false });
      if (group.length > 1) circles.push(group.sort());
    }
    return mine;
  };
  for (const node of graph.keys()) if (!seen.has(node)) visit(node);
  return circles;
}

/**
 * The graph without some edges; a name that ends with `/**` stands for any folder below.
 * @param {Graph} graph
 * @param {readonly { from: string, to: string }[]} edges
 * @returns {Graph}
 */
export function withoutEdges(graph, edges) {
  const isNamed = (/** @type {string} */ pattern, /** @type {string} */ folder) =>
    pattern.endsWith('/**') ? folder.startsWith(pattern.slice(0, -2)) : folder === pattern;
  return new Map(
    [...graph].map(([from, targets]) => [
      from,
      new Set(
        [...targets].filter((to) => !edges.some((edge) => isNamed(edge.from, from) && isNamed(edge.to, to))),
      ),
    ]),
  );
}
