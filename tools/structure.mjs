// Limits on what a reader has to keep in mind: functions, classes and their constructors. The length of a file
// is only a hint: a limit leads to files one line below it and to sidecars of ten lines. Tests, e2e/ and bench/
// are scripts and are not measured. `--hints` names the longest files. Exit code 1 and a line per violation;
// part of `npm run check`.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';
import { sourceFiles, targetOf } from './import-graph.mjs';
import { root } from './install.mjs';
import { exceptions } from './structure-exceptions.mjs';

/** The maximum of each. */
export const limits = { lines: 60, methods: 20, fields: 12, collaborators: 8 };

/** @typedef {keyof typeof limits} Measure */
/** @typedef {{ path: string, name: string, measure: Measure, value: number }} Finding A part of a file that is over a limit. */
/** @typedef {{ measure: Measure, because: string, parts: readonly string[] }} Exceptions Parts as `path name`. */
/** @typedef {{ type: string, start: number, end: number, [member: string]: any }} Node */

/** The types of values are not collaborators: none of them does any work. */
const valueTypes = new Set(
  'Array ReadonlyArray Set ReadonlySet Map ReadonlyMap Record Readonly Partial Date URL RegExp Buffer Uint8Array AbortSignal'.split(
    ' ',
  ),
);

/**
 * Everything over a limit in the files given by path.
 * @param {ReadonlyMap<string, string>} texts
 * @returns {Finding[]}
 */
export function findingsIn(texts) {
  const parsed = new Map([...texts].map(([path, text]) => [path, parseSync(path, text)]));
  /** @type {Finding[]} */
  const findings = [];
  for (const [path, { program }] of parsed) {
    const text = texts.get(path) ?? '';
    const lineOf = lineCounter(text);
    const note = (
      /** @type {string} */ name,
      /** @type {Measure} */ measure,
      /** @type {number} */ value,
    ) => {
      if (value > limits[measure]) findings.push({ path, name, measure, value });
    };
    visitFunctions(program, [], (node, name) =>
      note(name, 'lines', lineOf(node.end) - lineOf(node.start) + 1),
    );
    for (const node of nodesOf(program, isClass)) {
      const name = node.id?.name ?? 'class';
      const { methods, fields, constructor } = membersOf(node);
      note(name, 'methods', methods);
      note(name, 'fields', fields);
      if (constructor) note(name, 'collaborators', collaboratorsOf(constructor, path, parsed));
    }
  }
  return findings;
}

/**
 * Violations, one per line: parts over a limit that are no exceptions, and exceptions that are no longer
 * needed.
 * @param {readonly Finding[]} findings
 * @param {readonly Exceptions[]} allowed
 */
export function structureBreaches(findings, allowed) {
  const known = new Set(allowed.flatMap(({ measure, parts }) => parts.map((part) => `${measure} ${part}`)));
  const found = new Set(findings.map(({ path, name, measure }) => `${measure} ${path} ${name}`));
  return [
    ...findings
      .filter(({ path, name, measure }) => !known.has(`${measure} ${path} ${name}`))
      .map(
        ({ path, name, measure, value }) =>
          `${path} ${name} has ${value} ${measure}, at most ${limits[measure]}`,
      ),
    ...[...known]
      .filter((part) => !found.has(part))
      .map((part) => `${part} is an unnecessary exception: remove it from tools/structure-exceptions.mjs`),
  ];
}

/** @param {Node} node */
function isClass({ type }) {
  return type === 'ClassDeclaration' || type === 'ClassExpression';
}

/** @param {Node} node */
function isFunction({ type }) {
  return (
    type === 'FunctionDeclaration' || type === 'FunctionExpression' || type === 'ArrowFunctionExpression'
  );
}

/** @param {Node} node @returns {Node[]} */
function childrenOf(node) {
  return Object.values(node)
    .flat()
    .filter((value) => typeof value === 'object' && value !== null && typeof value.type === 'string');
}

/** @param {Node} node @param {(node: Node) => boolean} isWanted @returns {Node[]} */
function nodesOf(node, isWanted) {
  const below = childrenOf(node).flatMap((child) => nodesOf(child, isWanted));
  return isWanted(node) ? [node, ...below] : below;
}

/**
 * Calls back for every function with the names of its enclosing declarations: `Class.method`, `outer.inner`,
 * `outer.callback`.
 * @param {Node} node
 * @param {readonly string[]} names
 * @param {(node: Node, name: string) => void} found
 * @param {string} [given] by the parent
 */
function visitFunctions(node, names, found, given) {
  const own = node.id?.name ?? given;
  const isNamed = isFunction(node) || isClass(node);
  const inside = isNamed ? [...names, own ?? 'callback'] : names;
  if (isFunction(node)) found(node, inside.join('.'));
  for (const child of childrenOf(node)) visitFunctions(child, inside, found, nameFor(node, child));
}

/**
 * The name that a declaration gives to its value. @param {Node} parent @param {Node} child @returns {string |
 * undefined}
 */
function nameFor(parent, child) {
  if (parent.type === 'VariableDeclarator') return parent.id.name;
  if (!['MethodDefinition', 'PropertyDefinition', 'Property'].includes(parent.type)) return undefined;
  if (child !== parent.value) return undefined;
  const prefix = parent.key.type === 'PrivateIdentifier' ? '#' : '';
  return `${prefix}${parent.key.name ?? parent.key.value ?? 'computed'}`;
}

/** @param {Node} node @returns {{ methods: number, fields: number, constructor: Node | undefined }} */
function membersOf(node) {
  /** @type {Node[]} */
  const members = node.body.body;
  const isPublic = (/** @type {Node} */ { key, accessibility }) =>
    key.type !== 'PrivateIdentifier' && accessibility !== 'private';
  const doing = members.filter(
    ({ type, value }) => type === 'PropertyDefinition' && value && isFunction(value),
  );
  return {
    methods:
      members.filter((one) => one.type === 'MethodDefinition' && one.kind === 'method' && isPublic(one))
        .length + doing.filter(isPublic).length,
    fields: members.filter(({ type }) => type === 'PropertyDefinition').length - doing.length,
    constructor: members.find(({ kind }) => kind === 'constructor'),
  };
}

/**
 * Parameters and members of option types that do work: those with a named type that is not a value.
 * @param {Node} constructor
 * @param {string} path
 * @param {ReadonlyMap<string, { program: any }>} parsed
 */
function collaboratorsOf(constructor, path, parsed) {
  /** @type {Node[]} */
  const parameters = constructor.value.params;
  return parameters.reduce((sum, parameter) => {
    const type = (parameter.type === 'AssignmentPattern' ? parameter.left : parameter).typeAnnotation
      ?.typeAnnotation;
    const options = type && optionsOf(type, path, parsed);
    return sum + (options ? options.filter(isCollaborator).length : Number(isCollaborator(type)));
  }, 0);
}

/** The types of the members, when it is an interface or literal of options. @param {Node} type @param {string} path @param {ReadonlyMap<string, { program: any }>} parsed @returns {(Node | undefined)[] | undefined} */
function optionsOf(type, path, parsed) {
  if (type.type === 'TSTypeLiteral') return type.members.map(memberType);
  const name = type.typeName?.name;
  if (!/(Options|Tools|Services|Parts|Deps|Needs)$/.test(name ?? '')) return undefined;
  const { declaration, at } = declarationOf(name, path, parsed) ?? {};
  if (!declaration || at === undefined) return undefined;
  if (declaration.type === 'TSTypeAliasDeclaration') return optionsOf(declaration.typeAnnotation, at, parsed);
  /** @type {Node[]} */
  const parents = declaration.extends ?? [];
  return [
    ...declaration.body.body.map(memberType),
    ...parents.flatMap(
      ({ expression }) => optionsOf({ ...expression, typeName: expression }, at, parsed) ?? [],
    ),
  ];
}

/** @param {Node} member */
function memberType(member) {
  return member.type === 'TSPropertySignature' ? member.typeAnnotation?.typeAnnotation : undefined;
}

/** Where an interface or alias is declared: in the file itself or in the one it imports or forwards it from. @param {string} name @param {string} path @param {ReadonlyMap<string, { program: any }>} parsed @returns {{ declaration: Node, at: string } | undefined} */
function declarationOf(name, path, parsed) {
  /** @type {Node[]} */
  const body = parsed.get(path)?.program.body ?? [];
  for (const statement of body) {
    const declaration = statement.declaration ?? statement;
    if (/^TS(Interface|TypeAlias)Declaration$/.test(declaration.type) && declaration.id.name === name)
      return { declaration, at: path };
  }
  const imported = body.find(
    ({ type, specifiers, source }) =>
      (type === 'ImportDeclaration' &&
        specifiers.some((/** @type {Node} */ { local }) => local.name === name)) ||
      (type === 'ExportNamedDeclaration' &&
        source &&
        specifiers.some((/** @type {Node} */ { exported }) => exported.name === name)),
  );
  const target = imported && targetOf(path, imported.source.value);
  return target && target !== path && parsed.has(target) ? declarationOf(name, target, parsed) : undefined;
}

/** @param {Node | undefined} type */
function isCollaborator(type) {
  if (!type) return false;
  if (type.type === 'TSUnionType') return type.types.some(isCollaborator);
  return type.type === 'TSTypeReference' && !valueTypes.has(type.typeName.name);
}

/** A function from an offset to its line. @param {string} text */
function lineCounter(text) {
  const starts = [0];
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return (/** @type {number} */ offset) => {
    let [low, high] = [0, starts.length];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle;
      else high = middle;
    }
    return low;
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const paths = sourceFiles().filter(
    (path) => /^((contract|media|server|ui)\/src|tools)\//.test(path) && !/\.test\.tsx?$/.test(path),
  );
  const texts = new Map(paths.map((path) => [path, readFileSync(join(root, path), 'utf8')]));
  const violations = structureBreaches(findingsIn(texts), exceptions);
  for (const line of violations) process.stdout.write(`${line}\n`);
  if (process.argv.includes('--hints')) {
    const longest = [...texts].map(([path, text]) => ({ path, lines: text.split('\n').length }));
    longest.sort((one, other) => other.lines - one.lines);
    for (const { path, lines } of longest.slice(0, 20)) process.stdout.write(`${lines} lines: ${path}\n`);
  }
  process.exit(violations.length ? 1 : 0);
}
