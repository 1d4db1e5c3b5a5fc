import assert from 'node:assert/strict';
import { mkdtemp, mkdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { z } from 'zod';
import { Fault } from '../base/fault.ts';
import { silentLog } from '../base/log.ts';
import { parseByteRange } from './byte-range.ts';
import { logFault } from './failure.ts';
import { preferredLanguage } from './language.ts';
import { bestEncoding, PageFiles } from './page-files.ts';
import { decodeText } from './query-decode.ts';

test('byte ranges of RFC 9110', () => {
  assert.deepEqual(parseByteRange('bytes=0-99', 1000), { start: 0, end: 99 });
  assert.deepEqual(parseByteRange('bytes=990-', 1000), { start: 990, end: 999 });
  assert.deepEqual(parseByteRange('bytes=-5', 1000), { start: 995, end: 999 });
  assert.deepEqual(parseByteRange('bytes=-5000', 1000), { start: 0, end: 999 });
  assert.deepEqual(parseByteRange('bytes=0-5000', 1000), { start: 0, end: 999 });
  for (const ignored of [undefined, '', 'bytes=', 'bytes=-', 'bytes=5-1', 'bytes=0-1,5-6', 'items=0-1']) {
    assert.equal(parseByteRange(ignored, 1000), undefined, ignored);
  }
  for (const beyond of ['bytes=1000-', 'bytes=-0'])
    assert.equal(parseByteRange(beyond, 1000), 'unsatisfiable');
});

test('a byte range never exceeds the file, whatever is requested', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.tuple(fc.nat(), fc.nat()).map(([a, b]) => `bytes=${a}-${b}`),
      ),
      fc.nat(),
      (header, size) => {
        const range = parseByteRange(header, size);
        if (typeof range !== 'object') return;
        assert.ok(range.start >= 0 && range.start <= range.end && range.end < size);
      },
    ),
  );
});

test('[R1.4] the browser’s preferred language', () => {
  assert.equal(preferredLanguage('ru-RU,ru;q=0.9,en;q=0.8'), 'ru');
  assert.equal(preferredLanguage('de, en;q=0.5, ru;q=0.7'), 'ru');
  assert.equal(preferredLanguage('EN-gb'), 'en');
  assert.equal(preferredLanguage('ru;q=0, de'), undefined);
  assert.equal(preferredLanguage(undefined), undefined);
});

test('query text is converted to the type in the schema; text that does not match stays text', () => {
  const schema = z.strictObject({
    page: z.int().default(1),
    flag: z.boolean().optional(),
    words: z.array(z.string()).default([]),
    name: z.string().optional(),
  });
  assert.deepEqual(decodeText(schema, { page: '7', flag: 'true', words: 'one', name: '7', other: '1' }), {
    page: 7,
    flag: true,
    words: ['one'],
    name: '7',
    other: '1',
  });
  const odd = { page: '0x10', flag: 'yes', words: ['a', 'b'] };
  assert.deepEqual(decodeText(schema, odd), odd);
});

test('the best encoding that a reader accepts', () => {
  assert.equal(bestEncoding('gzip, deflate, br'), 'br');
  assert.equal(bestEncoding('gzip;q=1.0, br;q=0'), 'gzip');
  assert.equal(bestEncoding('identity'), 'identity');
  assert.equal(bestEncoding(''), 'identity');
});

test('only files that existed at startup are served, by name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'vidette-page-'));
  try {
    const dist = join(folder, 'dist');
    await mkdir(join(dist, 'assets'), { recursive: true });
    await writeFile(join(dist, 'assets', 'index-4f2a9c1b.js'), 'export {};');
    await writeFile(join(folder, 'secret.txt'), 'secret');
    const files = await PageFiles.open(dist);
    const file = await files.find('assets/index-4f2a9c1b.js');
    assert.equal(file?.contentType, 'text/javascript; charset=utf-8');
    assert.equal(file.isImmutable, true);
    for (const bad of [
      '../secret.txt',
      'assets/../../secret.txt',
      join(folder, 'secret.txt'),
      'assets',
      '',
    ]) {
      assert.equal(await files.find(bad), undefined, bad);
    }
    assert.equal((await PageFiles.open(join(folder, 'nowhere'))).has('index.html'), false);
  } finally {
    await rm(folder, { recursive: true });
  }
});

test('the log of a failed query contains parameter names and no values', () => {
  const lines: unknown[] = [];
  const log = { ...silentLog, error: (fields: unknown) => lines.push(fields) };
  const url = '/v1/stream/probe?url=rtsp%3A%2F%2Fcam%2Fsecret&stream_id=x';
  logFault(log, new Fault('InternalServerError', 'Internal error.'), { url });
  assert.equal((lines[0] as { url: string }).url, '/v1/stream/probe?url=&stream_id=');
});
