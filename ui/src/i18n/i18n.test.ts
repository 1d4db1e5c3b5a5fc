import assert from 'node:assert/strict';
import { test } from 'node:test';
import { en } from './en/all.ts';
import { chooseLanguage, I18n, ownTimeZone } from './i18n.ts';
import { parseMessage } from './icu.ts';
import { ru } from './ru/all.ts';

const english = new I18n('en', en);
const russian = new I18n('ru', ru);
/** Intl writes no-break spaces of several kinds; most tests don't depend on which. */
const plain = (text: string) => text.replace(/[\u00a0\u202f]/g, ' ');

test('[R1.4] the language is the profile’s, then the server’s, then the browser’s first known one', () => {
  assert.equal(chooseLanguage(['ru', 'en', 'en-GB']), 'ru');
  assert.equal(chooseLanguage([undefined, 'ru', 'en-GB']), 'ru');
  assert.equal(chooseLanguage([null, null, 'de-DE', 'ru-RU', 'en']), 'ru');
  assert.equal(chooseLanguage([undefined, null, 'de', 'fr']), 'en');
});

test('[R1.4] numbers: comma and dot in English, space and comma in Russian', () => {
  assert.equal(english.number(1234567.5), '1,234,567.5');
  assert.equal(plain(russian.number(1234567.5)), '1 234 567,5');
});

test('[R1.4] Russian counts in its plural forms', () => {
  const words = [1, 2, 5, 11, 21, 22, 25].map((count) => russian.t('streams.count', { count }));
  assert.deepEqual(words, [
    '1 поток',
    '2 потока',
    '5 потоков',
    '11 потоков',
    '21 поток',
    '22 потока',
    '25 потоков',
  ]);
});

test('durations are words, their two largest units', () => {
  assert.equal(plain(english.duration(192_000)), '3 min 12 s');
  assert.equal(plain(russian.duration(192_000)), '3 мин 12 с');
  assert.equal(plain(english.duration(0)), '0 s');
  assert.equal(plain(english.duration(1_540)), '1.5 s');
  assert.equal(plain(russian.duration(1_540)), '1,5 с');
  assert.equal(plain(english.duration(3_600_000)), '1 h');
  assert.equal(plain(english.duration(2 * 86_400_000 + 4 * 3_600_000 + 59_000)), '2 d 4 h');
});

test('moments are written to the second, in the asked zone', () => {
  const moment = Date.UTC(2026, 10, 21, 6, 5, 4);
  assert.equal(english.time(moment, 'UTC'), '06:05:04');
  assert.equal(english.time(moment, 'Europe/Berlin'), '07:05:04');
  assert.match(english.dateTime(moment, 'UTC'), /^21 Nov 2026, 06:05:04( UTC)?$/);
  assert.match(plain(russian.dateTime(moment, 'UTC')), /^21 нояб\. 2026 г\., 06:05:04( UTC)?$/);
  assert.match(russian.date(moment, 'UTC'), /2026\u00a0г\.$/);
});

test('[R2.19] a zone that is not the browser’s own is named, and stays through what follows', () => {
  const moment = Date.UTC(2026, 10, 21, 6, 5, 4);
  const elsewhere = ownTimeZone() === 'Asia/Tokyo' ? 'Asia/Seoul' : 'Asia/Tokyo';
  const moved = english.inZone(elsewhere);
  assert.equal(moved.time(moment), '15:05:04');
  assert.equal(moved.dateTime(moment), '21 Nov 2026, 15:05:04 GMT+9');
  assert.doesNotMatch(english.dateTime(moment), /GMT\+9/);
});

test('sizes have three figures in the language’s numbers', () => {
  assert.equal(plain(english.bytes(1_456_789_012)), '1.46 GB');
  assert.equal(plain(russian.bytes(1_456_789_012)), '1,46 ГБ');
  assert.equal(plain(english.bytes(0)), '0 bytes');
});

test('no line ends between a number and its unit', () => {
  const values = { amount: 5, rate: 5, seconds: 5 };
  const keys = ['rate.bits', 'player.figures.mbit', 'player.figures.seconds', 'tunnel.roundTrip.ms'] as const;
  for (const language of [english, russian]) {
    const texts = [
      language.bytes(1_456_789_012),
      language.number(12.5, { style: 'unit', unit: 'millisecond' }),
      language.duration(5_000),
      ...keys.map((key) => language.t(key, values)),
    ];
    for (const text of texts) assert.match(text, /^[\d.,]+[\u00a0\u202f]\S+$/);
    // The two parts of a duration may be on two lines.
    assert.match(language.duration(192_000), /^3\u00a0\S+ 12\u00a0\S+$/);
  }
});

test('a message that breaks the syntax is refused with itself in the words', () => {
  for (const text of ['{', 'a }', '{n, plural, one {x}}', '{n, date}', '{n, plural, other {x}']) {
    assert.throws(() => parseMessage(text), SyntaxError, text);
  }
});

test('a sign for the number is only one inside a plural', () => {
  assert.deepEqual(parseMessage('# {a}'), ['# ', { kind: 'value', name: 'a' }]);
});
