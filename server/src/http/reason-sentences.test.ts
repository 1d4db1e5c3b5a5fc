import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { ErrorCode } from '@vidette/contract/errors';
import { Fault } from '../base/fault.ts';
import { bodyOf } from './failure.ts';
import { knownReason, knownReasons } from '../base/known-reasons.ts';
import { failureReasonOf } from '../streams/stream-view.ts';

const errorOf = (code: ErrorCode, words: string, language: 'en' | 'ru') =>
  bodyOf(new Fault(code, words), language).error;

test('[R8.11] a known reason follows the sentence of the code, in both languages', () => {
  const keyless = 'The source sent no key frame in time.';
  assert.equal(errorOf('ProbeError', keyless, 'en'), `No stream was found at this address. ${keyless}`);
  assert.equal(
    errorOf('ProbeError', keyless, 'ru'),
    'По этому адресу не найден видеопоток. Источник вовремя не прислал ни одного ключевого кадра.',
  );
  assert.equal(
    errorOf('EHOSTUNREACH', 'cam-1.lan refused the connection on port 554.', 'ru'),
    'Камера недоступна. cam-1.lan отклонил соединение на порту 554.',
  );
  assert.equal(
    errorOf('ProbeError', 'The camera answered 454 Session Not Found to DESCRIBE.', 'ru'),
    'По этому адресу не найден видеопоток. Камера ответила на DESCRIBE: 454 Session Not Found.',
  );
  assert.equal(
    knownReason('The camera offers no supported media, only audio of unknown kind, video vp8.', 'ru'),
    'Камера предлагает только непригодное: звук неизвестного вида, видео vp8.',
  );
});

test('[R10.10] unknown reasons, and messages of faults that do not concern a source, are not sent', () => {
  const secrets = [
    'Failed at rtsp://a:b@host/.',
    "rtsp://a:b@host/ can't be reached.",
    "a b can't be reached.",
  ];
  for (const words of [...secrets, `The name ${'x'.repeat(400)} is not known.`, '', '.']) {
    assert.equal(errorOf('ProbeError', words, 'en'), 'No stream was found at this address.', words);
    assert.equal(errorOf('ProbeError', words, 'ru'), 'По этому адресу не найден видеопоток.', words);
  }
  const words = 'The source sent no key frame in time.';
  for (const code of ['Forbidden', 'AuthorizationRequired', 'InternalServerError', 'NotFound'] as const) {
    assert.doesNotMatch(errorOf(code, words, 'en'), /key frame/, code);
  }
});

test('[R10.2] failureReason is the reason in the reader’s language, or the sentence for its code', () => {
  const state = (failureReason: string) =>
    ({ status: 'failed', code: 'NO_VIDEO_ERR', failureReason }) as const;
  const silent = state('The source stopped sending video and stayed silent for 10 s.');
  assert.equal(failureReasonOf(silent, 'en'), silent.failureReason);
  assert.equal(failureReasonOf(silent, 'ru'), 'Источник перестал передавать видео и молчал 10 с.');
  assert.equal(failureReasonOf(state('Something new.'), 'ru'), 'Камера не передаёт видео.');
});

test('a field keeps the reason of a refused address in both languages', () => {
  const words = 'The port must be a number from 1 to 65535.';
  const fields = [{ path: 'streamSource', code: 'STREAM_SOURCE_ERR', error: words }];
  const fault = new Fault('STREAM_SOURCE_ERR', words, { details: { fields } });
  assert.equal(bodyOf(fault, 'en').fields?.[0]?.error, words);
  assert.equal(bodyOf(fault, 'ru').fields?.[0]?.error, 'Порт — это число от 1 до 65535.');
});

test('[R10.2] every reason of the tunnel is known, and has a text in Russian', () => {
  const folder = join(import.meta.dirname, '../tunnel');
  const written = ['relay.ts', 'tunnel.ts']
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
  // Messages of a failure: with placeholders, or plain.
  const sentences = [...written.matchAll(/[`'"]((?:\$\{host\}|The )[^`"\n]*?\.)[`'"]/g)].flatMap(
    ([, text = '']) => (text.includes('configured yet') ? [] : [text]),
  );
  assert.ok(sentences.length >= 15, `${sentences.length}`);
  const key = 'SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDgVW/zIKeBCqcqG4Q';
  for (const sentence of sentences) {
    const words = sentence
      .replaceAll(/\$\{(?:presentedHostKey|hostKey)\}/g, key)
      .replaceAll(/\$\{listen\}/g, '0.0.0.0:8443')
      .replaceAll(/\$\{host\}/g, 'relay.example.org')
      .replaceAll(/\$\{[^}]*\}/g, '12');
    const russian = knownReason(words, 'ru');
    assert.match(russian ?? '', /[а-я]/, words);
    assert.doesNotMatch(russian ?? '', /[{}]/, words);
  }
});

test('the server gives every known reason, with the same placeholders in Russian', () => {
  const folders = ['dial', 'ffmpeg', 'ingest', 'engine', 'tunnel'].map((folder) =>
    join(import.meta.dirname, '..', folder),
  );
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const written = files
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .map((file) => readFileSync(file, 'utf8'))
    .join('\n');
  for (const [english, russian] of Object.entries(knownReasons)) {
    const pieces = english.split(/\{\w+\}/).filter((piece) => piece.length > 3);
    // One sentence is composed of two parts: it is matched without the word that differs.
    const asWritten = pieces.flatMap((piece) => piece.split(/ (?:video|audio) and /));
    for (const piece of asWritten) assert.ok(written.includes(piece), `${english}: ${piece}`);
    const places = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted();
    assert.deepEqual(places(russian), places(english));
    const filled = english.replaceAll(
      /\{(key|expected)\}/g,
      'SHA256:uNiVztksCsDhcc0u9e8BgrJXVGDgVW/zIKeBCqcqG4Q',
    );
    assert.equal(knownReason(filled.replaceAll(/[{}]/g, ''), 'en') !== undefined, true, english);
  }
});

test('[R8.11] a refusal for too many requests states how long to wait, in both languages', () => {
  const said = (seconds: number, language: 'en' | 'ru') =>
    bodyOf(
      new Fault('TooManyRequests', 'Too many failed sign-ins.', { details: { retryAfterSeconds: seconds } }),
      language,
    ).error;
  assert.equal(said(1, 'en'), 'Too many requests. Try again in 1 second.');
  assert.equal(said(40, 'en'), 'Too many requests. Try again in 40 seconds.');
  assert.equal(said(601, 'en'), 'Too many requests. Try again in 11 minutes.');
  assert.match(said(40, 'ru'), /^Слишком много запросов\. Попробуйте снова через 40\sс\.$/u);
  assert.match(said(601, 'ru'), /^Слишком много запросов\. Попробуйте снова через 11\sмин\.$/u);
});
