import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { IntlMessageFormat } from 'intl-messageformat';
import { parseSync, Visitor } from 'vite';
import { signedIn } from './en/signed-in.ts';
import { en } from './en/all.ts';
import { I18n, type MessageKey } from './i18n.ts';
import { parseMessage, type Message } from './icu.ts';
import { ru } from './ru/all.ts';

const source = join(import.meta.dirname, '..');
const files = globSync('**/*.{ts,tsx}', { cwd: source }).filter((file) => !file.includes('.test.'));
const keys = Object.keys(en) as MessageKey[];

function placeholders(message: Message): Set<string> {
  const names = new Set<string>();
  for (const part of message) {
    if (typeof part === 'string' || part.kind === 'count') continue;
    names.add(part.name);
    if (part.kind === 'plural') {
      for (const form of part.forms.values()) for (const name of placeholders(form)) names.add(name);
    }
  }
  return names;
}

test('[R1.4] both languages have the same messages, each with a text and the same placeholders', () => {
  assert.deepEqual(Object.keys(ru).sort(), [...keys].sort());
  for (const key of keys) {
    assert.notEqual(en[key].trim(), '', key);
    assert.notEqual(ru[key].trim(), '', key);
    assert.deepEqual(placeholders(parseMessage(ru[key])), placeholders(parseMessage(en[key])), key);
  }
});

test('[R1.4] every message that counts has the four Russian forms', () => {
  for (const key of keys) {
    for (const part of parseMessage(ru[key])) {
      if (typeof part === 'string' || part.kind !== 'plural') continue;
      const forms = [...part.forms.keys()].filter((form) => !form.startsWith('=')).sort();
      assert.deepEqual(forms, ['few', 'many', 'one', 'other'], key);
    }
  }
});

test('no message is unused', () => {
  const catalogues = /^i18n\/(en|ru)(\/|-|\.ts)/;
  const code = files
    .filter((file) => !catalogues.test(file))
    .map((file) => readFileSync(join(source, file), 'utf8'))
    .join('\n');
  // Referenced in full, or by an area whose keys are the names of something else, as in `gap.cause.${cause}`.
  const area = (key: string) => key.slice(0, key.lastIndexOf('.') + 1);
  const unused = keys.filter((key) => !code.includes(`'${key}'`) && !code.includes(`\`${area(key)}\${`));
  assert.deepEqual(unused, []);
});

/**
 * Where the messages of the signed-in screens are loaded before they are used: below the routes that wait for
 * them.
 */
const signedInFiles = new RegExp(
  [
    '^features/(account|administration|audit-logs|bookmarks|cluster|digest|events|exports|first-steps)/',
    '^features/(help|mosaics|notifications|rights)/',
    '^features/(stream-view|streams/details|streams/form|swagger|tunnel|users)/',
    '^components/((history-charts?|keys-dialog|pager)\\.tsx$|(depth|overload|recorded-share|warning)-text\\.ts$|calendar/)',
    '^app/frame/(drained-node|palette|use-command-actions|health-|use-disk)',
    '^(i18n|playback|timeline)/',
  ].join('|'),
);

test('the first screens ask for no word that comes later', () => {
  const found: string[] = [];
  for (const file of files.filter((one) => !signedInFiles.test(one))) {
    const code = readFileSync(join(source, file), 'utf8');
    for (const key of Object.keys(signedIn)) if (code.includes(`'${key}'`)) found.push(`${file}: ${key}`);
  }
  assert.deepEqual(found, []);
});

test('messages come out as the whole of ICU would write them', () => {
  const amounts = [0, 1, 2, 5, 11, 21, 22, 25, 1.5, 1234];
  for (const [language, catalogue] of [
    ['en', en],
    ['ru', ru],
  ] as const) {
    const i18n = new I18n(language, catalogue);
    for (const key of keys) {
      const reference = new IntlMessageFormat(catalogue[key], language, undefined, { ignoreTag: true });
      const names = [...placeholders(parseMessage(catalogue[key]))];
      const counts = parseMessage(catalogue[key]).some(
        (part) => typeof part !== 'string' && part.kind === 'plural',
      );
      for (const amount of counts ? amounts : [0]) {
        const values = Object.fromEntries(names.map((name) => [name, counts ? amount : `<${name}>`]));
        assert.equal(i18n.t(key, values), reference.format(values), `${language} ${key} ${amount}`);
      }
    }
  }
});

/** Attributes that users read or hear. */
const spokenAttributes = new Set([
  'label',
  'title',
  'placeholder',
  'description',
  'alt',
  'aria-label',
  'text',
  'help',
]);

test('no component has text that is not a message', () => {
  const letters = /\p{L}{2}/u;
  const found: string[] = [];
  for (const file of files.filter((one) => one.endsWith('.tsx'))) {
    const { program, errors } = parseSync(file, readFileSync(join(source, file), 'utf8'));
    assert.deepEqual(errors, [], file);
    new Visitor({
      JSXText: (node) => {
        if (letters.test(node.value)) found.push(`${file}: ${node.value.trim()}`);
      },
      JSXAttribute: (node) => {
        if (node.name.type !== 'JSXIdentifier' || !spokenAttributes.has(node.name.name)) return;
        const { value } = node;
        if (value?.type === 'Literal' && typeof value.value === 'string' && letters.test(value.value)) {
          found.push(`${file}: ${node.name.name}="${value.value}"`);
        }
      },
    }).visit(program);
  }
  assert.deepEqual(found, []);
});
