import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { parseSync } from 'oxc-parser';
import { z } from 'zod';
import { RegExpMachine, TooManySteps } from './regexp-machine.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** Expressions that never process untrusted text, or only short text, each with its reason. */
const exempt: ReadonlyMap<string, string> = new Map([
  [String.raw`\s*(=\d+|\w+)\s*\{`, 'reads our own messages, and only at one place: it is made sticky'],
]);

/** Where expressions are composed at run time, each with its reason: nothing untrusted becomes part of one. */
const builders: ReadonlyMap<string, string> = new Map([
  ['contract/src/notifications.ts', 'a literal with a length of ours in it, over members that are bounded'],
  [
    'server/src/cli/move-in/recording-template.ts',
    'escaped names, and digits of fixed number, over file names of at most 255 bytes',
  ],
  ['server/src/http/openapi-examples.ts', 'patterns of our own schemas, over our own examples'],
  ['server/src/http/page-body.ts', 'one literal with a constant in it, over our own page'],
  ['ui/src/i18n/icu.ts', 'a literal of this test with another flag'],
  ['ui/src/routing/location.ts', 'our own addresses, over the address bar'],
]);

const fullLength = 16_384;
/** Maximum steps per character of a linear expression; the most expensive one takes less than half. */
const stepsPerCharacter = 150;

interface FoundPattern {
  readonly pattern: string;
  readonly flags: string;
  readonly place: string;
}

function sources(): { path: string; text: string }[] {
  return ['contract/src', 'media/src', 'server/src', 'ui/src'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.tsx?$/.test(name) && !/\.test\.|fixture/.test(name))
      .map((name) => ({ path: `${folder}/${name}`, text: readFileSync(join(root, folder, name), 'utf8') })),
  );
}

/** Every regular expression literal, without duplicates, and the files that call `RegExp`. */
function collect(): { literals: FoundPattern[]; builders: Set<string> } {
  const literals = new Map<string, FoundPattern>();
  const calls = new Set<string>();
  for (const { path, text } of sources()) {
    const visit = (node: unknown): void => {
      if (typeof node !== 'object' || node === null) return;
      if ('regex' in node) {
        const { pattern, flags } = node.regex as { pattern: string; flags: string };
        literals.set(`/${pattern}/${flags}`, { pattern, flags, place: path });
      }
      const { type, callee } = node as { type?: string; callee?: { name?: string } };
      if ((type === 'NewExpression' || type === 'CallExpression') && callee?.name === 'RegExp')
        calls.add(path);
      for (const member of Object.values(node)) visit(member);
    };
    visit(parseSync(path, text).program);
  }
  return { literals: [...literals.values()], builders: calls };
}

const usualLetters = [...Array.from('aZ0 -_.,:;/\\=?&@"<%[]{}|#+*\'()'), '\n', '\t', '\0', '\u2028', 'я'];

/** One letter of each kind that the expression distinguishes. */
function lettersFor(machine: RegExpMachine, pattern: string): string[] {
  const kinds = new Map<string, string>();
  for (const letter of [...usualLetters, ...Array.from(pattern)]) {
    const kind = machine.atoms.map((matches) => (matches(letter) ? '1' : '0')).join('');
    if (!kinds.has(kind)) kinds.set(kind, letter);
  }
  return [...kinds.values()];
}

interface Attack {
  readonly prefix: string;
  readonly pump: string;
  readonly suffix: string;
}

/**
 * Texts of repeated rounds, letters and pairs of letters, after a prefix that leads to a loop, with and without
 * an ending that completes it.
 */
function* attacks(machine: RegExpMachine, pattern: string): Generator<Attack> {
  const letters = lettersFor(machine, pattern);
  const { prefixes, rounds } = machine.samples(letters);
  const pairs = letters.length > 16 ? [] : letters.flatMap((one) => letters.map((other) => one + other));
  const unloved = letters.find((letter) => !machine.atoms.some((matches) => matches(letter))) ?? '\0';
  const whole = prefixes.map((prefix, index) => prefixes[index + 1] ?? prefix);
  for (const pump of new Set([...letters, ...rounds, ...whole, ...pairs])) {
    if (pump === '') continue;
    const starts = pump.length === 2 ? ['', prefixes.at(-1) ?? ''] : prefixes;
    for (const prefix of starts) {
      for (const suffix of ['', unloved, '\n', 'x\n', `x${unloved}`]) yield { prefix, pump, suffix };
    }
  }
}

function grown({ prefix, pump, suffix }: Attack, length: number): string {
  return prefix + pump.repeat(Math.ceil(length / pump.length)) + suffix;
}

/** The maximum steps per character over all attacks; Infinity if they exceed the limit. */
function worstOf({ pattern, flags }: FoundPattern): { perCharacter: number; text: string } {
  const machine = new RegExpMachine(pattern, flags);
  const tried = [...attacks(machine, pattern)].map((attack) => {
    const text = grown(attack, 128);
    return { attack, steps: cost(machine, text, text.length * 1_000) };
  });
  const suspects = tried.sort((a, b) => b.steps - a.steps).slice(0, 4);
  let worst = { perCharacter: 0, text: '' };
  for (const { attack } of suspects) {
    const text = grown(attack, fullLength);
    const perCharacter = cost(machine, text, text.length * stepsPerCharacter) / text.length;
    if (perCharacter > worst.perCharacter) worst = { perCharacter, text: text.slice(0, 40) };
  }
  return worst;
}

function cost(machine: RegExpMachine, text: string, most: number): number {
  try {
    return machine.count(text, most).steps;
  } catch (error) {
    if (error instanceof TooManySteps) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

const found = collect();

test('the machine finds the same matches as the engine', () => {
  for (const { pattern, flags } of found.literals) {
    const machine = new RegExpMachine(pattern, flags);
    const letters = lettersFor(machine, pattern);
    const { prefixes, rounds } = machine.samples(letters);
    const piece = fc.constantFrom(...letters, ...prefixes, ...rounds);
    const texts = fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(texts, (text) => {
        const engine = new RegExp(pattern, flags.replace('g', ''));
        const match = engine.exec(text);
        const [own] = machine.count(text, 1_000_000).matches;
        assert.deepEqual(own, match ? [match.index, match.index + match[0].length] : undefined, text);
      }),
      { numRuns: 20 },
    );
  }
});

test('expressions with quadratic or cubic cost are distinguished from linear ones', () => {
  for (const expression of [
    /\s+$/,
    /(a+)+b/,
    /([?&;][^=&\s]*(?:pass|pwd)[^=&\s]*=)[^&\s]*/gi,
    /([a-z][a-z0-9+.-]*:\/\/)[^\s/?#]*@/gi,
    /^(en|ru)?\s*(?:;q=1)?\s*$/,
    /<a[^>]*>/g,
  ]) {
    assert.equal(
      worstOf({ pattern: expression.source, flags: expression.flags, place: '' }).perCharacter,
      Number.POSITIVE_INFINITY,
      String(expression),
    );
  }
  for (const expression of [/^\d{1,16}$/, /[^a-z]/g, /^[a-z]+:\/\/[^/]*/]) {
    const worst = worstOf({ pattern: expression.source, flags: expression.flags, place: '' });
    assert.ok(worst.perCharacter < stepsPerCharacter, String(expression));
  }
});

test('every regular expression of the sources is linear over 16 kB of its worst input', () => {
  const email = { pattern: z.regexes.email.source, flags: z.regexes.email.flags, place: 'zod' };
  const violations: string[] = [];
  for (const expression of [...found.literals, email]) {
    if (exempt.has(expression.pattern)) continue;
    const { perCharacter, text } = worstOf(expression);
    if (perCharacter > stepsPerCharacter) {
      violations.push(
        `${expression.place}: /${expression.pattern}/${expression.flags} over ${JSON.stringify(text)}...`,
      );
    }
  }
  assert.deepEqual(violations, []);
  assert.ok(found.literals.length > 100, 'literals are found');
});

test('the exempt expressions still exist, and no other file composes expressions', () => {
  const patterns = new Set(found.literals.map(({ pattern }) => pattern));
  assert.deepEqual(
    [...exempt.keys()].filter((pattern) => !patterns.has(pattern)),
    [],
  );
  assert.deepEqual([...found.builders].sort(), [...builders.keys()].sort());
});
