// The import rules and conventions that can be checked automatically. Each rule states its reason. Exit code 1
// and a line per violation; `npm test` runs this as part of `npm run check`. `--table` prints the import table
// of ARCHITECTURE.md.
import { readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourceFiles, targetOf } from './import-graph.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Server modules, and the other modules that each may import. `app`, `main` and `compose` are the wiring. */
export const serverModules = {
  base: [],
  config: ['base'],
  hub: ['base'],
  feed: ['base', 'hub'],
  dial: ['base'],
  ffmpeg: ['base', 'dial'],
  ingest: ['base', 'hub', 'dial', 'ffmpeg'],
  'archive/segments': ['base'],
  'archive/version': [],
  'archive/catalog': ['base', 'archive/segments', 'archive/version'],
  'archive/record': ['base', 'hub', 'archive/segments', 'archive/catalog'],
  'archive/retention': ['base', 'archive/segments', 'archive/catalog'],
  'archive/object-storage': ['base', 'archive/segments', 'archive/catalog', 'archive/retention'],
  'archive/read': [
    'base',
    'archive/segments',
    'archive/catalog',
    'archive/retention',
    'archive/object-storage',
  ],
  'archive/imported': ['base', 'archive/segments', 'archive/catalog', 'archive/read'],
  'archive/verify': ['base', 'archive/segments', 'archive/catalog', 'archive/object-storage'],
  'archive/recording': [
    'base',
    'archive/segments',
    'archive/catalog',
    'archive/record',
    'archive/retention',
    'archive/verify',
  ],
  archive: [
    'base',
    'hub',
    'archive/segments',
    'archive/catalog',
    'archive/record',
    'archive/retention',
    'archive/object-storage',
    'archive/read',
    'archive/imported',
    'archive/verify',
  ],
  s3: ['base', 'config', 'archive/segments', 'archive/object-storage'],
  export: ['base', 'ffmpeg', 'store', 'archive/read'],
  live: ['base', 'hub'],
  transcoding: ['base', 'hub', 'ffmpeg'],
  store: ['base'],
  access: ['base', 'store', 'config'],
  system: ['base', 'store', 'config', 'access'],
  motion: ['base', 'hub'],
  engine: ['base', 'hub', 'feed', 'dial', 'ingest', 'archive/record', 'live', 'motion'],
  processes: ['base', 'config'],
  tunnel: ['base', 'config'],
  cluster: ['base', 'store', 'config', 'system'],
  rpc: [
    'base',
    'store',
    'access',
    'hub',
    'archive/segments',
    'archive/catalog',
    'archive/retention',
    'archive/read',
    'archive/imported',
  ],
  statistics: [
    'base',
    'config',
    'archive',
    'archive/object-storage',
    'archive/read',
    'live',
    'store',
    'access',
    'system',
    'engine',
    'tunnel',
  ],
  mqtt: ['base', 'config', 'system'],
  events: ['base', 'config', 'dial', 'store', 'access', 'system', 'engine', 'archive/read', 'mqtt'],
  accounts: ['base', 'config', 'store', 'access', 'system', 'events'],
  streams: [
    'base',
    'config',
    'hub',
    'dial',
    'live',
    'transcoding',
    'store',
    'access',
    'system',
    'engine',
    'cluster',
    'rpc',
    'statistics',
    'events',
  ],
  mosaics: ['base', 'store', 'access', 'system', 'engine', 'cluster', 'streams'],
  recordings: [
    'base',
    'config',
    'ffmpeg',
    'archive/read',
    'export',
    'transcoding',
    'store',
    'access',
    'system',
    'events',
    'streams',
  ],
  http: [
    'base',
    'config',
    'hub',
    'feed',
    'dial',
    'ffmpeg',
    'archive',
    'archive/segments',
    'archive/object-storage',
    'archive/read',
    'export',
    'live',
    'transcoding',
    'store',
    'access',
    'system',
    'motion',
    'engine',
    'tunnel',
    'cluster',
    'rpc',
    'statistics',
    'accounts',
    'streams',
    'mosaics',
    'recordings',
    'events',
  ],
  cli: [
    'base',
    'config',
    'archive/segments',
    'archive/version',
    'archive/catalog',
    'archive/object-storage',
    'archive/imported',
    'archive/verify',
    's3',
    'export',
    'store',
    'access',
    'system',
    'rpc',
    'processes',
    'dial',
    'ffmpeg',
  ],
};

/**
 * Modules with a public face: other modules may import only the file named after the folder. Test fixtures are
 * beside the modules.
 */
const faced = Object.keys(serverModules).filter((name) => name === 'archive' || name.startsWith('archive/'));
const testFolders = ['server/src/archive/fixtures/'];

/**
 * The parts of the page, below `ui/src`, and the other parts that each may import. Every part of `features` is
 * named after its folder; `app` wires them all, and so do the files directly in `ui/src`.
 */
export const pageParts = {
  base: [],
  i18n: [],
  routing: [],
  api: ['i18n'],
  page: ['base', 'i18n', 'routing', 'api'],
  components: ['i18n', 'routing', 'page'],
  timeline: ['base', 'i18n', 'components'],
  playback: ['base', 'i18n', 'components', 'timeline'],
  features: ['base', 'i18n', 'routing', 'api', 'page', 'components', 'timeline', 'playback'],
  share: ['base', 'playback'],
  offline: ['page'],
  help: [],
};

/** The features that a feature builds on; one that is not listed here builds on none. */
export const featureParts = {
  'stream-view': ['streams', 'bookmarks', 'exports'],
  events: ['streams', 'exports', 'stream-view'],
  digest: ['streams', 'stream-view', 'events', 'exports'],
  mosaics: ['streams', 'stream-view'],
  users: ['account'],
  rights: ['streams', 'users'],
  administration: ['streams'],
  'first-steps': ['administration', 'notifications', 'streams', 'users'],
  tunnel: ['administration'],
};

/** The workspaces that a workspace may import, and the external packages, if those are limited. */
const workspaces = {
  contract: { workspaces: [], packages: ['zod'] },
  media: { workspaces: [], packages: [] },
  server: { workspaces: ['contract', 'media'] },
  ui: { workspaces: ['contract', 'media'] },
};

/** One route file per resource. */
const routes = 'server/src/http/routes/';

/** Contract files that the page loads: Zod would cost it more than the whole player. */
const lightContract = new Set([
  'allowance',
  'archive-changes',
  'digest-entries',
  'digest-plan',
  'errors',
  'constants',
  'overload',
  'routes',
  'client',
  'live',
  'mqtt',
]);

/** The central polling code, and a tool that captures frames and must wait until animations have ended. */
const mayWait = new Set(['server/src/base/until-fixture.ts', 'e2e/api.ts', 'e2e/screens.ts']);

/** Columns whose names are not domain words: `created_ms`, `is_paused`. */
const columns = new Set(
  ['database', 'stream-row'].flatMap((name) =>
    [
      ...readFileSync(join(root, `server/src/store/${name}.ts`), 'utf8').matchAll(
        /^ {2}([a-z]+(?:_[a-z]+)+): /gm,
      ),
    ].map(([, column = '']) => column),
  ),
);

/** Parameters of released calls, and an FFmpeg option, that share their names with columns. */
const sameNames = new Set(['stream_id', 'time_zone', 'depth_hours', 'user_agent']);

/** @type {{ because: string, test: (file: SourceFile) => string[] }[]} */
const rules = [
  {
    because: 'wire formats and media bytes are independent; they are all that the server and the page share',
    test: (file) =>
      file.imports
        .filter(({ target }) => !mayCrossWorkspace(file, target))
        .map(({ target }) => `imports ${target}`),
  },
  {
    because:
      'data flows in one direction through the server’s modules, and only compose/ and app.ts do the wiring',
    test: (file) => {
      const module = moduleOf(file.path);
      if (!module) return [];
      const allowed = [module, ...(serverModules[/** @type {keyof typeof serverModules} */ (module)] ?? [])];
      // Tests run the code that reads or writes footage with a complete archive, as the program does.
      if (file.isTest) allowed.push('archive', ...(faced.includes(module) ? serverModules.archive : []));
      return file.imports
        .map(({ target }) => moduleOf(target))
        .filter((other) => other !== undefined && !allowed.includes(other))
        .map((other) => `${module} imports ${other}`);
    },
  },
  {
    because: 'private parts of a module with a public face can change independently of the rest',
    test: privateImports,
  },
  {
    because: 'a fixture in the program would be code that no user needs',
    test: (file) =>
      file.isTest || !file.path.startsWith('server/src/') || file.path.endsWith('-fixture.ts')
        ? []
        : file.imports
            .filter(({ target }) => testFolders.some((folder) => target.startsWith(folder)))
            .map(({ target }) => `imports ${target}`),
  },
  {
    because: 'a route is a thin layer over services: code that two of them share is a service',
    test: siblingRoutes,
  },
  {
    because: 'services decide what a call looks up, checks and writes, so that tests can reach it',
    test: decidingRoutes,
  },
  {
    because:
      'the page is built in layers, and a feature that does not build on another can be changed independently',
    test: (file) =>
      file.isTest
        ? []
        : file.imports
            .filter(({ target }) => !mayCrossPage(file.path, target))
            .map(({ target }) => `imports ${target}`),
  },
  {
    because:
      'a style that two features share belongs to a component, otherwise changing one affects the other',
    test: (file) =>
      file.imports
        .filter(({ target }) => target.endsWith('.css') && isOfAnotherFeature(file.path, target))
        .map(({ target }) => `imports the style sheet ${target}`),
  },
  {
    because: 'a hang or crash in native code must affect only its own child process',
    test: (file) =>
      file.path.startsWith('server/src/ffmpeg/worker/') || file.isTest
        ? []
        : file.imports
            .filter(({ target, isType }) => target === 'node-av' && !isType)
            .map(() => 'imports node-av'),
  },
  {
    because: 'servers without a bucket must not load the SDK: it is imported on demand',
    test: (file) =>
      !file.path.startsWith('server/src/') || file.isTest
        ? []
        : matches(file, /^import (?!type\b)[^;]*from '@aws-sdk\//m),
  },
  {
    because: 'the first screen must not wait for Zod',
    test: (file) => {
      const isLight =
        file.path.startsWith('contract/src/') && lightContract.has(posix.basename(file.path, '.ts'));
      if (file.isTest || (!isLight && !file.path.startsWith('ui/src/'))) return [];
      return file.imports
        .filter(({ target, isType }) => !isType && (target === 'zod' || isHeavyContract(target)))
        .map(({ target }) => `imports ${target} at run time`);
    },
  },
  {
    because: 'tests control the clock',
    test: (file) => {
      const exempt =
        !file.path.startsWith('server/src/') || file.isTest || file.path === 'server/src/base/clock.ts';
      return exempt || file.path.startsWith('server/src/ffmpeg/worker/')
        ? []
        : matches(
            file,
            /\b(Date\.now\(|new Date\(\)|performance\.now\(|setTimeout\(|setInterval\(|Math\.random\()/,
          );
    },
  },
  {
    because: 'only the store and the archive catalog contain SQL',
    test: (file) =>
      !file.path.startsWith('server/src/') ||
      file.isTest ||
      /^server\/src\/(store|archive\/catalog)/.test(file.path)
        ? []
        : matches(file, /['"`]\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE TABLE|PRAGMA)\b/),
  },
  {
    because: 'columns are named only in the store: a row outside it ties every reader to the table',
    test: rowsOutside,
  },
  {
    because: 'cores of playback, timeline, mosaics and routing are tested without a browser',
    test: (file) =>
      /^ui\/src\/((timeline|features\/mosaics\/grid|routing)\/[^/]+|playback\/(?!react\/).+)$/.test(file.path)
        ? file.imports
            .filter(({ target }) => /^react(-dom)?(\/|$)/.test(target))
            .map(({ target }) => `imports ${target}`)
        : [],
  },
  {
    because: 'a component that calls the server cannot be viewed in isolation',
    test: (file) =>
      file.path.startsWith('ui/src/components/')
        ? file.imports
            .filter(({ target }) => target.startsWith('ui/src/api/'))
            .map(({ target }) => `imports ${target}`)
        : [],
  },
  {
    because: 'such a name says nothing about the content',
    test: (file) =>
      /(^|\/)(utils?|misc|helpers?|common|index)(\.[a-z.]+|\/)/.test(file.path)
        ? ['has a name without meaning']
        : [],
  },
  {
    because: 'a file that only re-exports hides where things are defined',
    test: (file) =>
      !isFace(file.path) &&
      /\S/.test(file.code) &&
      !/\S/.test(file.code.replace(/export (type )?(\*|\{[^}]*\})[^;]*from[^;]*;/g, ''))
        ? ['only forwards']
        : [],
  },
  {
    because:
      'a test that waits for a fixed time is slow on a fast machine and wrong on a slow one; it should wait for a condition',
    test: (file) =>
      !(file.isTest || /(^e2e\/|-fixture\.ts$)/.test(file.path)) || mayWait.has(file.path)
        ? []
        : matches(
            file,
            /=>\s*(void )?setTimeout\(|import \{[^}]*\bsetTimeout\b[^}]*\} from 'node:timers\/promises'|\.waitForTimeout\(|\bscheduler\.wait\(/,
          ),
  },
  {
    because: 'open work belongs in an issue, not in a comment',
    test: (file) =>
      file.path.startsWith('tools/')
        ? []
        : matches(
            file,
            /\b(TODO|FIXME|XXX)\b|@ts-ignore|@ts-expect-error|oxlint-disable|eslint-disable|\.only\(/,
          ),
  },
];

/**
 * @typedef {{ path: string, text: string, code: string, isTest: boolean, imports: { target: string, isType: boolean }[] }} SourceFile
 */

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv.includes('--table')) process.stdout.write(importTable());
  else {
    const violations = sourceFiles().flatMap((path) =>
      breachesOf(path, readFileSync(join(root, path), 'utf8')).map((line) => `${path} ${line}`),
    );
    for (const line of violations) process.stdout.write(`${line}\n`);
    process.exit(violations.length ? 1 : 0);
  }
}

/** The violations of a file, one per line. @param {string} path below the root @param {string} text */
export function breachesOf(path, text) {
  const file = sourceOf(path, text);
  return rules.flatMap((rule) => rule.test(file).map((what) => `${what} (because ${rule.because})`));
}

/**
 * The allowed imports as a Markdown table; everything in the server and the page may also import contract and
 * media.
 */
export function importTable() {
  const modules = Object.entries(serverModules);
  const rows = [
    ['contract/src', workspaces.contract.packages.join(', ')],
    ['media/src', 'nothing'],
    ...modules.map(([module, others]) => {
      const left = modules
        .map(([name]) => name)
        .filter((name) => name !== module && !others.includes(/** @type {never} */ (name)));
      const isShorter = left.length < others.length / 2;
      return [
        `server/src/${module}`,
        isShorter ? `all but ${left.join(', ')}` : others.join(', ') || 'nothing',
      ];
    }),
    ...Object.entries(pageParts).map(([part, others]) =>
      part === 'features'
        ? ['ui/src/features/*', `${others.join(', ')}, and the features below`]
        : [`ui/src/${part}`, others.join(', ') || 'nothing'],
    ),
    ...Object.entries(featureParts).map(([feature, others]) => [
      `ui/src/features/${feature}`,
      others.map((other) => `features/${other}`).join(', '),
    ]),
    ['ui/src/app', 'all of ui/src'],
  ];
  const widths = [0, 1].map((column) => Math.max(...rows.map((row) => (row[column] ?? '').length)));
  const line = (/** @type {string[]} */ cells) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`;
  return [
    line(['folder', 'may import']),
    line(widths.map((width) => '-'.repeat(width))),
    ...rows.map(line),
  ].join('');
}

/** @param {string} path @param {string} text @returns {SourceFile} */
function sourceOf(path, text) {
  const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/^\s*\/\/.*$/gm, '');
  const imports = [
    ...code.matchAll(
      /(?:^|\n)\s*(?:import|export)\s+(type\s)?[^'"`;]*?from\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)import\s+['"]([^'"]+)['"]/g,
    ),
  ].map((match) => ({
    target: targetOf(path, match[2] ?? match[3] ?? match[4] ?? ''),
    isType: Boolean(match[1]),
  }));
  return { path, text, code, isTest: /\.test\.tsx?$/.test(path), imports };
}

/** @param {SourceFile} file @param {string} target */
function mayCrossWorkspace(file, target) {
  const home = /^([^/]+)\/src\//.exec(file.path)?.[1];
  const allowance = workspaces[/** @type {keyof typeof workspaces} */ (home)];
  if (!allowance || file.isTest) return true;
  const other = /^([^/]+)\/src\//.exec(target)?.[1];
  if (other && other in workspaces)
    return other === home || allowance.workspaces.includes(/** @type {never} */ (other));
  return !('packages' in allowance) || allowance.packages.includes(/** @type {never} */ (target));
}

/** The innermost module that contains a file. @param {string} path */
function moduleOf(path) {
  const [, outer = '', inner = ''] = /^server\/src\/([^/]+)\/(?:([^/]+)\/)?/.exec(path) ?? [];
  if (testFolders.some((folder) => path.startsWith(folder))) return undefined;
  return [`${outer}/${inner}`, outer].find((module) => module in serverModules);
}

/** @param {string} module */
function faceOf(module) {
  return `server/src/${module}/${posix.basename(module)}.ts`;
}

/** @param {string} path */
function isFace(path) {
  return faced.some((module) => faceOf(module) === path);
}

/**
 * Imports of private files of a module with a public face. @param {Pick<SourceFile, 'path' | 'imports'>} file
 */
export function privateImports(file) {
  const home = moduleOf(file.path);
  return file.imports
    .map(({ target }) => ({ target, module: moduleOf(target) }))
    .filter(({ module }) => module !== undefined && module !== home && faced.includes(module))
    .filter(({ target, module = '' }) => target !== faceOf(module))
    .map(({ target, module = '' }) => `imports ${target}, not ${faceOf(module)}`);
}

/**
 * Rows and columns outside the store: imports of its tables and of the query builder, and members with the name of a column. The
 * parameters of a query have such names too, on the wire.
 * @param {Pick<SourceFile, 'path' | 'code' | 'imports'>} file
 */
function rowsOutside(file) {
  if (!file.path.startsWith('server/src/') || /^server\/src\/(store|archive\/catalog)\//.test(file.path))
    return [];
  const imported = file.imports
    .filter(({ target }) => target === 'kysely' || target === 'server/src/store/database.ts')
    .map(({ target }) => `imports ${target}`);
  const members = file.code.matchAll(
    /(\w+\??)\.([a-z]+(?:_[a-z]+)+)\b|[{,]\s*([a-z]+(?:_[a-z]+)+)(?=\s*[,:}])/g,
  );
  const named = [...members]
    .filter(([, owner]) => owner !== 'query')
    .map(([, , member, own]) => member ?? own ?? '')
    .filter((name) => columns.has(name) && !sameNames.has(name))
    .map((name) => `names the column ${name}`);
  return [...imported, ...new Set(named)];
}

/** Imports of one route file by another. @param {Pick<SourceFile, 'path' | 'imports'>} file */
export function siblingRoutes(file) {
  if (!file.path.startsWith(routes)) return [];
  return file.imports
    .filter(({ target }) => target.startsWith(routes))
    .map(({ target }) => `imports its sibling ${target}`);
}

/**
 * Imports that routes must not use for decisions: the store, and code that runs outside of `http`. How an object
 * looks to clients (`-view.ts`) is part of a reply. @param {Pick<SourceFile, 'path' | 'imports'>} file
 */
export function decidingRoutes(file) {
  if (!file.path.startsWith(routes)) return [];
  return file.imports
    .filter(
      ({ target, isType }) =>
        target.startsWith('server/src/store/') ||
        (!isType && /^server\/src\/(?!http\/)/.test(target) && !target.endsWith('-view.ts')),
    )
    .map(({ target }) => `imports ${target}`);
}

/** @param {string} path @param {string} target */
function mayCrossPage(path, target) {
  const part = pagePartOf(path);
  const other = pagePartOf(target);
  if (!part || !other || part.name === 'app' || part.name === '') return true;
  if (part.name !== other.name)
    return (
      pageParts[/** @type {keyof typeof pageParts} */ (part.name)]?.includes(
        /** @type {never} */ (other.name),
      ) ?? false
    );
  const below = featureParts[/** @type {keyof typeof featureParts} */ (part.feature)] ?? [];
  return part.feature === other.feature || below.includes(/** @type {never} */ (other.feature));
}

/** @param {string} path @param {string} target */
function isOfAnotherFeature(path, target) {
  const [own, other] = [path, target].map((one) => pagePartOf(one)?.feature);
  return Boolean(own && other) && own !== other;
}

/** The part of the page that a file belongs to; the files directly in `ui/src` wire and have none. @param {string} path */
function pagePartOf(path) {
  const [, name, feature] = /^ui\/src\/(?:(features)\/([^/]+)\/|)/.exec(path) ?? [];
  if (feature) return { name, feature };
  const part = /^ui\/src\/(?:([^/]+)\/)?/.exec(path);
  return part ? { name: part[1] ?? '', feature: '' } : undefined;
}

/** @param {string} target */
function isHeavyContract(target) {
  return target.startsWith('contract/src/') && !lightContract.has(posix.basename(target, '.ts'));
}

/** @param {SourceFile} file @param {RegExp} pattern */
function matches(file, pattern) {
  const found = pattern.exec(file.code);
  return found ? [`holds ${found[0].trim()}`] : [];
}
