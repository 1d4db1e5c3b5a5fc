import assert from 'node:assert/strict';
import { test } from 'node:test';
import { en } from '../i18n/en/all.ts';
import { I18n } from '../i18n/i18n.ts';
import { recordedShareText } from './recorded-share-text.ts';

const HOUR_MS = 3_600_000;

const coverage = (expectedMs: number, recordedMs: number) => ({
  expectedMs,
  recordedMs,
  share: expectedMs === 0 ? null : recordedMs / expectedMs,
});

test('coverage is rounded down, and not judged in the first hour', () => {
  const i18n = new I18n('en', en);
  const textOf = (expectedMs: number, recordedMs: number) => {
    const part = coverage(expectedMs, recordedMs);
    return recordedShareText({ day: part, month: part }, i18n);
  };
  assert.equal(textOf(0, 0), 'No recording was due');
  assert.equal(textOf(HOUR_MS / 60, 0), 'Known after the first hour');
  assert.match(textOf(24 * HOUR_MS, 24 * HOUR_MS - 1), /^99\.9% of the last 24 hours/);
  assert.match(textOf(2 * HOUR_MS, 0), /^0% of the last 24 hours/);
});
