import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Zone } from './zone.ts';
import { localText, parseLocal } from './local-time.ts';

const berlin = new Zone('Europe/Berlin');

test('a moment to the field and back, in summer and in winter', () => {
  for (const ms of [Date.UTC(2026, 6, 1, 10, 20, 30), Date.UTC(2026, 11, 1, 10, 20, 30)]) {
    assert.equal(parseLocal(localText(ms, berlin), berlin), ms);
  }
  assert.equal(localText(Date.UTC(2026, 6, 1, 10, 20, 30), berlin), '2026-07-01T12:20:30');
});

test('seconds may be omitted, nothing else', () => {
  assert.equal(parseLocal('2026-11-21T12:00', berlin), Date.UTC(2026, 10, 21, 11));
  assert.equal(parseLocal('', berlin), undefined);
  assert.equal(parseLocal('2026-11-21', berlin), undefined);
});
