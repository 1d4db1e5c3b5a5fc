// Finds circular imports: files that depend on each other can't be read, moved or tested separately, and
// neither can folders. Type imports count. There are none between files; the remaining ones between folders are
// broken by ignoring the imports below, each with its reason. The list must only shrink: an import that no
// longer breaks a circle is a violation too. Exit code 1 and a line per violation; part of `npm run check`.
import { fileURLToPath } from 'node:url';
import { circlesIn, fileGraph, folderGraph, sourceFiles, withoutEdges } from './import-graph.mjs';

/** @typedef {{ from: string, to: string, because: string }} AllowedEdge Folders; `**` at the end is any folder below. */

/** @type {AllowedEdge[]} */
export const allowedEdges = [
  {
    from: 'contract/src/calls',
    to: 'contract/src',
    because: 'calls.ts, the table of all groups, is beside the entities that the groups are made of',
  },
  {
    from: 'server/src/ingest/**',
    to: 'server/src/ingest',
    because:
      'an engine needs the address and the interface of a session, the supervisor above chooses the engine',
  },
];

/**
 * Violations, one per line.
 * @param {import('./import-graph.mjs').Graph} files
 * @param {readonly AllowedEdge[]} allowed
 */
export function circleBreaches(files, allowed) {
  const folders = folderGraph(files);
  const named = (/** @type {readonly string[]} */ circle) => circle.join(' <-> ');
  return [
    ...circlesIn(files).map((circle) => `circular imports between files: ${named(circle)}`),
    ...circlesIn(withoutEdges(folders, allowed)).map(
      (circle) => `circular imports between folders: ${named(circle)}`,
    ),
    ...allowed
      .filter((edge) => !isNeeded(folders, edge, allowed))
      .map(
        ({ from, to }) => `${from} -> ${to} breaks no circle: remove it from the list in tools/circles.mjs`,
      ),
  ];
}

/**
 * Whether an allowed import is part of a circle that the other allowed imports do not break.
 * @param {import('./import-graph.mjs').Graph} folders
 * @param {AllowedEdge} edge
 * @param {readonly AllowedEdge[]} allowed
 */
function isNeeded(folders, edge, allowed) {
  const circles = circlesIn(
    withoutEdges(
      folders,
      allowed.filter((other) => other !== edge),
    ),
  );
  return circles.some((circle) => {
    const inside = new Map(circle.map((folder) => [folder, folders.get(folder) ?? new Set()]));
    const left = withoutEdges(inside, [edge]);
    return circle.some((from) => circle.some((to) => inside.get(from)?.has(to) && !left.get(from)?.has(to)));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const paths = sourceFiles().filter((path) => !/\.test\.tsx?$/.test(path));
  const violations = circleBreaches(fileGraph(paths), allowedEdges);
  for (const line of violations) process.stdout.write(`${line}\n`);
  process.exit(violations.length ? 1 : 0);
}
