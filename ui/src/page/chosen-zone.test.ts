import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownTimeZone } from '../i18n/i18n.ts';
import { chosenZone } from './chosen-zone.ts';

test('[R2.19] times are shown in the zone of the viewer, of the server, of the stream, or in a named zone', () => {
  assert.equal(chosenZone('viewer', 'Asia/Tokyo'), ownTimeZone());
  assert.equal(chosenZone('server', 'Asia/Tokyo'), 'Asia/Tokyo');
  assert.equal(chosenZone('Europe/Berlin', 'Asia/Tokyo'), 'Europe/Berlin');
  assert.equal(chosenZone('stream', 'Asia/Tokyo', 'Australia/Lord_Howe'), 'Australia/Lord_Howe');
  assert.equal(chosenZone('stream', 'Asia/Tokyo'), ownTimeZone());
});

test('without a server zone, or with one unknown to the browser, the viewer’s zone is used', () => {
  assert.equal(chosenZone('server', null), ownTimeZone());
  assert.equal(chosenZone('Mars/Olympus', null), ownTimeZone());
});
